package emit

import (
	"go/types"
	"slices"
)

// A handed says what a layer's method takes beside the parameters of the interface's method. These parameters stand
// behind the context.
type handed struct {
	// caller is set where the context is limited by a layer further out, and a fallback is still to come: that one gets the
	// caller's own context, or the parameter that has it.
	caller bool
	// at is set where the layer around this one is a circuit breaker, which has read the clock.
	at bool
}

// entryTakes returns what the method takes through which the i-th layer is called.
func (m *method) entryTakes(i int) handed {
	if m.layers[i].answered != "" {
		return handed{caller: m.limitedAt(i) && m.answersFrom(i)}
	}
	return m.layerTakes(i)
}

// layerTakes returns what the method of the i-th layer itself takes.
func (m *method) layerTakes(i int) handed {
	inBreaker := i > 0 && m.layers[i-1].plan.Spec.Name == "circuitbreaker"
	return handed{
		caller: m.limitedAt(i) && m.answersFrom(i+1),
		at:     inBreaker && m.layers[i].plan.Spec.Name == "ratelimiter" && m.layers[i].answered == "",
	}
}

// limitedAt reports whether a layer around the i-th one limits the context that it gets.
func (m *method) limitedAt(i int) bool {
	return m.handsContext() && slices.ContainsFunc(m.layers[:i], func(l *layer) bool {
		return l.plan.Spec.Name == "timelimiter"
	})
}

// handsContext reports whether a layer can hand on another context than it got.
func (m *method) handsContext() bool {
	c := m.plan.Context
	return c.Param >= 0 && (len(c.Steps) == 0 || c.Rebind)
}

// answersFrom reports whether a layer from the i-th one on has its own fallback.
func (m *method) answersFrom(i int) bool {
	return slices.ContainsFunc(m.layers[i:], func(l *layer) bool { return l.answered != "" })
}

// parameters returns the parameters of a method as they are declared.
func (m *method) parameters(takes handed) []string {
	out, all, variadic := m.wrapper.outside, m.signature.Params(), m.signature.Variadic()
	if takes == (handed{}) {
		return out.fields(all, variadic, m.params)
	}
	vars := slices.Collect(all.Variables())
	behind := m.plan.Context.Param + 1 // a variadic parameter is never the context
	first, names := slices.Clip(vars[:behind]), slices.Clip(m.params[:behind])
	if takes.caller {
		first, names = append(first, vars[behind-1]), append(names, m.caller)
	}
	fields := out.fields(types.NewTuple(first...), false, names)
	if takes.at {
		fields = append(fields, m.at+" "+out.runtime("policy", "Instant"))
	}
	return append(fields, out.fields(types.NewTuple(vars[behind:]...), variadic, m.params[behind:])...)
}

// inner returns the call of the chain from its i-th layer on, or of the wrapped method behind the last one.
func (m *method) inner(i int) string { return m.innerWith(i, m.params, m.caller) }

// innerWith is inner with other values of the parameters, and of what has the caller's context.
func (m *method) innerWith(i int, params []string, caller string) string {
	if i == len(m.layers) {
		return m.callOf(m.next+"."+m.name, handed{}, params, caller)
	}
	return m.callOf(m.layers[i].entry(), m.entryTakes(i), params, caller)
}

// callOf returns the call of a method, which is found from the wrapper, that takes these parameters.
func (m *method) callOf(callee string, takes handed, params []string, caller string) string {
	var more []string
	if takes.caller {
		more = append(more, caller)
	}
	if takes.at {
		more = append(more, m.call+".Began()")
	}
	args := slices.Insert(slices.Clone(params), m.plan.Context.Param+1, more...)
	return m.wrapper.receiver + "." + callee + "(" + list(args, m.signature.Variadic()) + ")"
}

// with returns the method's parameters with another value for the one that is the context, or has it.
func (m *method) with(value string) []string {
	params := slices.Clone(m.params)
	params[m.plan.Context.Param] = value
	return params
}
