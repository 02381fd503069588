package golangci_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	"github.com/resilgen/resilgen/generator/analyzer"
	_ "github.com/resilgen/resilgen/generator/analyzer/golangci"
)

// golangci-lint finds the plugin by its name, builds it and runs its analyzers.
func TestPluginIsRegisteredAndBuildsTheAnalyzer(t *testing.T) {
	t.Parallel()
	newPlugin, err := register.GetPlugin("resil")
	require.NoError(t, err)
	for _, settings := range []any{nil, map[string]any{}} {
		plugin, err := newPlugin(settings)
		require.NoError(t, err)
		require.Equal(t, register.LoadModeTypesInfo, plugin.GetLoadMode())
		analyzers, err := plugin.BuildAnalyzers()
		require.NoError(t, err)
		require.Equal(t, []*analysis.Analyzer{analyzer.Analyzer}, analyzers)
		require.NoError(t, analysis.Validate(analyzers))
	}
}

// Settings that would do nothing are refused.
func TestSettingsAreRefused(t *testing.T) {
	t.Parallel()
	newPlugin, err := register.GetPlugin("resil")
	require.NoError(t, err)
	_, err = newPlugin(map[string]any{"strict": true})
	require.EqualError(t, err, "linter resil has settings; it takes none, so remove them")
}
