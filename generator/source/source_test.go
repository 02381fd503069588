package source_test

import (
	"context"
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/source"
)

var update = flag.Bool("update", false, "record what the archives in testdata want")

// TestArchives loads each archive of testdata as a module and compares what was found with its file want. Lines of the
// archive's comment set patterns and tags ("patterns ./a ./b", "tags integration") and ask for names of directives
// ("resolve client.go database/sql.ErrNoRows"); "env GOOS=windows" adds to the environment, where $DIR is the module's
// directory. All other lines are prose.
func TestArchives(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			var want *txtar.File
			for i := range archive.Files {
				if archive.Files[i].Name == "want" {
					want = &archive.Files[i]
				}
			}
			require.NotNil(t, want, "the archive has no file want")
			got := describe(t, archive)
			if *update {
				want.Data = []byte(got)
				require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
				return
			}
			require.Equal(t, string(want.Data), got)
		})
	}
}

// describe writes the archive to a directory, loads it as its comment says, and returns all that was found as text.
func describe(t *testing.T, archive *txtar.Archive) string {
	cfg := source.Config{Dir: write(t, archive), Patterns: []string{"./..."}}
	var names [][]string
	for line := range strings.Lines(string(archive.Comment)) {
		switch words := strings.Fields(line); {
		case len(words) < 2:
		case words[0] == "patterns":
			cfg.Patterns = words[1:]
		case words[0] == "tags":
			cfg.Tags = words[1]
		case words[0] == "env":
			cfg.Env = append(os.Environ(), strings.Fields(strings.ReplaceAll(line, "$DIR", cfg.Dir))[1:]...)
		case words[0] == "resolve":
			names = append(names, words[1:])
		}
	}
	result, err := source.Load(context.Background(), cfg)
	if err != nil {
		return fmt.Sprintf("error %T: %s\n", err, strings.ReplaceAll(err.Error(), cfg.Dir, "$DIR"))
	}
	d := &description{dir: cfg.Dir, fset: result.Fset}
	for _, problem := range result.Problems.List {
		d.printf("%s: %s\n", d.at(problem.Pos), problem.Message)
	}
	for _, pkg := range result.Packages {
		d.pkg(pkg)
	}
	for _, name := range names {
		d.resolve(t, result, name[0], name[1])
	}
	return d.String()
}

// write writes the files of an archive, and a go.mod where it has none, and returns their directory.
func write(t *testing.T, archive *txtar.Archive) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	mod := txtar.File{Name: "go.mod", Data: []byte("module example.com/shop\n\ngo 1.25\n")}
	for _, file := range append([]txtar.File{mod}, archive.Files...) {
		if file.Name == "want" {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, file.Data, 0o644))
	}
	return dir
}

// A description is the text of a result.
type description struct {
	strings.Builder
	dir  string
	fset *token.FileSet
}

func (d *description) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *description) at(pos token.Pos) string {
	position := d.fset.Position(pos)
	return fmt.Sprintf("%s:%d:%d", d.rel(position.Filename), position.Line, position.Column)
}

func (d *description) rel(path string) string {
	if rel, err := filepath.Rel(d.dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

func (d *description) list(word string, paths []string) {
	for _, path := range paths {
		d.printf("\t%s %s\n", word, d.rel(path))
	}
}

func (d *description) pkg(pkg *source.Package) {
	d.printf("package %s %s\n", pkg.Path, pkg.Name)
	read := map[string]bool{}
	for _, path := range pkg.Read {
		read[path] = true
	}
	d.list("output", pkg.Outputs)
	for _, path := range pkg.Sources {
		if !read[path] {
			d.list("unread", []string{path})
		}
	}
	for _, file := range pkg.Files {
		d.printf("\tfile %s", d.rel(file.Path))
		if file.Test {
			d.printf(" test")
		}
		if file.Constraint != "" {
			d.printf(" if %s", file.Constraint)
		}
		d.printf("\n")
	}
	for _, i := range pkg.Interfaces {
		d.printf("\tinterface %s%s\n", i.Object.Name(), kinds(" ", i.Directives))
		for _, m := range i.Methods {
			signature := types.TypeString(m.Func.Type(), types.RelativeTo(pkg.Types))
			d.printf("\t\t%s%s", m.Func.Name(), strings.TrimPrefix(signature, "func"))
			if !m.Explicit {
				d.printf(" from %s", d.at(m.Pos))
			}
			d.printf("%s%s\n", kinds(" ", m.Directives), kinds(" inherits ", m.Inherited))
		}
	}
}

func kinds(before string, directives []*directive.Directive) string {
	if len(directives) == 0 {
		return ""
	}
	var words []string
	for _, d := range directives {
		word := d.Spec.Name
		if name := d.Arg("name"); name != nil {
			word += "=" + name.Text
		}
		words = append(words, word)
	}
	return before + "[" + strings.Join(words, " ") + "]"
}

func (d *description) resolve(t *testing.T, result *source.Result, path, name string) {
	for _, pkg := range result.Packages {
		for _, file := range pkg.Files {
			if d.rel(file.Path) != path {
				continue
			}
			obj, err := pkg.Resolve(file, name)
			if err != nil {
				var nameError *source.NameError
				require.ErrorAs(t, err, &nameError)
				d.printf("%s: %s\n", name, err)
				return
			}
			d.printf("%s = %s\n", name, obj)
			return
		}
	}
	t.Errorf("resolve: no annotated file %s", path)
}
