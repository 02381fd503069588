package source

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"go/version"
	"os"
	"runtime"
	"slices"
)

// readSource checks the declarations of a package that does not compile. Its outputs of ours come last: where a stale
// one declares something again, the source counts.
func (e *exports) readSource(p *listed) (*types.Package, error) {
	if s := e.source[p.ImportPath]; s != nil {
		if s.types == nil {
			return nil, fmt.Errorf("import cycle through %s", p.ImportPath)
		}
		return s.types, nil
	}
	s := &sourcePackage{}
	e.source[p.ImportPath] = s
	files, err := e.readFiles(newFiles(p.files()))
	if err != nil {
		delete(e.source, p.ImportPath)
		return nil, err
	}
	s.types = e.checkSource(p, files)
	return s.types, nil
}

// readFiles reads and parses the files, our outputs last.
func (e *exports) readFiles(files []*parsed) ([]*parsed, error) {
	for _, f := range files {
		if f.syntax != nil {
			continue
		}
		src, err := os.ReadFile(f.path)
		if err != nil {
			return nil, err
		}
		f.output = hasHeader(src)
		if err := e.parse(f, src); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(files, func(a, b *parsed) int {
		switch {
		case a.output == b.output:
			return 0
		case a.output:
			return 1
		default:
			return -1
		}
	})
	return files, nil
}

func (e *exports) checkSource(p *listed, files []*parsed) *types.Package {
	cfg := e.config(p, importerFunc(func(importPath string) (*types.Package, error) {
		if mapped := p.ImportMap[importPath]; mapped != "" {
			importPath = mapped
		}
		return e.Import(importPath)
	}))
	cfg.Error = func(err error) { e.cfg.Logf("passed over: %v", err) }
	pkg, _ := cfg.Check(p.ImportPath, e.fset, syntaxOf(files, p.Name), nil) // its errors went to cfg.Error
	return pkg
}

// config returns how a package is checked: declarations only.
func (l *loader) config(p *listed, importer types.Importer) *types.Config {
	cfg := &types.Config{
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Importer:         importer,
		Sizes:            l.sizes,
		GoVersion:        p.goVersion(),
	}
	// go/types refuses a version beyond its own before it checks anything.
	if built := runtime.Version(); cfg.GoVersion != "" && version.IsValid(built) &&
		version.Compare(version.Lang(cfg.GoVersion), version.Lang(built)) > 0 {
		if l.tooNew == nil {
			l.tooNew = &ToolchainError{Package: p.ImportPath, Built: built, Err: errors.New("its go.mod says " + cfg.GoVersion)}
		}
		cfg.GoVersion = ""
	}
	return cfg
}

type importerFunc func(importPath string) (*types.Package, error)

func (f importerFunc) Import(importPath string) (*types.Package, error) { return f(importPath) }

// syntaxOf returns the syntax of the files that are of the package with that name.
func syntaxOf(files []*parsed, name string) []*ast.File {
	var syntax []*ast.File
	for _, f := range files {
		if f.syntax != nil && f.syntax.Name != nil && f.syntax.Name.Name == name {
			syntax = append(syntax, f.syntax)
		}
	}
	return syntax
}
