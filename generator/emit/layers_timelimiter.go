package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// timeLimiterLayer writes a call with a limited context.
func (m *method) timeLimiterLayer(i int) []jen.Code {
	if m.layers[i].plan.Detach {
		return m.detachedCall(i)
	}
	c := m.plan.Context
	limited, inner := "_", m.inner(i+1)
	var rebind jen.Code = jen.Null()
	switch {
	case !m.handsContext():
	case m.answersFrom(i + 1): // the caller's context is still needed
		limited = m.limited
		inner = m.innerWith(i+1, m.with(m.rebound(limited)), m.params[c.Param])
	case c.Rebind:
		limited = m.limited
		rebind = jen.Id(m.params[c.Param]).Op("=").Id(m.rebound(limited))
	default:
		limited = m.params[c.Param]
	}
	code := []jen.Code{
		jen.List(jen.Id(limited), jen.Id(m.call)).Op(":=").
			Id(m.instanceOf(m.layers[i])).Dot("Begin").Call(jen.Id(m.context())),
		jen.Defer().Id(m.call).Dot("Stop").Call(),
		rebind,
	}
	end := m.call + ".End(" + m.err + ")"
	expected := m.isExpected()
	if expected == nil && len(m.results) == 1 {
		return append(code, jen.Return(jen.Id(m.call).Dot("End").Call(jen.Id(inner))))
	}
	code = append(code, m.assign(":=", inner))
	if body := m.layers[i].plan.Keep; body != nil {
		code = append(code, m.keep(*body))
	}
	if expected != nil {
		code = append(code, jen.If(expected).Block(
			jen.Id(m.call).Dot("End").Call(jen.Nil()),
			m.returns(m.err),
		))
	}
	return append(code, m.returns(end))
}

// rebound returns the value for the parameter that is the context, or has it, with another context.
func (m *method) rebound(ctx string) string {
	if c := m.plan.Context; c.Rebind {
		return m.params[c.Param] + ".WithContext(" + ctx + ")"
	}
	return ctx
}

// detachedCall writes a call on a goroutine of its own. That one may not assign to the method's parameters. An error that
// is an answer is one of the results.
func (m *method) detachedCall(i int) []jen.Code {
	c := m.plan.Context
	call := elsewhere{
		function: m.body.runtime("timelimiter", "Detach"), variable: m.limiter,
		instance: m.instanceOf(m.layers[i]), inner: m.inner(i + 1), answer: m.isExpected(),
	}
	switch {
	case !m.handsContext():
	case c.Rebind || m.answersFrom(i+1):
		call.param = m.limited
		call.inner = m.innerWith(i+1, m.with(m.rebound(m.limited)), m.params[c.Param])
	default:
		call.param = m.params[c.Param]
	}
	if body := m.layers[i].plan.Keep; body != nil {
		call.function = m.body.runtime("timelimiter", "DetachUntilClose")
		call.body = body
	}
	return m.elsewhere(call)
}

// keep writes that the context of the call lives until a result is closed.
func (m *method) keep(b plan.Body) jen.Code {
	result := m.results[b.Result]
	body := result
	if b.Field {
		body += ".Body"
	}
	kept := jen.Id(body).Op("=").Id(m.call).Dot("KeepUntilClose").Call(jen.Id(body))
	if b.Pointer {
		return jen.If(jen.Id(result).Op("!=").Nil()).Block(kept)
	}
	return kept
}
