package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"unicode"
	"unicode/utf8"

	"github.com/resilgen/resilgen/generator/directive"
)

// A standIn stands for a wrapper that this run is about to write, or to write anew: the signatures of another annotated
// package may name it before it exists. It is declared where its package is imported, if it is not there.
type standIn struct {
	name   string
	params int // how many type parameters it has
}

// A planned package is one that wrappers are written to.
type planned struct {
	name     string
	standIns []standIn
}

// WrapperName returns the name of an interface's wrapper where nothing else says it.
func WrapperName(of string) string {
	prefix := "resilient"
	if token.IsExported(of) {
		prefix = "Resilient"
	}
	r, size := utf8.DecodeRuneInString(of)
	return prefix + string(unicode.ToUpper(r)) + of[size:]
}

// plan notes the wrappers that the directives of a root ask for. Whether they can be written is found out later.
func (l *loader) plan(d *directory) {
	for _, f := range d.source {
		if !f.annotated() || f.syntax == nil {
			continue
		}
		marks := map[*ast.CommentGroup][]mark{}
		for _, m := range f.marks {
			marks[m.group] = append(marks[m.group], m)
		}
		for _, spec := range typeSpecs(f) {
			if isInterface(spec.spec) && spec.annotated(marks) {
				l.planWrapper(d, spec, marks)
			}
		}
	}
}

func (l *loader) planWrapper(d *directory, spec declared, marks map[*ast.CommentGroup][]mark) {
	path, name, out := d.ImportPath, d.Name, l.cfg.Out
	s := standIn{name: WrapperName(spec.spec.Name.Name), params: spec.spec.TypeParams.NumFields()}
	for _, m := range marks[spec.doc()] {
		if m.directive == nil || m.directive.Spec.Name != "wrapper" {
			continue
		}
		s.name, out = word(m.directive, "name", s.name), word(m.directive, "out", out)
	}
	if out != "" {
		t, err := l.target(d.listed, out)
		if err != nil {
			return // reported when the plan is made
		}
		if t != nil {
			path, name = t.Path, t.Name
		}
	}
	p := l.planned[path]
	if p == nil {
		p = &planned{name: name}
		l.planned[path] = p
	}
	p.standIns = append(p.standIns, s)
}

// word returns the value of an argument that is one word.
func word(d *directive.Directive, key, otherwise string) string {
	if arg := d.Arg(key); arg != nil && len(arg.Value.Items) > 0 {
		return arg.Value.Items[0].Text
	}
	return otherwise
}

// annotated reports whether a type or one of its methods has a directive.
func (d declared) annotated(marks map[*ast.CommentGroup][]mark) bool {
	if len(marks[d.doc()]) > 0 {
		return true
	}
	for _, field := range methodFields(d.spec) {
		if len(marks[field.Doc]) > 0 || len(marks[field.Comment]) > 0 {
			return true
		}
	}
	return false
}

// withStandIns declares the wrappers that are planned for an imported package in it. Of a package that does not exist yet
// they are all.
func (e *exports) withStandIns(importPath string, pkg *types.Package, err error) (*types.Package, error) {
	p := e.planned[importPath]
	if p == nil || err != nil && e.listed[importPath] != nil && len(e.listed[importPath].files()) > 0 {
		return pkg, err
	}
	if err != nil {
		if pkg = e.read[importPath]; pkg == nil {
			pkg = types.NewPackage(importPath, p.name)
			e.read[importPath] = pkg
		}
		pkg.MarkComplete()
	}
	for _, s := range p.standIns {
		if pkg.Scope().Lookup(s.name) != nil {
			continue
		}
		named := types.NewNamed(types.NewTypeName(token.NoPos, pkg, s.name, nil), types.NewStruct(nil, nil), nil)
		var params []*types.TypeParam
		for range s.params {
			name := types.NewTypeName(token.NoPos, pkg, "_", nil)
			params = append(params, types.NewTypeParam(name, types.Universe.Lookup("any").Type()))
		}
		named.SetTypeParams(params)
		pkg.Scope().Insert(named.Obj())
	}
	return pkg, nil
}
