package plan

import (
	"go/types"
)

// keep settles which result keeps the context of a time limiter until it is closed, and reports results that are read
// later and can't.
func (m *maker) keep(layer *Layer, method *method, d placed) {
	results := method.signature().Results()
	remedy := "remove the timelimiter"
	if d.level != onMethod {
		remedy = "write skip timelimiter on " + method.name()
	}
	for i := range results.Len() - 1 {
		t := results.At(i).Type()
		if body := m.body(t, i); body != nil {
			if layer.Keep != nil {
				m.errorf(d.Pos, d.End, "timelimiter can keep the context of %s for one result that is read later, and it has "+
					"two; return one, or %s", method.name(), remedy)
			}
			layer.Keep = body
			continue
		}
		if m.lazy(t) && handsContext(method.plan.Context) {
			m.errorf(d.Pos, d.End, "timelimiter ends the context of %s when it returns, and its result %s is used after that; "+
				"return what has been read, or an io.ReadCloser, or %s", method.name(), m.typeText(t), remedy)
		}
	}
}

// handsContext reports whether a context can be handed to the call.
func handsContext(c Context) bool { return c.Param >= 0 && (len(c.Steps) == 0 || c.Rebind) }

// describeResults notes what is worth knowing of the method's results.
func (m *maker) describeResults(w *wrapper, method *method) {
	for result := range method.signature().Results().Variables() {
		t := result.Type()
		method.plan.Read = method.plan.Read || m.body(t, 0) != nil || m.lazy(t)
		method.plan.Same = method.plan.Same || isOf(t, w.in.Object)
	}
}

// isOf reports whether t, or what it lists, is of the type of that name, with whatever type arguments.
func isOf(t types.Type, object *types.TypeName) bool {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		return isOf(slice.Elem(), object)
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Origin().Obj() == object
}

// body returns the io.ReadCloser that a result is, or that it has as its field Body; nil where there is none. What has a
// Close of its own is no such result.
func (m *maker) body(t types.Type, i int) *Body {
	if isNamed(t, "io", "ReadCloser") {
		return &Body{Result: i}
	}
	under := t.Underlying()
	pointer, isPointer := under.(*types.Pointer)
	if isPointer {
		under = pointer.Elem().Underlying()
	}
	if _, ok := under.(*types.Struct); !ok || m.methodOf(t, "Close") != nil {
		return nil
	}
	found, index, _ := types.LookupFieldOrMethod(t, true, m.pkg.Types, "Body")
	if field, ok := found.(*types.Var); ok && len(index) == 1 && isNamed(field.Type(), "io", "ReadCloser") {
		return &Body{Result: i, Field: true, Pointer: isPointer}
	}
	return nil
}

// lazy reports whether values of type t, or what they list, are used up by their receiver over time: channels, iterators,
// and what has the methods by which rows and streams are read or ended, itself or in its field Body.
func (m *maker) lazy(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return u.Dir() != types.SendOnly
	case *types.Slice:
		return m.lazy(u.Elem())
	case *types.Array:
		return m.lazy(u.Elem())
	}
	if isIterator(t) {
		return true
	}
	for _, name := range []string{"Close", "CloseSend", "Recv", "Next"} {
		if m.methodOf(t, name) != nil {
			return true
		}
	}
	found, _, _ := types.LookupFieldOrMethod(t, true, m.pkg.Types, "Body")
	field, ok := found.(*types.Var)
	return ok && m.methodOf(field.Type(), "Close") != nil
}

// methodOf returns a method of a variable of type t, or nil.
func (m *maker) methodOf(t types.Type, name string) *types.Func {
	found, _, _ := types.LookupFieldOrMethod(t, true, m.pkg.Types, name)
	fn, _ := found.(*types.Func)
	return fn
}

// drop says how a result is closed that nobody will see, and whether it is.
func (m *maker) drop(t types.Type, i int) (Drop, bool) {
	if body := m.body(t, i); body != nil && body.Field {
		return Drop{Body: body, Result: i}, true
	}
	fn := m.methodOf(t, "Close")
	if fn == nil || fn.Signature().Params().Len() > 0 || fn.Signature().Results().Len() > 1 {
		return Drop{}, false
	}
	_, isParam := types.Unalias(t).(*types.TypeParam)
	return Drop{Result: i, Close: fn, Nilable: !isParam && nilable(t)}, true
}

// nilable reports whether nil is a value of t.
func nilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice, *types.Chan, *types.Signature:
		return true
	}
	return false
}
