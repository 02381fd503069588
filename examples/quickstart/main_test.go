package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuickstartShowsWhatItSays reads what make run prints: the verdict and answer of each call, and the transitions.
func TestQuickstartShowsWhatItSays(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))

	var lines []string
	for line := range strings.Lines(out.String()) {
		if call := regexp.MustCompile(`s  Stock\((.*?)\) +(\w+) +(.*?) +\d+ ms$`).FindStringSubmatch(strings.TrimSpace(line)); call != nil {
			lines = append(lines, strings.Join(call[1:], " | "))
		}
		if transition := regexp.MustCompile(`\w+ -> \w+$`).FindString(strings.TrimSpace(line)); transition != "" {
			lines = append(lines, transition)
		}
	}
	require.Equal(t, []string{
		"anvil | ok | 42 units",
		"anvil | ok | 42 units",
		"anvil | ok | 42 units",
		"anvil | retried | 503 > 42 units",
		"portable hole | ok | stockMissing answers 0",
		"anvil | retried | no answer in time > 42 units",
		"CLOSED -> OPEN",
		"anvil | failed | 503 > 503 > 503 > stockUnknown answers -1",
		"anvil | refused | not sent > LastKnown.WhenOpen answers 42",
		"anvil | refused | not sent > LastKnown.WhenOpen answers 42",
		"anvil | refused | not sent > LastKnown.WhenOpen answers 42",
		"OPEN -> HALF_OPEN",
		"anvil | ok | 42 units",
		"HALF_OPEN -> CLOSED",
		"anvil | ok | 42 units",
		"anvil | ok | 42 units",
	}, lines)
}
