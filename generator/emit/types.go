package emit

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/resilgen/resilgen/generator/plan"
)

// A mention is a name that a body uses and that its own names must not hide: that of an imported package, by its path,
// or one of the package or the universe.
type mention struct{ path, name string }

// A printer writes types and objects as they are spelled in the file.
type printer struct {
	imports    *imports
	typeParams map[*types.TypeParam]string
	mentioned  map[mention]bool // nil outside of bodies
	scopes     []*scope         // of the bodies
	asked      bool             // whether a package is imported, which is not known at first
}

// scope returns the scope of the bodies. The names that they were found to mention are taken, and more.
func (p *printer) scope(more ...string) *scope {
	s := newScope(append(p.names(), more...)...)
	p.scopes = append(p.scopes, s)
	return s
}

// importName returns the name of a package if anything that is written imports it, and else nothing.
func (p *printer) importName(path string) string {
	p.asked = true
	return p.imports.names[path]
}

// clear reports whether no name that the bodies have chosen is one that they mention, or one of others, and whether they
// are the same wherever the file imports more.
func (p *printer) clear(others []string) bool {
	if p.asked {
		return false
	}
	mentioned := append(p.names(), others...)
	return !slices.ContainsFunc(p.scopes, func(s *scope) bool {
		return slices.ContainsFunc(s.chosen, func(name string) bool { return slices.Contains(mentioned, name) })
	})
}

// names returns what the bodies mention, as names of the file.
func (p *printer) names() []string {
	names := []string{"nil"}
	for m := range p.mentioned {
		if m.path != "" {
			names = append(names, p.imports.name(m.path, m.name))
		} else {
			names = append(names, m.name)
		}
	}
	return names
}

// local returns a name of the package or the universe.
func (p *printer) local(name string) string {
	if p.mentioned != nil {
		p.mentioned[mention{name: name}] = true
	}
	return name
}

// qualified returns the name of something in a package.
func (p *printer) qualified(path, pkg, name string) string {
	if path == p.imports.self {
		return p.local(name)
	}
	if p.mentioned != nil {
		p.mentioned[mention{path, pkg}] = true
	}
	return p.imports.name(path, pkg) + "." + name
}

// runtime returns the name of something in one of the runtime packages.
func (p *printer) runtime(pkg, name string) string { return p.qualified(runtimePath+pkg, pkg, name) }

// object returns the name of a package-level object.
func (p *printer) object(object types.Object) string {
	if object.Pkg() == nil {
		return p.local(object.Name())
	}
	return p.qualified(importPath(object.Pkg().Path()), object.Pkg().Name(), object.Name())
}

// importPath returns the path by which a package is imported, which is shorter than its own in a vendor directory.
func importPath(path string) string {
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		return path[i+len("/vendor/"):]
	}
	return path
}

// typ returns the type as it is written in the file. Aliases keep their names.
func (p *printer) typ(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return p.qualified("unsafe", "unsafe", "Pointer")
		}
		return p.local(t.Name())
	case *types.Alias:
		if foreign := t.Obj().Pkg(); foreign != nil && importPath(foreign.Path()) != p.imports.self && !t.Obj().Exported() {
			return p.typ(t.Rhs())
		}
		return p.object(t.Obj()) + p.typeArgs(t.TypeArgs())
	case *types.Named:
		return p.object(t.Obj()) + p.typeArgs(t.TypeArgs())
	case *types.TypeParam:
		if name, ok := p.typeParams[t]; ok {
			return name
		}
		return t.Obj().Name()
	case *types.Pointer:
		return "*" + p.typ(t.Elem())
	case *types.Slice:
		return "[]" + p.typ(t.Elem())
	case *types.Array:
		return "[" + strconv.FormatInt(t.Len(), 10) + "]" + p.typ(t.Elem())
	case *types.Map:
		return "map[" + p.typ(t.Key()) + "]" + p.typ(t.Elem())
	case *types.Chan:
		return p.channel(t)
	case *types.Signature:
		return "func" + p.signature(t)
	case *types.Struct:
		return p.structure(t)
	case *types.Interface:
		return p.interfaceType(t)
	case *types.Union:
		terms := make([]string, t.Len())
		for i := range terms {
			terms[i] = p.typ(t.Term(i).Type())
			if t.Term(i).Tilde() {
				terms[i] = "~" + terms[i]
			}
		}
		return strings.Join(terms, " | ")
	}
	return t.String()
}

