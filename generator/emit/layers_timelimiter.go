package emit

import (
	"github.com/dave/jennifer/jen"
)

// timeLimiterLayer writes a call with a limited context.
func (m *method) timeLimiterLayer(i int) []jen.Code {
	if m.layers[i].plan.Detach {
		return m.detachedCall(i)
	}
	c := m.plan.Context
	limited := "_"
	var rebind jen.Code = jen.Null()
	switch {
	case c.Rebind:
		limited = m.limited
		request := jen.Id(m.params[c.Param])
		rebind = request.Clone().Op("=").Add(request).Dot("WithContext").Call(jen.Id(limited))
	case c.Param >= 0 && len(c.Steps) == 0:
		limited = m.params[c.Param]
	}
	code := []jen.Code{
		jen.List(jen.Id(limited), jen.Id(m.call)).Op(":=").
			Id(m.instance(m.layers[i].instance)).Dot("Begin").Call(jen.Id(m.context())),
		jen.Defer().Id(m.call).Dot("Stop").Call(),
		rebind,
	}
	end := m.call + ".End(" + m.err + ")"
	expected := m.isExpected()
	if expected == nil && len(m.results) == 1 {
		return append(code, jen.Return(jen.Id(m.call).Dot("End").Call(jen.Id(m.inner(i+1)))))
	}
	code = append(code, m.assign(":=", m.inner(i+1)))
	if expected != nil {
		code = append(code, jen.If(expected).Block(
			jen.Id(m.call).Dot("End").Call(jen.Nil()),
			m.returns(m.err),
		))
	}
	return append(code, m.returns(end))
}

// detachedCall writes a call on a goroutine of its own, which returns one value: a method's results are put together
// where there are not exactly that many. An error that is an answer is then one of them.
func (m *method) detachedCall(i int) []jen.Code {
	values := m.values()
	expected := m.isExpected()
	if len(values) == 1 && expected == nil {
		result := m.body.typ(m.signature.Results().At(0).Type())
		return []jen.Code{m.detached(i), jen.Return(m.detach(result, jen.Return(jen.Id(m.detachedInner(i)))))}
	}
	if len(values) == 0 && expected == nil {
		return []jen.Code{
			m.detached(i),
			jen.List(jen.Id("_"), jen.Id(m.err)).Op(":=").
				Add(m.detach("struct{}", jen.Return(jen.Struct().Values(), jen.Id(m.detachedInner(i))))),
			m.returns(m.err),
		}
	}

	var fields, returned []jen.Code
	for j, name := range values {
		fields = append(fields, jen.Id(name).Id(m.body.typ(m.signature.Results().At(j).Type())))
		returned = append(returned, jen.Id(m.all).Dot(name))
	}
	made := []jen.Code{m.assign(":=", m.detachedInner(i))}
	literal := jen.Id(m.allType).Values(ids(values)...)
	var after []jen.Code
	if expected != nil {
		fields = append(fields, jen.Id(m.err).Id(m.body.local("error")).Comment("// one that is an answer"))
		made = append(made, jen.If(expected).Block(jen.Return(jen.Id(m.allType).Values(ids(m.results)...), jen.Nil())))
		literal = jen.Id(m.allType).Values(append(ids(values), jen.Nil())...)
		after = append(after, jen.If(jen.Id(m.err).Op("==").Nil()).Block(
			jen.Id(m.err).Op("=").Id(m.all).Dot(m.err),
		))
	}
	code := []jen.Code{
		jen.Type().Id(m.allType).Struct(fields...),
		m.detached(i),
		jen.List(jen.Id(m.all), jen.Id(m.err)).Op(":=").
			Add(m.detach(m.allType, append(made, jen.Return(literal, jen.Id(m.err)))...)),
	}
	return append(append(code, after...), jen.Return(append(returned, jen.Id(m.err))...))
}

// detached writes the variable that holds the instance.
func (m *method) detached(i int) jen.Code {
	return jen.Id(m.limiter).Op(":=").Id(m.instance(m.layers[i].instance))
}

// detach returns the call of timelimiter.Detach for a function with that result and body.
func (m *method) detach(result string, body ...jen.Code) *jen.Statement {
	param := m.body.qualified("context", "context", "Context")
	if name := m.detachedContext(); name != "" {
		param = name + " " + param
	}
	return jen.Id(m.body.runtime("timelimiter", "Detach")).Call(
		jen.Id(m.context()),
		jen.Id(m.limiter),
		jen.Func().Params(jen.Id(param)).Params(jen.Id(result), jen.Id(m.body.local("error"))).Block(body...),
	)
}

// detachedContext returns the name of the limited context inside a detached call; empty where it can't reach the call.
func (m *method) detachedContext() string {
	c := m.plan.Context
	switch {
	case c.Rebind:
		return m.limited
	case c.Param >= 0 && len(c.Steps) == 0:
		return m.params[c.Param]
	}
	return ""
}

// detachedInner returns the call that is detached. It does not assign to the method's parameters, as the other goroutine
// may not do that.
func (m *method) detachedInner(i int) string {
	c := m.plan.Context
	if !c.Rebind {
		return m.inner(i + 1)
	}
	return m.innerWith(i+1, c.Param, m.params[c.Param]+".WithContext("+m.limited+")")
}
