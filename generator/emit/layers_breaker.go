package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// breakerLayer writes a call that a breaker admits or refuses.
func (m *method) breakerLayer(i int) []jen.Code {
	l := m.layers[i].plan
	refusal := m.err
	if l.Mark {
		refusal = m.body.runtime("policy", "MarkInner") + "(" + m.err + ")"
	}
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
		jen.List(jen.Id(m.call), jen.Id(m.err)).Op(":=").Id(m.instance(m.layers[i].instance)).Dot("Begin").Call(),
		jen.If(jen.Id(m.err).Op("!=").Nil()).Block(m.returns(refusal)),
		jen.Defer().Id(m.call).Dot("Abort").Call().Comment("// a panic or Goexit counts as a failure"),
		m.assign("=", m.inner(i+1)),
		end,
	}
	if l.Transition != nil {
		err := m.err
		if m.marksFrom(i + 1) {
			err = m.body.runtime("policy", "Unmark") + "(" + err + ")"
		}
		transition := m.callUser(l.Transition, nil, []string{err})
		code = append(code, jen.Id(m.call).Dot("Transition").Call(jen.Id(transition)))
	}
	return append(code, m.returns(m.err))
}

// rejects returns the condition that the layer's function finds the results bad. It is asked about answers only: beside
// an error, results are zero values that no such function has to expect.
func (m *method) rejects(l *plan.Layer) string {
	return m.err + " == nil && " + m.callUser(l.Result, nil, nil)
}
