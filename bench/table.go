package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// A table is a table of Markdown that can be read as it stands: its columns are aligned.
type table struct {
	header []string
	rows   [][]string
	text   int // how many columns, from the left, hold text; the others hold numbers
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// writeTo writes the table and an empty line.
func (t *table) writeTo(w io.Writer) {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rule := make([]string, len(widths))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", max(3, width))
		if i >= t.text {
			rule[i] = rule[i][1:] + ":"
		}
		widths[i] = max(3, width)
	}
	for i, row := range append([][]string{t.header, rule}, t.rows...) {
		var line strings.Builder
		for j, cell := range row {
			gap := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
			if j < t.text || i == 1 {
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

// number formats a value with so many decimals, and what was not measured as a dash.
func number(value float64, decimals int) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "-"
	}
	return fmt.Sprintf("%.*f", decimals, value)
}

// short formats a value with two or three digits.
func short(value float64) string {
	switch {
	case value >= 100:
		return number(value, 0)
	case value >= 10:
		return number(value, 1)
	default:
		return number(value, 2)
	}
}