func (p *printer) typeArgs(args *types.TypeList) string {
	if args.Len() == 0 {
		return ""
	}
	list := make([]string, args.Len())
	for i := range list {
		list[i] = p.typ(args.At(i))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func (p *printer) channel(t *types.Chan) string {
	elem := p.typ(t.Elem())
	switch t.Dir() {
	case types.SendOnly:
		return "chan<- " + elem
	case types.RecvOnly:
		return "<-chan " + elem
	}
	if strings.HasPrefix(elem, "<-") { // chan <-chan T would be a chan<- of chan T
		elem = "(" + elem + ")"
	}
	return "chan " + elem
}

// signature returns parameters and results of a function type or an interface's method.
func (p *printer) signature(t *types.Signature) string {
	params := p.fields(t.Params(), t.Variadic(), nil)
	text := "(" + strings.Join(params, ", ") + ")"
	results := p.fields(t.Results(), false, nil)
	switch {
	case len(results) == 0:
		return text
	case len(results) == 1 && t.Results().At(0).Name() == "":
		return text + " " + results[0]
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}

// fields returns the entries of a list of parameters or results: with the names given, or else with their own.
// Neighbours of one type are joined, as in (a, b int).
func (p *printer) fields(list *types.Tuple, variadic bool, names []string) []string {
	var fields []string
	last := ""
	for i := range list.Len() {
		name, text := list.At(i).Name(), ""
		if names != nil {
			name = names[i]
		}
		if variadic && i == list.Len()-1 {
			text = "..." + p.typ(list.At(i).Type().(*types.Slice).Elem())
		} else {
			text = p.typ(list.At(i).Type())
		}
		switch {
		case name == "":
			fields = append(fields, text)
		case text == last:
			before := fields[len(fields)-1]
			fields[len(fields)-1] = strings.TrimSuffix(before, " "+text) + ", " + name + " " + text
		default:
			fields = append(fields, name+" "+text)
			last = text
		}
	}
	return fields
}

// types returns the types of a tuple.
func (p *printer) types(list *types.Tuple) []string {
	texts := make([]string, list.Len())
	for i := range texts {
		texts[i] = p.typ(list.At(i).Type())
	}
	return texts
}

func (p *printer) structure(t *types.Struct) string {
	fields := make([]string, t.NumFields())
	for i := range fields {
		field := t.Field(i)
		fields[i] = p.typ(field.Type())
		if !field.Embedded() {
			fields[i] = field.Name() + " " + fields[i]
		}
		if tag := t.Tag(i); tag != "" && strconv.CanBackquote(tag) {
			fields[i] += " `" + tag + "`"
		} else if tag != "" {
			fields[i] += " " + strconv.Quote(tag)
		}
	}
	return braces("struct", fields)
}

func (p *printer) interfaceType(t *types.Interface) string {
	var elements []string
	for method := range t.ExplicitMethods() {
		elements = append(elements, method.Name()+p.signature(method.Signature()))
	}
	for embedded := range t.EmbeddedTypes() {
		elements = append(elements, p.typ(embedded))
	}
	if t.IsImplicit() && len(elements) == 1 { // a constraint such as ~int | ~string
		return elements[0]
	}
	return braces("interface", elements)
}

func braces(keyword string, elements []string) string {
	if len(elements) == 0 {
		return keyword + "{}"
	}
	return keyword + " { " + strings.Join(elements, "; ") + " }"
}

// typeParams are the type parameters of an interface, by the names that they have in the wrapper.
type typeParams struct {
	list  *types.TypeParamList
	names []string
}

// newTypeParams gives them their own names, unless those hide something that is declared in the file or its package.
func newTypeParams(w *plan.Wrapper, declared []string) typeParams {
	generic, ok := w.Interface.Type().(interface{ TypeParams() *types.TypeParamList })
	if !ok || generic.TypeParams().Len() == 0 {
		return typeParams{}
	}
	t := typeParams{list: generic.TypeParams()}
	s := newScope(predeclared...)
	s.reserve(declared...)
	s.reserve(w.Name)
	for param := range t.list.TypeParams() {
		t.names = append(t.names, s.name(param.Obj().Name(), "T"))
	}
	return t
}

// byParam returns the names by parameter.
func (t typeParams) byParam() map[*types.TypeParam]string {
	names := map[*types.TypeParam]string{}
	for i, name := range t.names {
		names[t.list.At(i)] = name
	}
	return names
}

// arguments returns [K, V], or nothing where there are none.
func (t typeParams) arguments() string {
	if len(t.names) == 0 {
		return ""
	}
	return "[" + strings.Join(t.names, ", ") + "]"
}

// declaration returns [K comparable, V any], or nothing where there are none.
func (t typeParams) declaration(p *printer) string {
	if len(t.names) == 0 {
		return ""
	}
	list := make([]string, len(t.names))
	for i, name := range t.names {
		list[i] = name + " " + p.typ(t.list.At(i).Constraint())
	}
	return "[" + strings.Join(list, ", ") + "]"
}
