package emit

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

// runtimePath is the import path under which the runtime packages lie.
const runtimePath = "github.com/resilgen/resilgen/runtime/"

// A file is an output file while it is written.
type file struct {
	plan    *plan.File
	imports *imports
	bodies  map[bodies]*printer
}

// bodies identifies function bodies that share their names: a wrapper's constructor, one of its rules, or what belongs
// to one of its methods.
type bodies struct {
	wrapper *plan.Wrapper
	method  *plan.Method
	rule    string
}

// File returns the Go source of a plan, formatted as gofmt does. The same plan gives the same bytes. It fails where the
// plan has a policy that this package can't write, or where what was written is no Go.
func File(p *plan.File) ([]byte, error) {
	home, name := p.Home()
	f := &file{plan: p, imports: newImports(importPath(home)), bodies: map[bodies]*printer{}}
	if _, err := f.declarations(); err != nil {
		return nil, err
	}
	f.imports.settle(f.reserved())
	declarations, err := f.declarations()
	if err != nil {
		return nil, err
	}

	out := jen.NewFilePathName(home, name)
	out.HeaderComment(source.Header)
	if p.Constraint != "" {
		out.PackageComment("//go:build " + p.Constraint + "\n")
	}
	out.Add(f.imports.declaration())
	for _, declaration := range declarations {
		out.Line().Add(declaration)
	}
	var written bytes.Buffer
	if err := out.Render(&written); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(p.Output), err)
	}
	return written.Bytes(), nil
}

// declarations writes everything below the imports.
func (f *file) declarations() ([]jen.Code, error) {
	outside := f.outside()
	code := []jen.Code{jen.Const().Id("_").Op("=").Id(outside.runtime("resil", "GeneratedV1"))}
	for _, p := range f.plan.Wrappers {
		w, err := newWrapper(f, p)
		if err != nil {
			return nil, err
		}
		code = append(code, w.declarations()...)
	}
	return code, nil
}

// reserved returns the scope that import names have to fit into: the package's names, those that the file declares, and
// the predeclared ones, which the file uses as everybody knows them.
func (f *file) reserved() *scope {
	s := newScope(f.plan.Declared()...)
	s.reserve(predeclared...)
	for _, w := range f.plan.Wrappers {
		s.reserve(w.Name, w.Constructor)
		for _, name := range newTypeParams(w, f.plan.Declared()).names {
			s.reserve(name)
		}
	}
	return s
}

// outside returns a printer for what stands outside of function bodies, where no name can be hidden.
func (f *file) outside() *printer { return &printer{imports: f.imports} }

// body returns the printer of some bodies of a wrapper, with what they mentioned when they were written before.
func (w *wrapper) body(method *plan.Method, rule string) *printer {
	key := bodies{w.plan, method, rule}
	p := w.file.bodies[key]
	if p == nil {
		p = &printer{imports: w.file.imports, typeParams: w.outside.typeParams, mentioned: map[mention]bool{}}
		w.file.bodies[key] = p
	}
	return p
}
