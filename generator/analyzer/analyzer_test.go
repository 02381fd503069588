package analyzer_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/resilgen/resilgen/generator/analyzer"
)

// Each near miss is reported, and its fix is what the golden file holds.
func TestNearMissesHaveFixes(t *testing.T) {
	t.Parallel()
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), analyzer.Analyzer, "misses")
}

// The golden file with all fixes made has nothing left to report.
func TestFixedSourceIsRight(t *testing.T) {
	t.Parallel()
	fixed, err := os.ReadFile("testdata/src/misses/misses.go.golden")
	require.NoError(t, err)
	require.Contains(t, string(fixed), "// want")
	fixed = regexp.MustCompile(`(?m)^\t*// want.*\n|// want.*`).ReplaceAll(fixed, nil)
	dir := t.TempDir()
	path := filepath.Join(dir, "src", "fixed", "fixed.go")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, fixed, 0o644))
	analysistest.Run(t, dir, analyzer.Analyzer, "fixed")
}
