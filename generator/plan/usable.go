package plan

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// importable reports whether the package importer may import a package, as far as internal packages go.
func importable(path, importer string) bool {
	parent := internalTo(path)
	importer = strings.TrimSuffix(importer, "_test")
	return parent == "" || importer == parent || strings.HasPrefix(importer, parent+"/") ||
		parent == "std" && !strings.Contains(strings.Split(importer, "/")[0], ".")
}

// internalTo returns the package below which an internal package can be imported; empty for a package that is not internal.
func internalTo(path string) string {
	if strings.HasPrefix(path, "internal/") {
		return "std"
	}
	if i := strings.LastIndex(path+"/", "/internal/"); i >= 0 {
		return path[:i]
	}
	return ""
}

// A flaw is what keeps a package from using something.
type flaw struct {
	why string // what it is, as in "which is not exported"
	own bool   // the interface's package can change that
}

// flawOf returns what keeps the wrapper's package from using a package-level object, a field or a method by its name; nil
// where nothing does.
func (m *maker) flawOf(obj types.Object) *flaw {
	switch pkg := obj.Pkg(); {
	case pkg == nil || pkg.Path() == m.home():
		return nil
	case !obj.Exported():
		return &flaw{"not exported", pkg == m.pkg.Types}
	case obj.Parent() == pkg.Scope() && !importable(pkg.Path(), m.home()):
		return &flaw{"of an internal package that " + m.home() + " can't import", false}
	}
	return nil
}

// typeFlaw returns what keeps the wrapper's package from writing a type, and of what the type is made; nil where nothing
// does. An alias that can be written stands for itself.
func (m *maker) typeFlaw(t types.Type) (what string, found *flaw) {
	list := func(types ...types.Type) (string, *flaw) {
		for _, t := range types {
			if what, found := m.typeFlaw(t); found != nil {
				return what, found
			}
		}
		return "", nil
	}
	switch t := t.(type) {
	case *types.Alias:
		if pkg := t.Obj().Pkg(); pkg != nil && pkg.Path() != m.home() && !t.Obj().Exported() {
			return m.typeFlaw(t.Rhs())
		}
		if found := m.flawOf(t.Obj()); found != nil {
			return m.typeText(t), found
		}
		return list(slices.Collect(t.TypeArgs().Types())...)
	case *types.Named:
		if found := m.flawOf(t.Obj()); found != nil {
			return m.typeText(t), found
		}
		return list(slices.Collect(t.TypeArgs().Types())...)
	case *types.Pointer:
		return m.typeFlaw(t.Elem())
	case *types.Slice:
		return m.typeFlaw(t.Elem())
	case *types.Array:
		return m.typeFlaw(t.Elem())
	case *types.Chan:
		return m.typeFlaw(t.Elem())
	case *types.Map:
		return list(t.Key(), t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if what, found := m.typeFlaw(v.Type()); found != nil {
				return what, found
			}
		}
	case *types.Signature:
		return list(t.Params(), t.Results())
	case *types.Struct:
		for field := range t.Fields() {
			if found := m.flawOf(field); found != nil {
				return "a struct with field " + field.Name(), found
			}
			if what, found := m.typeFlaw(field.Type()); found != nil {
				return what, found
			}
		}
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			if found := m.flawOf(method); found != nil {
				return "an interface with method " + method.Name(), found
			}
			if what, found := m.typeFlaw(method.Type()); found != nil {
				return what, found
			}
		}
		return list(slices.Collect(t.EmbeddedTypes())...)
	case *types.Union:
		for term := range t.Terms() {
			if what, found := m.typeFlaw(term.Type()); found != nil {
				return what, found
			}
		}
	}
	return "", nil
}

// checkWritable reports types of the interface that the wrapper's package can't write.
func (m *maker) checkWritable(w *wrapper) {
	name := w.in.Spec.Name
	if generic, ok := w.in.Object.Type().(interface{ TypeParams() *types.TypeParamList }); ok {
		for param := range generic.TypeParams().TypeParams() {
			if what, found := m.typeFlaw(param.Constraint()); found != nil {
				m.errorf(name.Pos(), name.End(), "type parameter %s of %s is constrained by %s, which is %s; %s",
					param.Obj().Name(), name.Name, what, found.why, m.remedy(found))
			}
		}
	}
	for _, method := range w.methods {
		fn, pos, end := method.in.Func, method.in.Pos, method.in.Pos+token.Pos(len(method.name()))
		subject, foreign := "method "+fn.Name(), fn.Pkg() != nil && fn.Pkg() != m.pkg.Types // error has Error from none
		if foreign {
			subject += ", which " + name.Name + " has from package " + fn.Pkg().Path() + ","
			pos, end = name.Pos(), name.End()
		}
		remedy := m.remedy
		if foreign {
			remedy = func(*flaw) string { return "embed only the methods that you use" }
		}
		if found := m.flawOf(fn); found != nil {
			m.errorf(pos, end, "%s is %s, so no type of package %s can have it; %s", subject, found.why,
				w.place.target.Name, remedy(found))
		} else if what, found := m.typeFlaw(fn.Type()); found != nil {
			m.errorf(pos, end, "%s uses %s, which is %s; %s", subject, what, found.why, remedy(found))
		}
	}
	for _, f := range w.plan.Forwards {
		for _, method := range f.Methods {
			if what, found := m.typeFlaw(method.Func.Type()); found != nil {
				arg := w.own.Arg("forward")
				m.errorf(arg.Pos, arg.End, "method %s of %s uses %s, which is %s; name an interface without it",
					method.Func.Name(), m.typeText(f.Interface.Type()), what, found.why)
			}
		}
	}
}

// remedy says what to do about a flaw.
func (m *maker) remedy(found *flaw) string {
	var remedies []string
	if found.own {
		remedies = append(remedies, "export it")
	} else {
		remedies = append(remedies, "use another one")
	}
	if m.elsewhere() {
		remedies = append(remedies, m.current.place.stay)
	}
	return joinOr(remedies)
}

// usable reports whether the wrapper's package can use what an item names, and reports if it can't.
func (m *maker) usable(use string, item directive.Item, obj types.Object) bool {
	if m.current == nil {
		return true
	}
	fail := func(format string, args ...any) bool {
		m.errorf(item.Pos, itemEnd(item), "%s=%s: %s", use, item.Text, fmt.Sprintf(format, args...))
		return false
	}
	if found := m.flawOf(obj); found != nil {
		return fail("%s is %s; %s", obj.Name(), found.why, m.remedy(found))
	}
	ok := true
	if m.elsewhere() && obj.Pkg() != nil && obj.Pkg() != m.pkg.Types && obj.Pkg().Path() != m.home() {
		m.checkChain(obj.Pkg().Path(), func(chain string) {
			ok = fail("%s would be an import cycle; name something of another package, or %s", chain, m.current.place.stay)
		})
	}
	return ok
}
