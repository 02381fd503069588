package page_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/bench/page"
)

func TestTablesAreAligned(t *testing.T) {
	table := page.Table{Header: []string{"", "ns"}, Text: 1}
	table.Row("gobreaker", "7")
	table.Row("x", "1234.5")
	var b strings.Builder
	table.Write(&b)
	require.Equal(t, ""+
		"|           |     ns |\n"+
		"| --------- | -----: |\n"+
		"| gobreaker |      7 |\n"+
		"| x         | 1234.5 |\n\n", b.String())
}
