package emit

import (
	"github.com/dave/jennifer/jen"
)

// bulkheadLayer writes a call that a bulkhead lets in or refuses.
func (m *method) bulkheadLayer(i int) []jen.Code {
	l := m.layers[i]
	return []jen.Code{
		jen.List(jen.Id(m.call), jen.Id(m.err)).Op(":=").
			Id(m.instanceOf(l)).Dot("Begin").Call(jen.Id(m.context())),
		jen.If(jen.Id(m.err).Op("!=").Nil()).Block(m.refuse(l)...),
		jen.Defer().Id(m.call).Dot("End").Call(),
		jen.Return(jen.Id(m.inner(i + 1))),
	}
}

// poolLayer writes a call that runs in a pool. The pool hands its context on as it is.
func (m *method) poolLayer(i int) []jen.Code {
	l := m.layers[i]
	call := elsewhere{
		function: m.body.runtime("bulkhead", "Submit"), variable: m.pool, instance: m.instanceOf(l),
		inner: m.inner(i + 1),
	}
	if c := m.plan.Context; c.Param >= 0 && len(c.Steps) == 0 {
		call.param = m.params[c.Param]
	}
	refused := m.closeBodies()
	if l.plan.Mark {
		refused = append(refused, jen.Id(m.err).Op("=").Id(m.refusal(l, m.err)))
	}
	if len(refused) > 0 {
		call.after = jen.If(jen.Id(m.pool).Dot("Refused").Call(jen.Id(m.err))).Block(refused...)
	}
	return m.elsewhere(call)
}
