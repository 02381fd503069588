package source

import (
	"go/ast"
	"go/build"
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// Parsed are the files of one package as a driver of go/analysis has them: a package, a package together with its own
// test files, or an external test package.
type Parsed struct {
	Path      string // import path
	Fset      *token.FileSet
	Files     []*ast.File       // with their comments
	Errors    scanner.ErrorList // what was wrong with their syntax
	GoVersion string            // of their module, as in go1.26; empty: that of this program
	Sizes     types.Sizes
	// Import returns the package of a path as the files import it, and [ErrUnseen] for one that it does not have.
	Import func(importPath string) (*types.Package, error)
}

// FromFiles does with the files of one package what [Load] does: files with our Header are left out, and the others are
// type-checked once more, without function bodies. A name of a package that is not among the imports gives [ErrUnseen].
// Outputs, Sources and Read of the packages are empty.
func FromFiles(p Parsed) *Result {
	l := &loader{cfg: Config{Logf: func(string, ...any) {}}, fset: p.Fset, sizes: p.Sizes, imports: given(p.Import)}
	l.build = build.Default
	result := &Result{Fset: p.Fset}
	l.result = result
	d := l.directoryOf(p)
	if d == nil || !d.annotated() {
		return result
	}
	units, _ := l.units(d) // fails where it reads files, which is in Load
	for _, u := range units {
		result.Packages = append(result.Packages, l.check(u, &result.Problems))
	}
	result.Problems.List = directive.Sort(l.fset, result.Problems.List)
	return result
}

// directoryOf divides files as the go command does; nil where there is no file but outputs of ours.
func (l *loader) directoryOf(p Parsed) *directory {
	d := &directory{listed: &listed{ImportPath: p.Path, Module: &module{GoVersion: strings.TrimPrefix(p.GoVersion, "go")}}}
	external := !slices.ContainsFunc(p.Files, func(f *ast.File) bool {
		return f.Name == nil || !strings.HasSuffix(f.Name.Name, "_test") ||
			!strings.HasSuffix(l.fset.PositionFor(f.FileStart, false).Filename, "_test.go")
	})
	for _, syntax := range p.Files {
		if syntax.Name == nil {
			continue // not even the package clause could be read
		}
		path := l.fset.PositionFor(syntax.FileStart, false).Filename
		f := &parsed{path: path, syntax: syntax, output: beginsWithHeader(syntax)}
		for _, err := range p.Errors {
			if err.Pos.Filename == path && f.broken == nil {
				l.breakAt(f, err)
			}
		}
		if f.output {
			continue
		}
		f.findMarks()
		test := strings.HasSuffix(path, "_test.go")
		switch {
		case test && external:
			d.xtest = append(d.xtest, f)
		case test:
			d.test = append(d.test, f)
		default:
			d.source = append(d.source, f)
		}
	}
	files := d.all()
	if len(files) == 0 {
		return nil
	}
	d.Dir, d.Name = filepath.Dir(files[0].path), files[0].syntax.Name.Name
	if external {
		d.ImportPath, d.Name = strings.TrimSuffix(p.Path, "_test"), strings.TrimSuffix(d.Name, "_test")
	}
	return d
}

// beginsWithHeader is hasHeader for a file that is parsed.
func beginsWithHeader(syntax *ast.File) bool {
	if len(syntax.Comments) == 0 {
		return false
	}
	first := syntax.Comments[0].List[0]
	const mark = 3 // the bytes of a byte order mark
	return first.Text == Header && first.Pos() <= syntax.FileStart+mark
}

// given are the imports of FromFiles.
type given func(importPath string) (*types.Package, error)

func (g given) Import(importPath string) (*types.Package, error) { return g(importPath) }

func (g given) Find(importPath string) (*types.Package, error) { return g(importPath) }

func (g given) suggestions(*types.Package) []string { return nil }
