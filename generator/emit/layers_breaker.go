package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// breakerLayer writes a call that a breaker admits or refuses.
func (m *method) breakerLayer(i int) []jen.Code {
	l := m.layers[i].plan
	end := jen.Id(m.call).Dot("End").Call(jen.Id(m.context()), jen.Id(m.err))
	if l.Result != nil {
		end = jen.Id(m.call).Dot("EndResult").Call(jen.Id(m.context()), jen.Id(m.err), jen.Id(m.rejects(l)))
	}
	if expected := m.isExpected(); expected != nil {
		end = jen.If(expected).Block(
			jen.Id(m.call).Dot("End").Call(jen.Id(m.context()), jen.Nil()),
		).Else().Block(end)
	}
	code := []jen.Code{
		jen.List(jen.Id(m.call), jen.Id(m.err)).Op(":=").Id(m.instanceOf(m.layers[i])).Dot("Begin").Call(),
		jen.If(jen.Id(m.err).Op("!=").Nil()).Block(m.refuse(m.layers[i])...),
		jen.Defer().Id(m.call).Dot("Abort").Call().Comment("// a panic or Goexit counts as a failure"),
		m.assign("=", m.inner(i+1)),
		end,
	}
	if l.Transition != nil {
		transition := m.callUser(l.Transition, nil, []string{m.unmarkedFrom(i + 1)})
		code = append(code, jen.Id(m.call).Dot("Transition").Call(jen.Id(transition)))
	}
	return append(code, m.returns(m.leaving(i)))
}

// unmarkedFrom returns the error that comes out of the chain from its i-th layer on, without a mark.
func (m *method) unmarkedFrom(i int) string {
	if m.marksFrom(i) {
		return m.body.runtime("policy", "Unmark") + "(" + m.err + ")"
	}
	return m.err
}

// rejects returns the condition that the layer's function finds the results bad. It is asked about answers only: beside
// an error, results are zero values that no such function has to expect.
func (m *method) rejects(l *plan.Layer) string {
	return m.err + " == nil && " + m.callUser(l.Result, nil, nil)
}
