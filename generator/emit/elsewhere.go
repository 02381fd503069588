package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// An elsewhere is a call on another goroutine, by a function of the runtime that takes a context, an instance and a
// func(context.Context) (T, error), and returns what that returned.
type elsewhere struct {
	function string
	variable string // that holds the instance
	instance string
	param    string   // name of the context that the call is given; empty where it can't reach it
	inner    string   // the call
	answer   jen.Code // the condition that its error is an answer, which the function is not to take for a failure; or nil
	after    jen.Code // what is done with the error before it is returned; nil where that is nothing
	// body is the result that is read later, which the function is told as its last argument; nil where there is none.
	body *plan.Body
}

// elsewhere writes the body of a method that makes such a call. It returns one value beside the error: a method's results
// are put together where there are not exactly that many.
func (m *method) elsewhere(e elsewhere) []jen.Code {
	values := m.values()
	code := []jen.Code{jen.Id(e.variable).Op(":=").Id(e.instance)}
	if e.answer != nil || len(values) > 1 {
		return m.elsewhereTogether(e, code)
	}
	if len(values) == 0 {
		made := m.callElsewhere(e, "struct{}", jen.Return(jen.Struct().Values(), jen.Id(e.inner)))
		code = append(code, jen.List(jen.Id("_"), jen.Id(m.err)).Op(":=").Add(made))
		return append(code, e.end(m.returns(m.err))...)
	}
	made := m.callElsewhere(e, m.body.typ(m.signature.Results().At(0).Type()), jen.Return(jen.Id(e.inner)))
	if e.after == nil {
		return append(code, jen.Return(made))
	}
	code = append(code, jen.List(ids(m.results)...).Op(":=").Add(made))
	return append(code, e.end(m.returns(m.err))...)
}

// elsewhereTogether is elsewhere with a struct for the results.
func (m *method) elsewhereTogether(e elsewhere, code []jen.Code) []jen.Code {
	values := m.values()
	var fields, returned []jen.Code
	for i, name := range values {
		fields = append(fields, jen.Id(name).Id(m.body.typ(m.signature.Results().At(i).Type())))
		returned = append(returned, jen.Id(m.all).Dot(name))
	}
	made := []jen.Code{m.assign(":=", e.inner)}
	literal := jen.Id(m.allType).Values(ids(values)...)
	var answered []jen.Code
	if e.answer != nil {
		fields = append(fields, jen.Id(m.err).Id(m.body.local("error")).Comment("// one that is an answer"))
		made = append(made, jen.If(e.answer).Block(jen.Return(jen.Id(m.allType).Values(ids(m.results)...), jen.Nil())))
		literal = jen.Id(m.allType).Values(append(ids(values), jen.Nil())...)
		answered = append(answered, jen.If(jen.Id(m.err).Op("==").Nil()).Block(
			jen.Id(m.err).Op("=").Id(m.all).Dot(m.err),
		))
	}
	code = slices.Concat([]jen.Code{jen.Type().Id(m.allType).Struct(fields...)}, code, []jen.Code{
		jen.List(jen.Id(m.all), jen.Id(m.err)).Op(":=").
			Add(m.callElsewhere(e, m.allType, append(made, jen.Return(literal, jen.Id(m.err)))...)),
	}, answered)
	return append(code, e.end(jen.Return(append(returned, jen.Id(m.err))...))...)
}

// end returns what stands behind the call.
func (e *elsewhere) end(returns jen.Code) []jen.Code {
	if e.after == nil {
		return []jen.Code{returns}
	}
	return []jen.Code{e.after, returns}
}

// callElsewhere returns the call of the runtime's function for a func with that result and body.
func (m *method) callElsewhere(e elsewhere, result string, body ...jen.Code) *jen.Statement {
	param := m.body.qualified("context", "context", "Context")
	if e.param != "" {
		param = e.param + " " + param
	}
	args := []jen.Code{
		jen.Id(m.context()),
		jen.Id(e.variable),
		jen.Func().Params(jen.Id(param)).Params(jen.Id(result), jen.Id(m.body.local("error"))).Block(body...),
	}
	if e.body != nil {
		args = append(args, m.bodyOf(*e.body, result))
	}
	return jen.Id(e.function).Call(args...)
}

// bodyOf returns a func that says where the body is in a result of the given type: the method's one, or all together.
func (m *method) bodyOf(b plan.Body, result string) jen.Code {
	name := m.results[b.Result]
	held, body := name, name // the result, and where its body is
	switch {
	case result == m.allType:
		name, held = m.all, m.all+"."+name
		body = "&" + held
	case b.Field && b.Pointer:
		held = "*" + name
		body = "&(*" + name + ")"
	case b.Field:
		body = "&" + name
	}
	if b.Field {
		body += ".Body"
	}
	var code []jen.Code
	if b.Pointer {
		code = append(code, jen.If(jen.Id(held).Op("==").Nil()).Block(jen.Return(jen.Nil())))
	}
	return jen.Func().Params(jen.Id(name + " *" + result)).Op("*").Id(m.body.qualified("io", "io", "ReadCloser")).
		Block(append(code, jen.Return(jen.Id(body)))...)
}
