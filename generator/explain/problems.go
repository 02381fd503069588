package explain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// sorted returns problems in the order of their places in the file.
func sorted(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		line, column := place(a.Position)
		otherLine, otherColumn := place(b.Position)
		return cmp.Or(cmp.Compare(line, otherLine), cmp.Compare(column, otherColumn))
	})
	return problems
}

// place returns the line and the column of a position; 0 where it has none.
func place(position string) (line, column int) {
	parts := strings.Split(position, ":")
	if len(parts) < 3 {
		return 0, 0
	}
	line, _ = strconv.Atoi(parts[len(parts)-2])
	column, _ = strconv.Atoi(parts[len(parts)-1])
	return line, column
}
