package page

import (
	"math"
	"strconv"
)

// Count formats a number that is whole more often than not.
func Count(n float64) string {
	if n == math.Trunc(n) || math.Abs(n-math.Round(n)) < 0.01 {
		return Number(math.Round(n), 0)
	}
	return Number(n, 2)
}

// Plural returns how many there are of what the noun names.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
