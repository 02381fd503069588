package emit

import (
	"slices"

	"github.com/resilgen/resilgen/generator/plan"
)

// A keyMethod is a method of the wrapper that works out the values of a call which instances' names contain. There is one
// where something on the path to a value may be nil, or where the values are too long for a line. Otherwise they stand
// where they are used.
type keyMethod struct {
	name   string
	values []plan.Value
	params []int // those of the interface's method that it takes
}

// keyMethods names the methods that work out the values of the layers' names. Layers with the same values share one.
func (m *method) keyMethods() {
	for _, l := range m.layers {
		if len(l.plan.Values) == 0 || !slices.ContainsFunc(l.plan.Values, mayBeNil) && m.fits(l, m.instanceOf(l)) {
			continue
		}
		if slices.ContainsFunc(m.keys, func(k *keyMethod) bool { return k.is(l.plan.Values) }) {
			continue
		}
		stem := m.stem
		if len(m.keys) > 0 {
			stem += upperFirst(l.kind.field)
		}
		m.keys = append(m.keys, &keyMethod{
			name: m.wrapper.members.name(stem + "Key"), values: l.plan.Values, params: paramsOf(l.plan.Values),
		})
	}
	for _, l := range m.layers {
		if i := slices.IndexFunc(m.keys, func(k *keyMethod) bool { return k.is(l.plan.Values) }); i >= 0 {
			l.key = m.keys[i]
		}
	}
}

// is reports whether the method works out these values.
func (k *keyMethod) is(values []plan.Value) bool {
	return slices.EqualFunc(k.values, values, func(a, b plan.Value) bool { return a.Expr.Text == b.Expr.Text })
}

// mayBeNil reports whether something on the path to the value may be nil.
func mayBeNil(v plan.Value) bool {
	return v.Nilable || slices.ContainsFunc(v.Expr.Args, func(p plan.Path) bool {
		return slices.ContainsFunc(p.Steps, func(s plan.Selector) bool { return s.Nilable })
	})
}

// paramsOf returns the parameters from which the values come, in their order.
func paramsOf(values []plan.Value) []int {
	var params []int
	for _, v := range values {
		for _, path := range v.Expr.Args {
			params = append(params, path.Param)
		}
	}
	slices.Sort(params)
	return slices.Compact(params)
}

// instanceOf returns the instance that a call uses of a layer.
func (m *method) instanceOf(l *layer) string {
	if len(l.plan.Values) == 0 {
		return m.instance(l.instance)
	}
	function := m.wrapper.receiver + "." + l.instance + ".For("
	args := m.context() + ", " + m.keyOf(l)
	if l.key != nil && !m.fits(l, function+args+")") {
		return function + "\n" + args + ",\n)"
	}
	return function + args + ")"
}

// fits reports whether a layer's instance, written like that, stands in a line with the call that begins there.
func (m *method) fits(l *layer, instance string) bool {
	line := "call, err := " + instance + ".Begin()"
	switch l.kind.typ {
	case "Bulkhead", "TimeLimiter":
		line += m.context()
	case "Limiter":
		line = "if err := " + instance + ".AcquireAt(" + m.context() + ", at, " + m.permits(l.plan.Permits) + "); err != nil {"
	}
	return 4+len(line) <= codeWidth
}

// keyOf returns the key of a call for a layer.
func (m *method) keyOf(l *layer) string {
	if l.key == nil {
		values := make([]string, len(l.plan.Values))
		for i, v := range l.plan.Values {
			values[i] = m.valueOf(v, m.expr(v.Expr))
		}
		return m.body.runtime("resil", "KeyOf") + "(" + list(values, false) + ")"
	}
	args := make([]string, len(l.key.params))
	for i, param := range l.key.params {
		args[i] = m.params[param]
	}
	return m.wrapper.receiver + "." + l.key.name + "(" + list(args, m.variadic(l.key)) + ")"
}

// valueOf returns the runtime's value of what an expression gives.
func (m *method) valueOf(v plan.Value, expr string) string {
	if v.Deref {
		expr = "*" + expr
	}
	switch v.Form {
	case plan.IntValue:
		return m.body.runtime("resil", "Int") + "(" + expr + ")"
	case plan.StringerValue:
		return m.body.runtime("resil", "Text") + "(" + expr + ".String())"
	}
	return m.body.runtime("resil", "Text") + "(" + expr + ")"
}

// variadic reports whether the last parameter of the key's method is variadic, as it is the interface's method's.
func (m *method) variadic(k *keyMethod) bool {
	return m.signature.Variadic() && slices.Contains(k.params, m.signature.Params().Len()-1)
}
