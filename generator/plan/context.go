package plan

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
	"unicode"

	"github.com/resilgen/resilgen/generator/directive"
)

// findContext says where the method's context is: the first parameter of type context.Context, or what the ctx directive
// says.
func (m *maker) findContext(method *method) {
	ctx := method.ctx
	for i := range method.signature().Params().Len() {
		if !isContext(method.signature().Params().At(i).Type()) {
			continue
		}
		method.plan.Context = Context{Param: i}
		if ctx != nil && ctx.level == onMethod {
			m.errorf(ctx.Pos, ctx.End, "ctx is not needed: parameter %d of %s is a context.Context; remove it",
				i, method.name())
		}
		return
	}
	if ctx == nil {
		return
	}
	if !method.protected() {
		if ctx.level == onMethod {
			m.errorf(ctx.Pos, ctx.End, "ctx does nothing: %s has no policy and no fallback; add one, or remove it",
				method.name())
		}
		return
	}
	arg := ctx.Arg("path")
	if arg == nil {
		return // reported when it was parsed
	}
	sig, root := method.signature(), arg.Value.Items[0]
	index := rootParam(sig, root.Text)
	if index < 0 {
		if ctx.level == onMethod {
			m.errorf(root.Pos, itemEnd(root), "%s has no parameter %s; %s", method.name(), root.Text, parameterRemedy(sig))
		}
		return
	}
	from := sig.Params().At(index).Type()
	steps := m.follow(from, arg, ctx.suffix(method))
	if steps == nil {
		return
	}
	method.plan.Context = Context{Param: index, Steps: steps, Rebind: len(steps) == 1 && m.rebinds(from)}
}

// checkContextReach reports a ctx directive of the interface itself that is no method's context.
func (m *maker) checkContextReach(w *wrapper) {
	d := first(w.in.Directives, kindCtx)
	if d == nil {
		return
	}
	for _, method := range w.methods {
		if method.ctx != nil && method.ctx.Directive == d && len(method.plan.Context.Steps) > 0 {
			return
		}
	}
	m.errorf(d.Pos, d.End, "no method of %s takes its context from this ctx; a method does if it has a policy, the "+
		"parameter, no context.Context among its parameters and no ctx of its own", w.in.Object.Name())
}

// rootParam returns the index of the parameter that a path begins with, or -1.
func rootParam(sig *types.Signature, root string) int {
	if unicode.IsDigit(rune(root[0])) {
		if i, err := strconv.Atoi(root); err == nil && i < sig.Params().Len() {
			return i
		}
		return -1
	}
	for i := range sig.Params().Len() {
		if root != "_" && sig.Params().At(i).Name() == root {
			return i
		}
	}
	return -1
}

func parameterRemedy(sig *types.Signature) string {
	var names []string
	for i := range sig.Params().Len() {
		name := sig.Params().At(i).Name()
		if name == "" || name == "_" {
			name = strconv.Itoa(i)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "it has no parameters, so remove the directive"
	}
	return "it has " + joinOr(names)
}

// follow returns the steps of a path from a parameter of type from to a context.Context, or nil after reporting that it
// does not lead there.
func (m *maker) follow(from types.Type, arg *directive.Arg, suffix string) []Selector {
	var steps []Selector
	at, addressable := from, true
	for _, item := range arg.Value.Items[1:] {
		fail := func(format string, args ...any) []Selector {
			m.errorf(item.Pos, itemEnd(item), "%s%s: %s", arg.Text, suffix, fmt.Sprintf(format, args...))
			return nil
		}
		name, call := strings.CutSuffix(item.Text, "()")
		found, _, indirect := types.LookupFieldOrMethod(at, addressable, m.pkg.Types, name)
		var next types.Type
		switch found := found.(type) {
		case *types.Var:
			if call {
				return fail("%s of %s is a field; write it without ()", name, m.typeText(at))
			}
			next, addressable = found.Type(), true
		case *types.Func:
			sig := found.Type().(*types.Signature)
			switch {
			case !call:
				return fail("%s of %s is a method; write %s()", name, m.typeText(at), name)
			case sig.Params().Len() != 0 || sig.Results().Len() != 1:
				return fail("%s of %s is %s; it must take nothing and return one value", name, m.typeText(at),
					m.signatureText(sig))
			}
			next, addressable = sig.Results().At(0).Type(), false
		default:
			if indirect {
				return fail("%s has a pointer receiver, which a value of type %s from a call does not have; take another "+
					"path", name, m.typeText(at))
			}
			return fail("%s has no field or method %s; %s", m.typeText(at), name, m.selectorRemedy(at, name))
		}
		steps = append(steps, Selector{Name: name, Call: call})
		at = next
	}
	if !isContext(at) {
		m.errorf(arg.Pos, arg.End, "%s%s is %s; it must be a context.Context", arg.Text, suffix, m.typeText(at))
		return nil
	}
	return steps
}

// selectorRemedy suggests what may have been meant by a field or method that t has not.
func (m *maker) selectorRemedy(t types.Type, name string) string {
	var names []string
	add := func(obj types.Object) {
		if obj.Exported() || obj.Pkg() == m.pkg.Types {
			names = append(names, obj.Name())
		}
	}
	for _, of := range []types.Type{types.NewPointer(t), t} {
		for method := range types.NewMethodSet(of).Methods() {
			add(method.Obj())
		}
	}
	under := t.Underlying()
	if pointer, ok := under.(*types.Pointer); ok {
		under = pointer.Elem().Underlying()
	}
	if s, ok := under.(*types.Struct); ok {
		for field := range s.Fields() {
			add(field)
		}
	}
	if near := directive.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "name one that it has"
}

// rebinds reports whether a value of type t can be given another context: t has WithContext(context.Context) t.
func (m *maker) rebinds(t types.Type) bool {
	found, _, _ := types.LookupFieldOrMethod(t, true, m.pkg.Types, "WithContext")
	fn, ok := found.(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Type().(*types.Signature)
	return sig.Params().Len() == 1 && !sig.Variadic() && isContext(sig.Params().At(0).Type()) &&
		sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), t)
}

// isContext reports whether t is context.Context, by whatever alias.
func isContext(t types.Type) bool { return isNamed(t, "context", "Context") }

func isNamed(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	obj := named.Obj()
	return obj.Pkg() != nil && obj.Pkg().Path() == path && obj.Name() == name
}

// checkLimitable reports a time limiter whose limit would not reach the call.
func (m *maker) checkLimitable(method *method, d placed) {
	ctx := method.plan.Context
	if method.ctxWrong || isTrue(d.Arg("detach")) || ctx.Param >= 0 && (len(ctx.Steps) == 0 || ctx.Rebind) {
		return
	}
	problem := fmt.Sprintf("timelimiter needs a context, and %s has none", method.name())
	remedies := []string{"give it a context.Context parameter", "say where the context is with ctx", "set detach=true"}
	if ctx.Param >= 0 {
		param := m.typeText(method.signature().Params().At(ctx.Param).Type())
		problem = fmt.Sprintf("timelimiter can't hand a limited context to %s, because %s has no method "+
			"WithContext(context.Context) %s", method.name(), param, param)
		remedies = []string{remedies[0], remedies[2]}
	}
	if d.level != onMethod {
		remedies = append(remedies, "write skip timelimiter on it")
	}
	m.errorf(d.Pos, d.End, "%s; %s", problem, joinOr(remedies))
}

func isTrue(arg *directive.Arg) bool { return arg != nil && arg.Value.Bool }
