package emit

import "github.com/dave/jennifer/jen"

// retryLayer writes the loop of attempts.
func (m *method) retryLayer(i int) []jen.Code {
	l := m.layers[i].plan
	again := m.attempts + ".Again(" + m.context() + ", &" + m.err + ")"
	if l.Result != nil {
		again = m.attempts + ".AgainResult(" + m.context() + ", &" + m.err + ", " + m.rejects(l) + ")"
	}
	attempt := []jen.Code{m.assign(":=", m.inner(i+1))}
	if expected := m.isExpected(); expected != nil {
		attempt = append(attempt, jen.If(expected).Block(
			jen.Id(m.attempts).Dot("Succeed").Call(),
			m.returns(m.err),
		))
	}
	attempt = append(attempt, jen.If(jen.Op("!").Id(again)).Block(m.returns(m.err)))
	if l.Consume != nil {
		consume := m.callUser(l.Consume, []string{m.attempts + ".Number()"}, nil)
		attempt = append(attempt, jen.If(jen.Id(m.err).Op("==").Nil()).Block(jen.Id(consume)))
	}
	return []jen.Code{
		jen.Id(m.attempts).Op(":=").Id(m.instance(m.layers[i].instance)).Dot("Begin").Call(),
		jen.For().Block(attempt...),
	}
}
