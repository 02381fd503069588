package plan

import (
	"go/types"

	"github.com/resilgen/resilgen/generator/directive"
)

// forward settles the interfaces that a wrapper implements beside its own, and reports those that it can't.
func (m *maker) forward(w *wrapper, arg *directive.Arg) {
	for _, item := range arg.Value.Items {
		if f := m.forwarded(w, item); f != nil {
			w.plan.Forwards = append(w.plan.Forwards, f)
		}
	}
}

// forwarded returns the interface that an item of forward names, or nil where the wrapper can't have it.
func (m *maker) forwarded(w *wrapper, item directive.Item) *Forward {
	fail := func(format string, args ...any) *Forward {
		m.errorf(item.Pos, itemEnd(item), "forward="+item.Text+": "+format, args...)
		return nil
	}
	obj, err := m.pkg.Resolve(m.pkg.FileOf(item.Pos), item.Text)
	if m.unseen(err) {
		return nil
	}
	if err != nil {
		m.suggest(m.errorf(item.Pos, itemEnd(item), "forward=%s: %v", item.Text, err), item, nearestName(err))
		return nil
	}
	if !m.usable("forward", item, obj) {
		return nil
	}
	name, ok := obj.(*types.TypeName)
	if !ok {
		return fail("%s is %s; name an interface type", item.Text, m.describe(obj))
	}
	iface, ok := name.Type().Underlying().(*types.Interface)
	switch {
	case !ok:
		return fail("%s is a type that is no interface; name an interface type", item.Text)
	case isGeneric(name.Type()):
		return fail("%s is generic; declare an interface that embeds it with its type arguments, and name that", item.Text)
	case !iface.IsMethodSet():
		return fail("%s is a constraint, which no value can be asked for; name an interface of methods alone", item.Text)
	case iface.NumMethods() == 0:
		return fail("%s has no methods; remove it", item.Text)
	}
	own := w.in.Object.Type().Underlying().(*types.Interface)
	if types.Implements(own, iface) {
		return fail("%s has all its methods already; remove it", w.in.Object.Name())
	}
	f := &Forward{Interface: name}
	for method := range iface.Methods() {
		if !method.Exported() {
			return fail("its method %s is not exported, so that only its own package can implement it; name another "+
				"interface", method.Name())
		}
		if m.methodOf(own, method.Name()) != nil {
			return fail("%s has a method %s of its own; name an interface without it", w.in.Object.Name(), method.Name())
		}
		for _, before := range w.plan.Forwards {
			if before.Interface == name {
				return fail("it is listed twice; remove one of them")
			}
			if m.methodOf(before.Interface.Type(), method.Name()) != nil {
				return fail("%s has a method %s too; list one of them", m.typeText(before.Interface.Type()), method.Name())
			}
		}
		f.Methods = append(f.Methods, &Method{Func: method, Context: Context{Param: -1}})
	}
	return f
}

func isGeneric(t types.Type) bool {
	generic, ok := t.(interface {
		TypeParams() *types.TypeParamList
		TypeArgs() *types.TypeList
	})
	return ok && generic.TypeParams().Len() > generic.TypeArgs().Len()
}

// embedsForeign reports whether an interface embeds one of another package, error not counted.
func embedsForeign(object *types.TypeName) bool {
	iface := object.Type().Underlying().(*types.Interface)
	for embedded := range iface.EmbeddedTypes() {
		if named, ok := types.Unalias(embedded).(*types.Named); ok && named.Obj().Pkg() != nil &&
			named.Obj().Pkg() != object.Pkg() {
			return true
		}
	}
	return false
}
