package analyzer

import (
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

// Analyzer reports what is wrong with the resil annotations of a package.
var Analyzer = &analysis.Analyzer{
	Name: "resil",
	Doc:  doc,
	URL:  "https://pkg.go.dev/github.com/resilgen/resilgen/generator/analyzer",
	Run:  run,
	// A package that does not compile is checked as the generator checks it.
	RunDespiteErrors: true,
}

func run(pass *analysis.Pass) (any, error) {
	result := source.FromFiles(source.Parsed{
		Path:      pass.Pkg.Path(),
		Fset:      pass.Fset,
		Files:     pass.Files,
		GoVersion: pass.Pkg.GoVersion(),
		Sizes:     pass.TypesSizes,
		Import:    importer(pass),
	})
	for _, pkg := range result.Packages {
		plan.Make(pkg, &result.Problems)
	}
	for _, p := range directive.Sort(pass.Fset, result.Problems.List) {
		pass.Report(diagnostic(pass, p))
	}
	return nil, nil
}

// importer returns the packages that the files import, by the paths that they write, and beside these what lies below
// them and is known as a whole.
func importer(pass *analysis.Pass) func(importPath string) (*types.Package, error) {
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	var add func(pkg *types.Package)
	add = func(pkg *types.Package) {
		if known[pkg.Path()] != nil || !pkg.Complete() {
			return
		}
		known[pkg.Path()] = pkg
		for _, imported := range pkg.Imports() {
			add(imported)
		}
	}
	for _, imported := range pass.Pkg.Imports() {
		add(imported)
	}
	for _, file := range pass.Files {
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				if name := pass.TypesInfo.PkgNameOf(spec); name != nil {
					known[path] = name.Imported() // under its path in the source, which vendoring may change
				}
			}
		}
	}
	return func(importPath string) (*types.Package, error) {
		if pkg := known[importPath]; pkg != nil {
			return pkg, nil
		}
		return nil, source.ErrUnseen
	}
}

// diagnostic converts a problem.
func diagnostic(pass *analysis.Pass, p directive.Problem) analysis.Diagnostic {
	d := analysis.Diagnostic{Pos: p.Pos, End: p.End, Message: p.Message}
	if p.Warning {
		d.Category, d.Message = "warning", "warning: "+p.Message
	}
	for _, fix := range p.Fixes {
		suggested := analysis.SuggestedFix{Message: fix.Message}
		for _, edit := range fix.Edits {
			if !inPlace(pass, edit) {
				return d
			}
			suggested.TextEdits = append(suggested.TextEdits, analysis.TextEdit{
				Pos: edit.Pos, End: edit.End, NewText: []byte(edit.NewText),
			})
		}
		d.SuggestedFixes = append(d.SuggestedFixes, suggested)
	}
	return d
}

// inPlace reports whether an edit is of the file that it seems to be of, and not of what cgo has made of that.
func inPlace(pass *analysis.Pass, edit directive.Edit) bool {
	return pass.Fset.PositionFor(edit.Pos, false) == pass.Fset.PositionFor(edit.Pos, true)
}
