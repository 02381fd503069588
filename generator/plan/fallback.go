package plan

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// A candidate is a fallback function that a list names, with what it answers.
type candidate struct {
	directive.Item
	fn    Func
	form  Form
	param types.Type
	on    []errorItem // nil where the parameter says what it answers
}

// buildFallbacks makes the fallbacks of a method: the fallback directives' first, then those of the policies from the
// outside in.
func (m *maker) buildFallbacks(w *wrapper, method *method) {
	var around []*candidate
	for _, d := range method.fallbacks {
		around = append(around, m.candidates(w, method, d, d.Arg("use"), d.Arg("on"))...)
	}
	name := w.plan.Label + "." + method.name()
	for i, d := range method.chain {
		arg := d.Arg("fallback")
		if arg == nil {
			continue
		}
		found := m.candidates(w, method, d, arg, nil)
		if d.Arg("fallbackAt") != nil {
			method.plan.Chain[i].Fallback = m.pick(name+"."+d.Spec.Name, found)
			continue
		}
		around = append(around, found...)
	}
	method.plan.Fallback = m.pick(name, around)
}

// candidates resolves the functions of a list and checks that they fit the method.
func (m *maker) candidates(w *wrapper, method *method, d placed, use, on *directive.Arg) []*candidate {
	if use == nil {
		return nil // reported when it was parsed
	}
	if on != nil && len(use.Value.Items) > 1 {
		m.errorf(on.Pos, on.End, "on with %d functions in use; write a fallback directive for each function with its own on",
			len(use.Value.Items))
		return nil
	}
	var list []*candidate
	for _, item := range use.Value.Items {
		c := m.candidate(w, method, d, use.Key.Name, item)
		if c == nil {
			continue
		}
		if on != nil {
			if c.on = m.errorItems(on); len(c.on) == 0 || !m.checkOn(c) {
				continue
			}
		}
		list = append(list, c)
	}
	return list
}

// candidate resolves one function: a method of the wrapper's fallbacks type if it has one of that name, or else a
// function.
func (m *maker) candidate(w *wrapper, method *method, d placed, use string, item directive.Item) *candidate {
	sig := method.signature()
	want := m.forms(sig)
	fn, fnSig := m.fallbackMethod(w, item)
	c := &candidate{Item: item, fn: Func{Object: fn, Method: fn != nil}}
	if fn == nil {
		if c.fn.Object = m.fallbackFunction(w, use, item, want[0]); c.fn.Object == nil {
			return nil
		}
		fnSig = c.fn.Object.Type().(*types.Signature)
	}
	if fnSig.TypeParams().Len() > 0 {
		if fnSig = m.inferFallback(c.fn.Object, sig); fnSig == nil {
			m.errorf(item.Pos, itemEnd(item), "%s=%s: %s is generic and its type arguments can't be inferred%s; it must be %s",
				use, item.Text, item.Text, d.suffix(method), joinOr(want))
			return nil
		}
	}
	var ok bool
	if c.form, c.param, ok = fit(fnSig, sig); !ok {
		m.errorf(item.Pos, itemEnd(item), "%s=%s: %s is %s%s; it must be %s%s", use, item.Text, item.Text,
			m.signatureText(fnSig), m.misfit(fnSig, sig), joinOr(want), d.suffix(method))
		return nil
	}
	if c.fn.Method && !m.usable(use, item, c.fn.Object) {
		return nil
	}
	if c.param != nil {
		if what, found := m.typeFlaw(c.param); found != nil {
			m.errorf(item.Pos, itemEnd(item), "%s=%s: %s takes %s, which is %s; %s", use, item.Text, item.Text, what, found.why,
				m.remedy(found))
			return nil
		}
	}
	return c
}

// fallbackMethod returns the method of the wrapper's fallbacks type that item names, or nil. A method goes before a
// function of the same name: who names a type for the fallbacks looks there first.
func (m *maker) fallbackMethod(w *wrapper, item directive.Item) (*types.Func, *types.Signature) {
	if w.plan.Fallbacks == nil || !token.IsIdentifier(item.Text) {
		return nil, nil
	}
	selection := types.NewMethodSet(w.plan.Fallbacks).Lookup(m.pkg.Types, item.Text)
	if selection == nil {
		return nil, nil
	}
	w.fallbacksUsed = true
	return selection.Obj().(*types.Func), selection.Type().(*types.Signature)
}

