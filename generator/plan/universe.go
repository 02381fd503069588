package plan

import (
	"go/types"
	"slices"
)

// always are the predeclared names that every wrapper uses.
var always = []string{"bool", "error", "false", "nil", "true"}

// checkUniverse reports predeclared names that the wrapper uses and that its package has for something else. No import
// brings them back.
func (m *maker) checkUniverse(w *wrapper) {
	used := slices.Clone(always)
	note := func(name string) {
		if !slices.Contains(used, name) {
			used = append(used, name)
		}
	}
	for _, method := range w.methods {
		predeclared(method.signature(), note)
	}
	for _, name := range used {
		if at := m.declaredAt(name); at.IsValid() {
			m.errorf(w.in.Spec.Name.Pos(), w.in.Spec.Name.End(), "the wrapper of %s uses the predeclared %s, which means "+
				"something else since it is declared at %s; rename that", w.in.Object.Name(), name, m.line(at))
		}
	}
}

// predeclared notes the names of the universe with which a type is written.
func predeclared(t types.Type, note func(name string)) {
	all := func(list *types.TypeList) {
		for t := range list.Types() {
			predeclared(t, note)
		}
	}
	switch t := t.(type) {
	case *types.Basic:
		if types.Universe.Lookup(t.Name()) != nil {
			note(t.Name())
		}
	case *types.Alias:
		if t.Obj().Pkg() == nil {
			note(t.Obj().Name())
		}
		all(t.TypeArgs())
	case *types.Named:
		if t.Obj().Pkg() == nil {
			note(t.Obj().Name())
		}
		all(t.TypeArgs())
	case *types.Map:
		predeclared(t.Key(), note)
		predeclared(t.Elem(), note)
	case interface{ Elem() types.Type }:
		predeclared(t.Elem(), note)
	case *types.Tuple:
		for v := range t.Variables() {
			predeclared(v.Type(), note)
		}
	case *types.Signature:
		predeclared(t.Params(), note)
		predeclared(t.Results(), note)
	case *types.Struct:
		for field := range t.Fields() {
			predeclared(field.Type(), note)
		}
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			predeclared(method.Type(), note)
		}
		for embedded := range t.EmbeddedTypes() {
			predeclared(embedded, note)
		}
	}
}
