package directive

import "strings"

// Nearest returns the candidate that word was most likely meant to be, or "" where none is near enough to be named.
// Upper and lower case, dashes and underscores make no difference. Of two that are equally near, the first is taken.
func Nearest(word string, candidates []string) string {
	plain := fold(word)
	if plain == "" {
		return ""
	}
	nearest, best := "", len(plain)/3+1
	if len(plain) < 3 {
		best = 1
	}
	best = min(best, 4)
	for _, candidate := range candidates {
		if d := distance(plain, fold(candidate), best); d < best {
			nearest, best = candidate, d
		}
	}
	return nearest
}

var folder = strings.NewReplacer("-", "", "_", "")

// fold returns word without the differences that Nearest does not see.
func fold(word string) string { return strings.ToLower(folder.Replace(word)) }

// distance returns the number of characters to insert, drop, replace or swap with their neighbours to get from a to b,
// or limit where it is not less.
func distance(a, b string, limit int) int {
	from, to := []rune(a), []rune(b)
	if len(from)-len(to) >= limit || len(to)-len(from) >= limit {
		return limit
	}
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(from); i++ {
		row[0] = i
		for j := 1; j <= len(to); j++ {
			cost := 1
			if from[i-1] == to[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(to)], limit)
}
