package generator_test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/tools/go/packages"

	"github.com/resilgen/resilgen/generator/emit"
	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

// FuzzFile checks what holds for a package of one file, whatever is in it: nothing panics, every problem has a position
// in the file, and what is written for a package that type-checks type-checks with it.
func FuzzFile(f *testing.F) {
	seeds(f)
	known := importable(f)
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 1<<15 {
			t.Skip("longer than any file that says more")
		}
		fset := token.NewFileSet()
		const mode = parser.ParseComments | parser.SkipObjectResolution | parser.AllErrors
		syntax, err := parser.ParseFile(fset, "/nowhere/file.go", content, mode)
		wrong, _ := err.(scanner.ErrorList)
		if syntax == nil || syntax.Name == nil || expands(syntax) {
			return
		}
		result := source.FromFiles(source.Parsed{
			Path: nowhere, Fset: fset, Files: []*ast.File{syntax}, Errors: wrong,
			Sizes: types.SizesFor("gc", runtime.GOARCH), Import: known,
		})
		var files []*plan.File
		for _, pkg := range result.Packages {
			files = append(files, plan.Make(pkg, &result.Problems)...)
		}
		for _, p := range result.Problems.List {
			if file := fset.File(p.Pos); file == nil || p.End.IsValid() && fset.File(p.End) != file {
				t.Fatalf("no position: %+v", p)
			}
			for _, fix := range p.Fixes {
				for _, edit := range fix.Edits {
					if !(p.Pos.IsValid() && edit.Pos <= edit.End && fset.File(edit.End) == fset.File(p.Pos)) {
						t.Fatalf("no position: %+v of %+v", fix, p)
					}
				}
			}
		}
		if result.Problems.Failed() {
			return
		}
		for _, file := range files {
			output, err := emit.File(file)
			if err != nil {
				t.Fatalf("%v\n%s", err, content)
			}
			fits(t, known, content, output)
		}
	})
}

// expands reports whether a method takes an anonymous interface that embeds an instance of a generic one. Where that is
// the interface of the method itself with a larger argument, go/types does not come to an end.
func expands(syntax *ast.File) bool {
	found := false
	ast.PreorderStack(syntax, nil, func(n ast.Node, stack []ast.Node) bool {
		literal, ok := n.(*ast.InterfaceType)
		if !ok || !slices.ContainsFunc(stack, isInterfaceType) {
			return true
		}
		for _, field := range literal.Methods.List {
			switch field.Type.(type) {
			case *ast.IndexExpr, *ast.IndexListExpr:
				found = true
			}
		}
		return true
	})
	return found
}

func isInterfaceType(n ast.Node) bool {
	_, ok := n.(*ast.InterfaceType)
	return ok
}

const nowhere = "example.com/nowhere"

// fits checks that an output type-checks with its source, or beside it if it goes to another package, as far as the
// source does alone.
func fits(t *testing.T, known importer, content, output []byte) {
	fset := token.NewFileSet()
	var errs []error
	var own *types.Package
	cfg := &types.Config{
		Importer: importer(func(importPath string) (*types.Package, error) {
			if importPath == nowhere {
				return own, nil
			}
			return known(importPath)
		}),
		FakeImportC: true,
		Error:       func(err error) { errs = append(errs, err) },
	}
	check := func(importPath string, files ...*ast.File) *types.Package {
		pkg, _ := cfg.Check(importPath, fset, files, nil) // its errors went to cfg.Error
		return pkg
	}
	parse := func(name string, src []byte) *ast.File {
		syntax, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			errs = append(errs, err)
		}
		return syntax
	}
	before := parse("file.go", content)
	if own = check(nowhere, before); len(errs) > 0 {
		return
	}
	if after := parse("file_resil.go", output); after.Name.Name == before.Name.Name {
		check(nowhere, before, after)
	} else {
		check(nowhere+"/"+after.Name.Name, after)
	}
	if len(errs) > 0 {
		t.Fatalf("%v\n%s\n%s", errs, content, output)
	}
}

// seeds adds every Go file of testdata.
func seeds(f *testing.F) {
	paths, err := filepath.Glob("../testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatal(paths, err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".go") && !wanted(file.Name) {
				f.Add(file.Data)
			}
		}
	}
}

// An importer imports packages that were loaded before.
type importer func(importPath string) (*types.Package, error)

func (i importer) Import(importPath string) (*types.Package, error) { return i(importPath) }

// importable loads what the seeds and their outputs import from elsewhere.
func importable(f *testing.F) importer {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedExportFile,
	}, "context", "database/sql", "errors", "fmt", "io", "iter", "net", "net/http", "net/url", "reflect", "slices", "strconv",
		"strings", "sync", "time", "../runtime/...")
	if err != nil {
		f.Fatal(err)
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	for _, pkg := range loaded {
		if len(pkg.Errors) == 0 && pkg.Types != nil && pkg.Types.Complete() {
			known[pkg.PkgPath] = pkg.Types
		}
	}
	return func(importPath string) (*types.Package, error) {
		if pkg := known[importPath]; pkg != nil {
			return pkg, nil
		}
		return nil, source.ErrUnseen
	}
}
