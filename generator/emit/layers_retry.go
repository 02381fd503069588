package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

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
	attempt = append(attempt, jen.If(jen.Op("!").Id(again)).Block(m.returns(m.leaving(i))))
	if l.Consume != nil {
		consume := m.callUser(l.Consume, []string{m.attempts + ".Number()"}, nil)
		attempt = append(attempt, jen.If(jen.Id(m.err).Op("==").Nil()).Block(jen.Id(consume)))
	}
	for _, drop := range l.Drops {
		attempt = append(attempt, m.drop(drop))
	}
	for _, i := range l.Rearm {
		rearmed := m.body.runtime("httpcall", "Rearm") + "(" + m.params[i] + ")"
		attempt = append(attempt, jen.Id(m.params[i]).Op("=").Id(rearmed))
	}
	code := []jen.Code{jen.Id(m.attempts).Op(":=").Id(m.instanceOf(m.layers[i])).Dot("Begin").Call()}
	if l.Once {
		code = append(code, m.once(l.Rearm))
	}
	return append(code, jen.For().Block(attempt...))
}

// once writes that there is one attempt where a request can be sent but once.
func (m *method) once(requests []int) jen.Code {
	conditions := make([]string, len(requests))
	for i, param := range requests {
		conditions[i] = "!" + m.body.runtime("httpcall", "Repeatable") + "(" + m.params[param] + ")"
	}
	return jen.If(jen.Id(strings.Join(conditions, " || "))).Block(
		jen.Id(m.attempts).Dot("Last").Call().Comment("// the body can be sent once"),
	)
}

// drop writes how a result that nobody will see is closed. What Close says about it concerns nobody.
func (m *method) drop(d plan.Drop) jen.Code {
	result, there := m.results[d.Result], m.results[d.Result]+" != nil"
	if body := d.Body; body != nil {
		closing := jen.Id(m.body.runtime("retry", "DropBody")).Call(jen.Id(result).Dot("Body"))
		if !body.Pointer {
			return closing
		}
		return jen.If(jen.Id(there)).Block(closing)
	}
	closing := jen.Id(result).Dot(d.Close.Name()).Call()
	if d.Close.Signature().Results().Len() > 0 {
		closing = jen.Id("_").Op("=").Add(closing)
	}
	if !d.Nilable { // beside an error it is a zero value
		there = m.err + " == nil"
	}
	return jen.If(jen.Id(there)).Block(closing)
}
