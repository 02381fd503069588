package directive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
)

func TestNearestNamesWhatWasMeant(t *testing.T) {
	t.Parallel()
	keys := strings.Fields("name maxAttempts waitDuration maxDuration retryErrors ignoreErrors stockMissing on")
	for word, want := range map[string]string{
		"maxAttempts":   "maxAttempts",
		"maxattempts":   "maxAttempts",
		"max-attempts":  "maxAttempts",
		"max_attempts":  "maxAttempts",
		"maxAtempts":    "maxAttempts",
		"maxAttemtps":   "maxAttempts", // swapped neighbours are one mistake
		"waitDuraton":   "waitDuration",
		"nmae":          "name",
		"stockMising":   "stockMissing",
		"ON":            "on",
		"no":            "", // two letters leave no room for a mistake
		"x":             "",
		"":              "",
		"-":             "",
		"failureRate":   "",
		"durationOfMax": "",
	} {
		require.Equal(t, want, directive.Nearest(word, keys), word)
	}
}

func TestNearestPrefersTheNearerThenTheFirst(t *testing.T) {
	t.Parallel()
	require.Equal(t, "retries", directive.Nearest("retriess", []string{"retriesxy", "retries"}))
	require.Equal(t, "stockA", directive.Nearest("stockC", []string{"stockA", "stockB"}))
	require.Empty(t, directive.Nearest("stock", nil))
}

func TestNearestCountsCharactersNotBytes(t *testing.T) {
	t.Parallel()
	require.Equal(t, "größe", directive.Nearest("grösse", []string{"größe"}))
	require.Equal(t, "größe", directive.Nearest("grüße", []string{"größe"}))
}
