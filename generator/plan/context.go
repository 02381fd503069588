package plan

import (
	"fmt"
	"go/types"

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
	if ctx.level != onMethod && rootParam(method.signature(), arg.Value.Items[0].Text) < 0 {
		return
	}
	path, t, ok := m.path(method, arg.Value.Items, arg.Text+ctx.suffix(method))
	switch {
	case !ok:
		return
	case !isContext(t):
		m.errorf(arg.Pos, arg.End, "%s%s is %s; it must be a context.Context", arg.Text, ctx.suffix(method), m.typeText(t))
		return
	}
	from := method.signature().Params().At(path.Param).Type()
	method.plan.Context = Context{
		Param: path.Param, Steps: path.Steps, Rebind: len(path.Steps) == 1 && m.rebinds(from),
	}
}

// checkContextReach reports a ctx directive of the interface itself that is no method's context.
func (m *maker) checkContextReach(w *wrapper) {
	d := directive.First(w.in.Directives, kindCtx)
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
	if method.ctx != nil && ctx.Param < 0 && method.ctx.Arg("path") != nil {
		root := method.ctx.Arg("path").Value.Items[0].Text
		problem += fmt.Sprintf(": no parameter of it is called %s, which ctx begins with", root)
		if method.signature().Params().Len() > 0 {
			remedies[1] = "begin ctx with the number of a parameter, as in {0.Context()}"
		}
	}
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