func (m *maker) fallbackFunction(w *wrapper, use string, item directive.Item, want string) *types.Func {
	if w.plan.Fallbacks == nil && w.own != nil && w.own.Arg("fallbacks") != nil && token.IsIdentifier(item.Text) &&
		m.pkg.Types.Scope().Lookup(item.Text) == nil {
		return nil // the type that may have the method is what is wrong
	}
	if w.plan.Fallbacks == nil || m.pkg.Types.Scope().Lookup(item.Text) != nil {
		return m.function(use, item, want, m.functionNames())
	}
	pointer := types.NewMethodSet(types.NewPointer(w.plan.Fallbacks))
	if pointer.Lookup(m.pkg.Types, item.Text) != nil {
		name := m.typeText(w.plan.Fallbacks)
		m.errorf(item.Pos, itemEnd(item), "%s=%s: method %s of %s has a pointer receiver; write //resil:wrapper fallbacks=*%s",
			use, item.Text, item.Text, name, name)
		return nil
	}
	candidates := m.functionNames()
	for selection := range types.NewMethodSet(w.plan.Fallbacks).Methods() {
		candidates = append(candidates, selection.Obj().Name())
	}
	return m.function(use, item, want, candidates)
}

// fit says in which form a function serves as fallback of a method, and the type of its error parameter. One parameter
// that is an error means the error of the call, also where the method takes one error.
func fit(fn, method *types.Signature) (form Form, param types.Type, ok bool) {
	if fn.Results().Len() != method.Results().Len() || !begins(fn.Results(), method.Results()) {
		return 0, nil, false
	}
	n, count := method.Params().Len(), fn.Params().Len()
	switch {
	case count == 1 && !fn.Variadic() && isError(fn.Params().At(0).Type()):
		return ErrorOnly, fn.Params().At(0).Type(), true
	case count == n+1 && !fn.Variadic() && begins(fn.Params(), method.Params()):
		param := fn.Params().At(n).Type()
		return ParamsAndError, param, isError(param)
	case count == n && fn.Variadic() == method.Variadic() && begins(fn.Params(), method.Params()):
		return ParamsOnly, nil, true
	}
	return 0, nil, false
}

// begins reports whether the types of a, which are at least as many, begin with those of b.
func begins(a, b *types.Tuple) bool {
	for i := range b.Len() {
		if !types.Identical(a.At(i).Type(), b.At(i).Type()) {
			return false
		}
	}
	return true
}

// inferFallback returns the signature that a generic function has as fallback of a method, or nil.
func (m *maker) inferFallback(fn *types.Func, method *types.Signature) *types.Signature {
	params := fn.Type().(*types.Signature).Params()
	if params.Len() == 0 {
		return nil
	}
	var given []types.Type
	for param := range method.Params().Variables() {
		given = append(given, param.Type())
	}
	last := params.At(params.Len() - 1).Type()
	calls := []struct {
		args     []types.Type
		variadic bool
	}{
		{append(slices.Clip(given), last), false},
		{given, method.Variadic()},
	}
	for _, call := range calls {
		if sig := m.inferred(fn, call.args, call.variadic); sig != nil {
			if _, _, ok := fit(sig, method); ok {
				return sig
			}
		}
	}
	return nil
}

// misfit says more of a function that does not fit where its error parameter is the likely reason.
func (m *maker) misfit(fn, method *types.Signature) string {
	count := fn.Params().Len()
	if count == 0 || fn.Variadic() || count != 1 && count != method.Params().Len()+1 {
		return ""
	}
	last := fn.Params().At(count - 1).Type()
	switch {
	case isError(last):
	case types.IsInterface(last):
		return ", whose last parameter is an interface without Error() string, so that no error is sure to fit it"
	case isError(types.NewPointer(last)):
		return ", whose last parameter is no error, as *" + m.typeText(last) + " would be"
	}
	return ""
}

