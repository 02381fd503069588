// Package page writes the pages on which measurements are reported: tables of Markdown that can be read as they stand,
// numbers, and what the machine was.
package page

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// A Table is a table of Markdown that can be read as it stands: its columns are aligned.
type Table struct {
	Header []string
	Text   int // how many columns, from the left, hold text; the others hold numbers

	rows [][]string
}

// Row adds a row.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Write writes the table and an empty line.
func (t *Table) Write(w io.Writer) {
	widths := make([]int, len(t.Header))
	for _, row := range append([][]string{t.Header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rule := make([]string, len(widths))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", max(3, width))
		if i >= t.Text {
			rule[i] = rule[i][1:] + ":"
		}
		widths[i] = max(3, width)
	}
	for i, row := range append([][]string{t.Header, rule}, t.rows...) {
		var line strings.Builder
		for j, cell := range row {
			gap := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
			if j < t.Text || i == 1 {
				cell += gap
			} else {
				cell = gap + cell
			}
			line.WriteString("| " + cell + " ")
		}
		fmt.Fprintln(w, line.String()+"|")
	}
	fmt.Fprintln(w)
}

// Number formats a value with so many decimals, and what was not measured as a dash.
func Number(value float64, decimals int) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "-"
	}
	return fmt.Sprintf("%.*f", decimals, value)
}

// Short formats a value with two or three digits.
func Short(value float64) string {
	switch {
	case value >= 100:
		return Number(value, 0)
	case value >= 10:
		return Number(value, 1)
	default:
		return Number(value, 2)
	}
}
