package directive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
)

// Every key of the table has a type with a name of its own, and says what its values look like.
func TestEveryKeyIsDescribed(t *testing.T) {
	t.Parallel()
	types := map[string]directive.Type{}
	for _, spec := range directive.Table {
		require.NotEmpty(t, spec.On.Describe())
		require.NotEmpty(t, spec.On.Names())
		for _, key := range spec.Keys {
			require.NotEmpty(t, key.Describe(), "%s of %s", key.Name, spec.Name)
			name := key.Type.String()
			require.NotEmpty(t, name, "%s of %s", key.Name, spec.Name)
			if other, ok := types[name]; ok {
				require.Equal(t, other, key.Type)
			}
			types[name] = key.Type
		}
	}
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	breaker, retry := directive.Lookup("circuitbreaker"), directive.Lookup("retry")
	require.Equal(t, "above 0 and at most 100", breaker.Key("failureRateThreshold").Range())
	require.Equal(t, "at least 1", retry.Key("maxAttempts").Range())
	require.Empty(t, retry.Key("name").Range())
	require.Equal(t, "`COUNT_BASED`, `TIME_BASED`", breaker.Key("slidingWindowType").Describe())
	require.Equal(t, "`func(results...) bool`", retry.Key("retryResult").Describe())
	require.Equal(t, "a method", directive.Lookup("skip").On.Describe())
	require.Equal(t, []string{"interface"}, directive.Lookup("wrapper").On.Names())
}