// forms returns the signatures that a fallback of a method may have, for messages.
func (m *maker) forms(method *types.Signature) []string {
	var params []*types.Var
	named, label := true, "err"
	for param := range method.Params().Variables() {
		named = named && param.Name() != "" && param.Name() != "_"
		params = append(params, types.NewParam(token.NoPos, m.pkg.Types, param.Name(), param.Type()))
		if param.Name() == label {
			label = "failure"
		}
	}
	if !named {
		label = ""
		params = slices.Collect(unnamed(method.Params()).Variables())
	}
	failure := func(label string) *types.Var { return types.NewParam(token.NoPos, m.pkg.Types, label, errorType) }
	alone := failure("err")
	if !named {
		alone = failure("")
	}
	var texts []string
	add := func(params []*types.Var, variadic bool) {
		sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), unnamed(method.Results()), variadic)
		text := m.typeText(sig)
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	add(append(slices.Clip(params), failure(label)), false)
	add([]*types.Var{alone}, false)
	if len(params) != 1 || !isError(params[0].Type()) {
		add(params, method.Variadic())
	}
	return texts
}

// checkOn reports items of an on list that the function's error parameter can't take.
func (m *maker) checkOn(c *candidate) bool {
	if c.param == nil || types.Identical(c.param, errorType) {
		return true
	}
	ok := true
	for _, item := range c.on {
		for _, match := range item.matches {
			if match.Type != nil && types.AssignableTo(match.Type, c.param) {
				continue
			}
			m.errorf(item.Pos, itemEnd(item.Item), "on=%s: %s takes %s, which not every such error is; list error types that "+
				"fit it, or give %s an error parameter of type error", item.Text, c.Text, m.typeText(c.param), c.Text)
			ok = false
			break
		}
	}
	return ok
}

// fallbacksType returns the type whose methods serve as fallbacks of the wrapper. A generic type gets the type
// parameters of the interface.
func (m *maker) fallbacksType(w *wrapper, arg *directive.Arg) types.Type {
	fail := func(format string, args ...any) types.Type {
		m.errorf(arg.Pos, arg.End, "fallbacks="+arg.Text+": "+format, args...)
		return nil
	}
	name, pointer := strings.CutPrefix(text(arg), "*")
	obj, err := m.pkg.Resolve(m.pkg.FileOf(arg.Pos), name)
	if m.unseen(err) {
		return nil
	}
	if err != nil {
		return fail("%v", err)
	}
	if !m.usable("fallbacks", arg.Value.Items[0], obj) {
		return nil
	}
	typeName, ok := obj.(*types.TypeName)
	if !ok {
		return fail("%s is %s; name a type whose methods are the fallbacks", name, m.describe(obj))
	}
	t := typeName.Type()
	if generic, ok := t.(*types.Named); ok && generic.TypeParams().Len() > 0 {
		if t = instantiate(generic, w.in.Object.Type()); t == nil {
			return fail("%s is generic and does not take the type parameters of %s; name a type that does, or one "+
				"without type parameters", name, w.in.Object.Name())
		}
	}
	if pointer {
		if types.IsInterface(t) {
			return fail("%s is an interface type; write it without *", name)
		}
		t = types.NewPointer(t)
	}
	if types.NewMethodSet(t).Len() == 0 {
		if !pointer && types.NewMethodSet(types.NewPointer(t)).Len() > 0 {
			return fail("the methods of %s have pointer receivers; write fallbacks=*%s", name, name)
		}
		return fail("%s has no methods; name a type whose methods are the fallbacks", name)
	}
	return t
}

// instantiate returns the generic type with the type parameters of the interface as its arguments, or nil where they do
// not fit.
func instantiate(generic *types.Named, iface types.Type) types.Type {
	named, ok := iface.(*types.Named)
	if !ok || named.TypeParams().Len() != generic.TypeParams().Len() {
		return nil
	}
	var args []types.Type
	for param := range named.TypeParams().TypeParams() {
		args = append(args, param)
	}
	t, err := types.Instantiate(types.NewContext(), generic, args, true)
	if err != nil {
		return nil
	}
	return t
}
