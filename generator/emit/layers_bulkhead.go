package emit

import (
	"github.com/dave/jennifer/jen"
)

// bulkheadLayer writes a call that a bulkhead lets in or refuses.
func (m *method) bulkheadLayer(i int) []jen.Code {
	l := m.layers[i]
	return []jen.Code{
		jen.List(jen.Id(m.call), jen.Id(m.err)).Op(":=").
			Id(m.instance(l.instance)).Dot("Begin").Call(jen.Id(m.context())),
		jen.If(jen.Id(m.err).Op("!=").Nil()).Block(m.returns(m.refusal(l, m.err))),
		jen.Defer().Id(m.call).Dot("End").Call(),
		jen.Return(jen.Id(m.inner(i + 1))),
	}
}

// poolLayer writes a call that runs in a pool. The pool hands its context on as it is.
func (m *method) poolLayer(i int) []jen.Code {
	l := m.layers[i]
	call := elsewhere{
		function: m.body.runtime("bulkhead", "Submit"), variable: m.pool, instance: m.instance(l.instance),
		inner: m.inner(i + 1),
	}
	if c := m.plan.Context; c.Param >= 0 && len(c.Steps) == 0 {
		call.param = m.params[c.Param]
	}
	if l.plan.Mark {
		call.after = jen.If(jen.Id(m.pool).Dot("Refused").Call(jen.Id(m.err))).Block(
			jen.Id(m.err).Op("=").Id(m.refusal(l, m.err)),
		)
	}
	return m.elsewhere(call)
}
