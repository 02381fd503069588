package generator_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator"
)

// A package of several files in which everything depends on the order of something: shared settings, wrappers that embed
// each other's interfaces, imports of one name, outputs in another package.
const scattered = `
-- a.go --
package scattered

import (
	"context"
	"math/rand"
	"text/template"
)

//resil:retry name=shared
type A interface {
	B
	One(ctx context.Context, r rand.Source, t *template.Template) error
}
-- b.go --
package scattered

import (
	"html/template"
	"math/rand/v2"
)

//resil:wrapper out=./away
//resil:circuitbreaker name=shared recordErrors=ErrA,ErrC
type B interface {
	Two(r rand.Source, t *template.Template) error
}
-- c.go --
package scattered

import "errors"

var ErrA, ErrC = errors.New("a"), errors.New("c")

//resil:wrapper out=./away
//resil:retry name=shared maxAttempts=2
//resil:circuitbreaker name=shared failureRateThreshold=20
type C[K comparable, V any] interface {
	A
	D[V]
}
-- d.go --
package scattered

import "io"

//resil:bulkhead
type D[T any] interface {
	io.Closer
	Three(map[string]T) (T, error)
}
-- e.go --
package scattered

func Answer(err error) error { return err }

//resil:fallback use=Answer on=ErrC,ErrA
type E interface{ A }
`

// outputs generates the module in a directory and returns what would be written, by its path there, and the diagnostics.
func outputs(t *testing.T, dir string) map[string]string {
	t.Helper()
	result, err := generator.Generate(t.Context(), generator.Config{Dir: dir, Patterns: []string{"./..."}})
	require.NoError(t, err)
	found := map[string]string{}
	for i, d := range result.Diagnostics {
		d.Position.Filename, _ = filepath.Rel(dir, d.Position.Filename)
		found["diagnostic "+strconv.Itoa(i)] = d.String()
	}
	for _, output := range result.Outputs {
		name, err := filepath.Rel(dir, output.Path)
		require.NoError(t, err)
		found[filepath.ToSlash(name)] = string(output.New)
	}
	return found
}

// scatter writes the files to a new directory of the given name, each under its name as rename has it.
func scatter(t *testing.T, name string, rename func(string) string, lineEnd string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.Mkdir(dir, 0o755))
	files := txtar.Parse([]byte(scattered)).Files
	files = append(files, txtar.File{Name: "go.mod", Data: []byte("module example.com/scattered\n\ngo 1.26\n")})
	for _, i := range rand.Perm(len(files)) { // the order in which a directory lists them, on some file systems
		to := filepath.Join(dir, rename(files[i].Name))
		require.NoError(t, os.WriteFile(to, bytes.ReplaceAll(files[i].Data, []byte("\n"), []byte(lineEnd)), 0o644))
	}
	return dir
}

func TestOutputsAreTheSameBytesWhereverTheyAreMade(t *testing.T) {
	t.Parallel()
	same := func(name string) string { return name }
	dir := scatter(t, "first", same, "\n")
	want := outputs(t, dir)
	require.Subset(t, slices.Collect(maps.Keys(want)), []string{
		"a_resil.go", "away/b_resil.go", "away/c_resil.go", "d_resil.go", "e_resil.go",
	})

	require.Equal(t, want, outputs(t, dir), "in a second run")
	require.Equal(t, want, outputs(t, scatter(t, "another-name", same, "\n")), "in another directory")
	require.Equal(t, want, outputs(t, scatter(t, "windows", same, "\r\n")), "with the line ends of Windows")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err == nil {
		require.Equal(t, want, outputs(t, link), "through a symbolic link")
	}
	for range 3 { // files are read at the same time, so that the order of positions differs from run to run
		require.Equal(t, want, outputs(t, dir))
	}
}

func TestOutputsDoNotDependOnTheOrderOfFiles(t *testing.T) {
	t.Parallel()
	isOutput := func(name string) bool { return strings.HasSuffix(name, "_resil.go") }
	want := outputs(t, scatter(t, "first", func(name string) string { return name }, "\n"))
	maps.DeleteFunc(want, func(name, _ string) bool { return !isOutput(name) })
	names := "abcde"
	for range 4 {
		shuffled := rand.Perm(len(names))
		to, from := map[string]string{}, map[string]string{}
		for i, j := range shuffled {
			old, renamed := names[i:i+1], names[j:j+1]
			to[old+".go"] = renamed + ".go"
			from[renamed+"_resil.go"] = old + "_resil.go"
		}
		rename := func(name string) string {
			if renamed, ok := to[name]; ok {
				return renamed
			}
			return name
		}
		got := map[string]string{}
		for name, content := range outputs(t, scatter(t, "shuffled", rename, "\n")) {
			if dir, file := filepath.Split(name); isOutput(name) {
				got[dir+from[file]] = content
			}
		}
		require.Equal(t, want, got, "files renamed: %v", to)
	}
}
