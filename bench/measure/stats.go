package measure

import (
	"math"
	"slices"
)

// Median returns the middle of the values that are numbers, or the mean of the two in the middle, or NaN if there are
// none. A round in which a function could not be measured holds NaN.
func Median(values []float64) float64 {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(sorted) == 0 {
		return math.NaN()
	}
	slices.Sort(sorted)
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Quartiles returns the values between which the middle half of the numbers lies, or NaNs if there are none.
func Quartiles(values []float64) (low, high float64) {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(sorted) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(sorted)
	last := len(sorted) - 1
	return sorted[last/4], sorted[last-last/4]
}

// Paired returns the quotients of values that stand at the same place, NaN where one of the two is missing.
func Paired(numerators, denominators []float64) []float64 {
	quotients := make([]float64, min(len(numerators), len(denominators)))
	for i := range quotients {
		quotients[i] = numerators[i] / denominators[i]
	}
	return quotients
}
