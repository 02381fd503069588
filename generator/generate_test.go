package generator_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator"
)

var update = flag.Bool("update", false, "record what is generated as what is wanted")

// A corpus is a module made of the archives of a directory, one package an archive. The files of an archive that are
// wanted, and not there before, are left out: outputs and diagnostics.txt.
type corpus struct {
	dir      string // of the module
	archives map[string]*txtar.Archive
}

const diagnosticsFile = "diagnostics.txt"

func wanted(name string) bool {
	return name == diagnosticsFile || strings.HasSuffix(name, "_resil.go") || strings.HasSuffix(name, "_resil_test.go")
}

func newCorpus(t *testing.T, from string) *corpus {
	c := &corpus{dir: t.TempDir(), archives: map[string]*txtar.Archive{}}
	repo, err := filepath.Abs("..")
	require.NoError(t, err)
	c.write(t, "go.mod", "module example.com/corpus\n\ngo 1.26.0\n\nrequire github.com/resilgen/resilgen v0.0.0\n\nreplace github.com/resilgen/resilgen => "+repo+"\n")
	paths, err := filepath.Glob(filepath.Join(from, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		c.archives[path] = archive
		for _, file := range archive.Files {
			if !wanted(file.Name) {
				c.write(t, filepath.Join(c.name(path), file.Name), string(file.Data))
			}
		}
	}
	return c
}

// name returns the directory of an archive's package.
func (c *corpus) name(path string) string { return strings.TrimSuffix(filepath.Base(path), ".txtar") }

func (c *corpus) write(t *testing.T, name, content string) {
	path := filepath.Join(c.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

// check compares what was made of each archive with what it wants, or records it.
func (c *corpus) check(t *testing.T, made map[string]string) {
	for path, archive := range c.archives {
		t.Run(c.name(path), func(t *testing.T) {
			have := txtar.Archive{Comment: archive.Comment}
			for _, file := range archive.Files {
				if !wanted(file.Name) {
					have.Files = append(have.Files, file)
				}
			}
			dir := filepath.Join(c.dir, c.name(path))
			require.NoError(t, filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
				if name, _ := filepath.Rel(dir, file); err == nil && !entry.IsDir() && wanted(name) {
					content, err := os.ReadFile(file)
					require.NoError(t, err)
					have.Files = append(have.Files, txtar.File{Name: filepath.ToSlash(name), Data: content})
				}
				return err
			}))
			if text := made[c.name(path)]; text != "" {
				have.Files = append(have.Files, txtar.File{Name: diagnosticsFile, Data: []byte(text)})
			}
			if *update {
				require.NoError(t, os.WriteFile(path, txtar.Format(&have), 0o644))
				return
			}
			if changed := diff.Diff("wanted", txtar.Format(archive), "made", txtar.Format(&have)); changed != nil {
				t.Errorf("%s", changed)
			}
		})
	}
}

// generate runs the generator over the corpus and returns the diagnostics by package, a line each.
func (c *corpus) generate(t *testing.T) (*generator.Result, map[string]string) {
	result, err := generator.Generate(t.Context(), generator.Config{Dir: c.dir, Patterns: []string{"./..."}})
	require.NoError(t, err)
	lines := map[string]string{}
	for _, d := range result.Diagnostics {
		within, err := filepath.Rel(c.dir, d.Position.Filename)
		require.NoError(t, err)
		archive, file, _ := strings.Cut(filepath.ToSlash(within), "/")
		d.Position.Filename = file
		lines[archive] += d.String() + "\n"
	}
	return result, lines
}

// TestGolden generates every package of testdata/golden, compares the outputs byte for byte, and vets them together with
// their sources.
func TestGolden(t *testing.T) {
	t.Parallel()
	c := newCorpus(t, "../testdata/golden")
	result, lines := c.generate(t)
	require.False(t, result.Failed(), "%v", lines)
	require.GreaterOrEqual(t, result.Interfaces, 20)
	for _, output := range result.Outputs {
		require.NoError(t, output.Write())
	}
	c.check(t, lines)

	again, _ := c.generate(t)
	for _, output := range again.Outputs {
		require.False(t, output.Stale(), "a second run changes %s:\n%s", output.Path, output.Diff())
	}
	c.run(t, "go", "vet", "./...")
	c.run(t, "go", "test", "-vet=off", "./elsewhere/app") // calls wrappers of another package than their interfaces'
}

// TestWrong runs every package of testdata/wrong: the diagnostics, exact to the column, and that nothing is generated.
func TestWrong(t *testing.T) {
	t.Parallel()
	c := newCorpus(t, "../testdata/wrong")
	result, lines := c.generate(t)
	require.True(t, result.Failed())
	require.Empty(t, result.Outputs)
	require.GreaterOrEqual(t, len(result.Diagnostics), 120)
	c.check(t, lines)
}
