// Package spelling finds the word that somebody meant.
package spelling

// Nearest returns the word among candidates that is most likely meant, or "" where none is near: more than a third of
// the letters would have to be changed, added, left out or swapped with their neighbour.
func Nearest(word string, candidates []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, candidate := range candidates {
		if d := distance(word, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance returns how many edits lead from a to b (optimal string alignment).
func distance(a, b string) int {
	var before, above []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
