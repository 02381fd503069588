package analyzer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/resilgen/resilgen/generator"
	"github.com/resilgen/resilgen/generator/analyzer"
)

// The generator and the analyzer print the same lines for every archive that is wrong.
func TestAnalyzerSaysWhatTheGeneratorSays(t *testing.T) {
	t.Parallel()
	dir := module(t, "../../testdata/wrong")
	lines := slices.DeleteFunc(generatorLines(t, dir), beyondPass)
	require.NotEmpty(t, lines)
	require.Equal(t, lines, analyzerLines(t, dir))
}

// They print the same warnings for every archive that is right, with the outputs beside their sources.
func TestOutputsAreNoPartOfTheCheck(t *testing.T) {
	t.Parallel()
	dir := module(t, "../../testdata/golden")
	result, err := generator.Generate(t.Context(), generator.Config{Dir: dir, Patterns: []string{"./..."}})
	require.NoError(t, err)
	require.NotEmpty(t, result.Outputs)
	for _, output := range result.Outputs {
		require.NoError(t, output.Write())
	}
	lines := generatorLines(t, dir)
	require.NotEmpty(t, lines)
	require.Equal(t, lines, analyzerLines(t, dir))
}

// beyondPass reports whether a line is about what a pass does not know.
func beyondPass(line string) bool {
	return slices.ContainsFunc([]string{
		": no package database/sqll;",        // whether there is a package that no file imports
		"would be an import cycle",           // what other packages import
		"it is outside of module",            // where the module ends
		"is a module of its own",             // the same
		"C.thing belongs to this file alone", // cgo has made a Go type of it
	}, func(text string) bool { return strings.Contains(line, text) })
}

// module writes the archives of a directory as packages of a module, without outputs.
func module(t *testing.T, archives string) string {
	dir := t.TempDir()
	repo, err := filepath.Abs("../..")
	require.NoError(t, err)
	write := func(name string, content []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, content, 0o644))
	}
	write("go.mod", fmt.Appendf(nil, "module example.com/corpus\n\ngo 1.26.0\n\n"+
		"require github.com/resilgen/resilgen v0.0.0\n\nreplace github.com/resilgen/resilgen => %s\n", repo))
	paths, err := filepath.Glob(filepath.Join(archives, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, file := range archive.Files {
			if !strings.HasSuffix(file.Name, "_resil.go") && !strings.HasSuffix(file.Name, "_resil_test.go") {
				write(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+file.Name, file.Data)
			}
		}
	}
	return dir
}

func generatorLines(t *testing.T, dir string) []string {
	result, err := generator.Generate(t.Context(), generator.Config{Dir: dir, Patterns: []string{"./..."}})
	require.NoError(t, err)
	var lines []string
	for _, d := range result.Diagnostics {
		lines = append(lines, fmt.Sprintf("%s: %s", d.Position, d.Text()))
	}
	slices.Sort(lines)
	return lines
}

func analyzerLines(t *testing.T, dir string) []string {
	pkgs, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Dir:   dir,
		Tests: true,
		Env:   append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off"),
	}, "./...")
	require.NoError(t, err)
	graph, err := checker.Analyze([]*analysis.Analyzer{analyzer.Analyzer}, pkgs, nil)
	require.NoError(t, err)
	var lines []string
	for action := range graph.All() {
		require.NoError(t, action.Err)
		for _, d := range action.Diagnostics {
			lines = append(lines, fmt.Sprintf("%s: %s", action.Package.Fset.Position(d.Pos), d.Message))
		}
	}
	// A package and the same with its tests are two passes.
	slices.Sort(lines)
	return slices.Compact(lines)
}
