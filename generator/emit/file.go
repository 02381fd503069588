package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

// runtimePath is the import path under which the runtime packages lie.
const runtimePath = "github.com/resilgen/resilgen/runtime/"

// A file is an output file while it is written. Its wrappers are written at the same time.
type file struct {
	plan     *plan.File
	declared []string // the names that its package declares
	imports  *imports
	bodies   map[*plan.Wrapper]map[body]*printer
}

// body identifies function bodies of a wrapper that share their names: its constructor, one of its rules, or what belongs
// to one of its methods.
type body struct {
	method *plan.Method
	rule   string
}

// Files returns what [File] does for each of the plans, in their order.
func Files(plans []*plan.File) ([][]byte, error) {
	files := make([][]byte, len(plans))
	err := each(len(plans), func(i int) (err error) {
		if files[i], err = File(plans[i]); err != nil {
			err = fmt.Errorf("%s: %w", plans[i].Output, err)
		}
		return err
	})
	return files, err
}

// File returns the Go source of a plan, formatted as gofmt does. The same plan gives the same bytes. It fails where the
// plan has a policy that this package can't write, or where what was written is no Go.
func File(p *plan.File) ([]byte, error) {
	home, name := p.Home()
	f := &file{
		plan:     p,
		declared: p.Declared(),
		imports:  newImports(importPath(home)),
		bodies:   map[*plan.Wrapper]map[body]*printer{},
	}
	for _, w := range p.Wrappers {
		f.bodies[w] = map[body]*printer{}
	}
	parts := make([][]byte, len(p.Wrappers))
	write := func(i int) error {
		w, err := newWrapper(f, p.Wrappers[i])
		if err == nil {
			parts[i], err = render(jen.NewFilePathName(home, name), w.declarations())
		}
		return err
	}
	// What a body mentions, which its own names must not hide, is known when it has been written. So is what the file
	// imports. Few bodies have to be written again for that.
	f.handshake()
	if err := each(len(parts), write); err != nil {
		return nil, err
	}
	f.imports.settle(f.reserved())
	err := each(len(parts), func(i int) (err error) {
		if !f.stays(p.Wrappers[i]) {
			if err := write(i); err != nil {
				return err
			}
		}
		parts[i], err = format.Source(parts[i])
		return err
	})
	if err != nil {
		return nil, err
	}

	top := jen.NewFilePathName(home, name)
	top.HeaderComment(source.Header)
	if p.Constraint != "" {
		top.PackageComment("//go:build " + p.Constraint + "\n")
	}
	written, err := render(top, []jen.Code{f.imports.declaration(), f.handshake()})
	if err == nil {
		written, err = format.Source(written)
	}
	if err != nil {
		return nil, err
	}
	clause := []byte("package " + name + "\n")
	for i, part := range parts {
		parts[i] = bytes.TrimPrefix(part, clause)
	}
	return slices.Concat(slices.Insert(parts, 0, written)...), nil
}

// handshake writes the constant that ties the file to the runtime.
func (f *file) handshake() jen.Code {
	return jen.Const().Id("_").Op("=").Id(f.outside().runtime("resil", "GeneratedV1"))
}

// stays reports whether a wrapper that was written before the imports had names is as it would be now.
func (f *file) stays(w *plan.Wrapper) bool {
	if f.imports.renamed {
		return false
	}
	for _, p := range f.bodies[w] {
		if !p.clear(f.imports.all) {
			return false
		}
	}
	return true
}

// render returns the declarations as the content of the file, with a line between them, as yet unformatted.
func render(out *jen.File, declarations []jen.Code) ([]byte, error) {
	out.NoFormat = true
	for i, declaration := range declarations {
		if i > 0 {
			out.Line()
		}
		out.Add(declaration)
	}
	var written bytes.Buffer
	err := out.Render(&written)
	return written.Bytes(), err
}

// reserved returns the scope that import names have to fit into: the package's names, those that the file declares, and
// the predeclared ones, which the file uses as everybody knows them.
func (f *file) reserved() *scope {
	s := newScope(f.declared...)
	s.reserve(predeclared...)
	for _, w := range f.plan.Wrappers {
		s.reserve(w.Name, w.Constructor)
		for _, name := range newTypeParams(w, f.declared).names {
			s.reserve(name)
		}
	}
	return s
}

// outside returns a printer for what stands outside of function bodies, where no name can be hidden.
func (f *file) outside() *printer { return &printer{imports: f.imports} }

// body returns the printer of some bodies of a wrapper, with what they mentioned when they were written before.
func (w *wrapper) body(method *plan.Method, rule string) *printer {
	bodies, key := w.file.bodies[w.plan], body{method, rule}
	p := bodies[key]
	if p == nil {
		p = &printer{imports: w.file.imports, typeParams: w.outside.typeParams, mentioned: map[mention]bool{}}
		bodies[key] = p
	}
	return p
}
