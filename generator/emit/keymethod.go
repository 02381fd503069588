package emit

import (
	"go/types"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// keyDeclarations writes the methods that work out values.
func (m *method) keyDeclarations() []jen.Code {
	var code []jen.Code
	for _, k := range m.keys {
		code = append(code, m.keyDeclaration(k))
	}
	return code
}

func (m *method) keyDeclaration(k *keyMethod) jen.Code {
	w := m.wrapper
	body := &keyBody{method: m, scope: m.body.scope(w.typeParams.names...)}
	body.scope.reserve(w.receiver)
	body.scope.reserve(w.file.imports.all...)
	vars := make([]*types.Var, len(k.params))
	names := make([]string, len(k.params))
	for i, param := range k.params {
		vars[i], names[i] = m.signature.Params().At(param), m.params[param]
		body.scope.take(names[i])
	}
	params := w.outside.fields(types.NewTuple(vars...), m.variadic(k), names)
	texts := make([]string, len(k.values))
	values := make([]string, len(k.values))
	var code []jen.Code
	for i, v := range k.values {
		texts[i] = v.Expr.Text
		if !mayBeNil(v) {
			values[i] = m.valueOf(v, m.expr(v.Expr))
			continue
		}
		values[i] = body.scope.name(variable(v.Expr), "value")
		code = append(code, jen.Var().Id(values[i]).Id(m.body.runtime("resil", "Value")))
		code = append(code, body.unfold(v, nil, func(expr string) []jen.Code {
			return []jen.Code{jen.Id(values[i]).Op("=").Id(m.valueOf(v, expr))}
		})...)
	}
	doc := k.name + " returns what stands for " + series(texts, ", ", " and ") + " in the names of " + m.name + "'s instances"
	if len(code) > 0 {
		doc += "; nothing where something is nil"
	}
	code = append(code, jen.Return(fitted(m.body.runtime("resil", "KeyOf"), values, len("return "))))
	width := len("func (") + len(w.receiver) + len(" *") + len(w.self()) + len(") ") + len(k.name)
	return w.method(comment(doc+"."), w.receiver, k.name).
		Add(parameters(params, w.outside.runtime("resil", "Key"), width)).Block(code...)
}

// variable returns what a variable for the value of an expression may be called; "" where it is no path with steps.
func variable(e *plan.Expr) string {
	if e.Func != nil || len(e.Args[0].Steps) == 0 {
		return ""
	}
	return localName(e.Args[0].Steps[len(e.Args[0].Steps)-1])
}

// localName returns a variable's name for what a step leads to; "" where that is predeclared.
func localName(step plan.Selector) string {
	name := lowerFirst(step.Name)
	if types.Universe.Lookup(name) != nil {
		return ""
	}
	return name
}

// A keyBody is the body of a key's method while it is written.
type keyBody struct {
	*method
	scope *scope
}

// unfold writes the way to a value, on which nothing is used that is nil, and then what final makes of the value. done
// are the values of the expression's first paths.
func (b *keyBody) unfold(v plan.Value, done []string, final func(expr string) []jen.Code) []jen.Code {
	if len(done) < len(v.Expr.Args) {
		path := v.Expr.Args[len(done)]
		w := &way{steps: path.Steps, expr: b.params[path.Param]}
		w.end = v.Nilable && v.Expr.Func == nil
		return b.walk(w, func(expr string) []jen.Code { return b.unfold(v, append(slices.Clip(done), expr), final) })
	}
	if v.Expr.Func == nil {
		return final(done[0])
	}
	result := b.body.object(v.Expr.Func) + "(" + list(done, false) + ")"
	return b.walk(&way{expr: result, called: true, end: v.Nilable}, final)
}

// A way is what is left of a path.
type way struct {
	steps  []plan.Selector
	expr   string // what there is already
	called bool   // there is a call in expr, which is made once
	held   string // what a variable for expr may be called
	end    bool   // the value at the end must not be nil either
}

// walk writes the conditions on a way, and inside of them what then makes of its end.
func (b *keyBody) walk(w *way, then func(expr string) []jen.Code) []jen.Code {
	conditions, code := b.conditions(w, then)
	if len(conditions) == 0 {
		return code
	}
	return []jen.Code{jen.If(jen.Id(strings.Join(conditions, " && "))).Block(code...)}
}

// conditions returns the conditions on a way up to the first call whose result may be nil, and what is inside of them.
func (b *keyBody) conditions(w *way, then func(expr string) []jen.Code) (conditions []string, code []jen.Code) {
	for i := 0; ; i++ {
		last := i == len(w.steps)
		switch checked := last && w.end || !last && w.steps[i].Nilable; {
		case checked && w.called:
			return conditions, b.hold(w, i, then)
		case checked:
			conditions = append(conditions, w.expr+" != nil")
		}
		if last {
			return conditions, then(w.expr)
		}
		w.expr = follow(w.expr, w.steps[i:i+1])
		w.called, w.held = w.called || w.steps[i].Call, localName(w.steps[i])
	}
}

// hold writes the way from its i-th step on, behind a call whose result is held in a variable.
func (b *keyBody) hold(w *way, i int, then func(expr string) []jen.Code) []jen.Code {
	held := b.scope.name(w.held, "v")
	conditions, code := b.conditions(&way{steps: w.steps[i:], expr: held, end: w.end}, then)
	return []jen.Code{jen.If(
		jen.Id(held).Op(":=").Id(w.expr), jen.Id(strings.Join(conditions, " && ")),
	).Block(code...)}
}
