package generator_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator"
	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

// TestTortureForwards generates every package of testdata/torture in one run, vets them, and runs a program that calls
// every method of every wrapper, and of what it wraps, and compares.
func TestTortureForwards(t *testing.T) {
	t.Parallel()
	c := newCorpus(t, "../testdata/torture")
	c.endLinesAsWindows(t, "crlf")
	c.writeOutputs(t, "")
	forwarders := c.writeForwarders(t, "")
	wrappers, methods := 0, 0
	for _, f := range forwarders {
		wrappers += f.count
		methods += f.methods
	}
	t.Logf("%d interfaces, %d methods", wrappers, methods)
	require.GreaterOrEqual(t, wrappers, 80)
	c.run(t, "go", "vet", "./...")
	c.run(t, "go", "test", "./...")
}

// writeOutputs generates all outputs, and once more to see that nothing changes.
func (c *corpus) writeOutputs(t *testing.T, out string) {
	config := generator.Config{Dir: c.dir, Patterns: []string{"./..."}, Tags: "torture", Out: out}
	result, err := generator.Generate(t.Context(), config)
	require.NoError(t, err)
	require.False(t, result.Failed(), "%v", result.Diagnostics)
	for _, output := range result.Outputs {
		require.NotContains(t, string(output.New), "\r")
		require.NoError(t, output.Write())
	}
	again, err := generator.Generate(t.Context(), config)
	require.NoError(t, err)
	for _, output := range again.Outputs {
		require.False(t, output.Stale(), "a second run changes %s:\n%s", output.Path, output.Diff())
	}
}

// endLinesAsWindows gives the sources of a package the line ends of Windows.
func (c *corpus) endLinesAsWindows(t *testing.T, pkg string) {
	paths, err := filepath.Glob(filepath.Join(c.dir, pkg, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n")), 0o644))
	}
}

// env returns the environment in which the go command builds the corpus, the same way wherever it lies.
func (c *corpus) env() []string {
	return append(os.Environ(), "GOFLAGS=-mod=mod -trimpath -tags=torture", "GOWORK=off")
}

func (c *corpus) run(t *testing.T, command string, args ...string) {
	c.runWith(t, c.env(), command, args...)
}

func (c *corpus) runWith(t *testing.T, env []string, command string, args ...string) {
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Dir, cmd.Env = c.dir, env
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", command, strings.Join(args, " "), said)
}

// writeForwarders writes the calls of all wrappers that are planned. One test calls those that can be imported; package
// main, internal packages and wrappers of tests have tests of their own.
func (c *corpus) writeForwarders(t *testing.T, out string) []*forwarder {
	loaded, err := source.Load(t.Context(), source.Config{
		Dir: c.dir, Patterns: []string{"./..."}, Tags: "torture", Out: out,
	})
	require.NoError(t, err)
	forwarders := map[string]*forwarder{}
	for _, pkg := range loaded.Packages {
		for _, file := range plan.Make(pkg, &loaded.Problems) {
			f := newForwarder(file)
			key := f.home + f.name + f.suffix
			if forwarders[key] == nil {
				forwarders[key] = f
			}
			for _, w := range file.Wrappers {
				forwarders[key].wrapper(t, w)
			}
		}
	}
	var imports, calls bytes.Buffer
	var list []*forwarder
	for _, key := range slices.Sorted(maps.Keys(forwarders)) {
		f := forwarders[key]
		list = append(list, f)
		if f.inTest() {
			f.write(t, "torture_"+f.name+"_test.go", "TestForwards")
			continue
		}
		f.write(t, "torture.go", "TortureForwards")
		name := fmt.Sprintf("p%d", len(list))
		fmt.Fprintf(&imports, "\t%s %q\n", name, f.home)
		fmt.Fprintf(&calls, "\tt.Run(%q, %s.TortureForwards)\n", strings.TrimPrefix(f.home, "example.com/corpus/"), name)
	}
	c.write(t, "forward_test.go", fmt.Sprintf("package corpus_test\n\nimport (\n\t\"testing\"\n\n%s)\n\n"+
		"func TestForwards(t *testing.T) {\n%s}\n", &imports, &calls))
	return list
}

// TestTortureForwardsFromAnotherPackage does the same with wrappers in packages of their own. An interface for which
// that is refused says that it keeps its wrapper.
func TestTortureForwardsFromAnotherPackage(t *testing.T) {
	t.Parallel()
	c := newCorpus(t, "../testdata/torture")
	const out = "./resilient"
	kept := 0
	for range 10 { // what is refused may hide more
		result, err := generator.Generate(t.Context(), generator.Config{
			Dir: c.dir, Patterns: []string{"./..."}, Tags: "torture", Out: out,
		})
		require.NoError(t, err)
		if !result.Failed() {
			break
		}
		kept += c.keepWrappers(t, result.Diagnostics)
	}
	c.writeOutputs(t, out)
	wrappers, methods := 0, 0
	for _, f := range c.writeForwarders(t, out) {
		if strings.HasSuffix(f.home, "/resilient") {
			wrappers += f.count
			methods += f.methods
		}
	}
	t.Logf("%d interfaces, %d methods; %d stay", wrappers, methods, kept)
	require.GreaterOrEqual(t, wrappers, 60)
	c.run(t, "go", "vet", "./...")
	c.run(t, "go", "test", "./...")
}

// keepWrappers writes on every interface that has an error that its wrapper stays in its package, as the errors advise,
// and returns how many they are.
func (c *corpus) keepWrappers(t *testing.T, diagnostics []generator.Diagnostic) int {
	lines := map[string]map[int]bool{}
	for _, d := range diagnostics {
		if d.Warning {
			continue
		}
		require.Contains(t, d.Message, "out=.", "%s", d)
		if lines[d.Position.Filename] == nil {
			lines[d.Position.Filename] = map[int]bool{}
		}
		lines[d.Position.Filename][d.Position.Line] = true
	}
	kept := 0
	for path, wrong := range lines {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		require.NoError(t, err)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		text := strings.Split(string(content), "\n")
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, spec := range group.Specs {
				spec := spec.(*ast.TypeSpec)
				first, doc := spec.Pos(), spec.Doc
				if !group.Lparen.IsValid() {
					first, doc = group.Pos(), group.Doc
				}
				from, until := fset.Position(first).Line, fset.Position(spec.End()).Line
				at, directive := from-1, "//resil:wrapper out=.\n"+text[from-1]
				if doc != nil {
					for _, comment := range doc.List {
						line := fset.Position(comment.Pos()).Line
						from = min(from, line)
						if strings.HasPrefix(comment.Text, "//resil:wrapper ") {
							at, directive = line-1, text[line-1]+" out=."
						}
					}
				}
				for line := from; line <= until; line++ {
					if wrong[line] {
						text[at] = directive
						kept++
						break
					}
				}
			}
		}
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(text, "\n")), 0o644))
	}
	return kept
}
