package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// answered writes the body of a public method whose errors fallbacks answer.
func (m *method) answered() []jen.Code {
	code := []jen.Code{
		m.assign(":=", m.inner(0)),
		jen.If(jen.Id(m.err).Op("==").Nil()).Block(m.returns("nil")),
	}
	if m.plan.Unmark {
		code = append(code, jen.Id(m.err).Op("=").Id(m.body.runtime("policy", "Unmark")).Call(jen.Id(m.err)))
	}
	return append(code, m.pick(m.plan.Fallback, m.fallback, m.err, m.params)...)
}

// layerFallback writes the body of the method around one layer that has its own fallback. Handlers see the error without
// its mark; one that none of them answers goes on as it is.
func (m *method) layerFallback(i int) []jen.Code {
	l, params := m.layers[i], m.params
	if m.entryTakes(i).caller {
		params = m.with(m.caller)
	}
	code := []jen.Code{
		m.assign(":=", m.callOf(l.method, m.layerTakes(i), m.params, m.caller)),
		jen.If(jen.Id(m.err).Op("==").Nil()).Block(m.returns("nil")),
	}
	cause := m.err
	if m.marksFrom(i) {
		cause = m.cause
		code = append(code, jen.Id(cause).Op(":=").Id(m.body.runtime("policy", "Unmark")).Call(jen.Id(m.err)))
	}
	return append(code, m.pick(l.plan.Fallback, l.fallback, cause, params)...)
}

// marksFrom reports whether an error may come out of the chain from its i-th layer on with a mark.
func (m *method) marksFrom(i int) bool {
	return slices.ContainsFunc(m.layers[i:], func(l *layer) bool { return l.plan.Mark })
}

// pick writes how the handler for an error is found, and the return of the error itself where there is none. Handlers get
// the parameters with the caller's own context.
func (m *method) pick(f *plan.Fallback, instance, cause string, params []string) []jen.Code {
	var code []jen.Code
	if m.plan.Context.Param >= 0 { // without a caller's context nothing can be cancelled
		var named []*plan.Handler
		for _, h := range f.Handlers {
			if h.Cancelled {
				named = append(named, h)
			}
		}
		block, exhaustive := m.try(named, instance, cause, params)
		if !exhaustive {
			block = append(block, m.returns(m.err).Comment("// the caller has gone"))
		}
		code = append(code, jen.If(jen.Id(m.body.runtime("policy", "Cancelled")).Call(jen.Id(m.contextIn(params)))).Block(block...))
	}
	handlers, exhaustive := m.try(f.Handlers, instance, cause, params)
	code = append(code, handlers...)
	if !exhaustive {
		code = append(code, m.returns(m.err))
	}
	return code
}

// try writes the handlers, and reports whether the last one answers every error.
func (m *method) try(
	handlers []*plan.Handler, instance, cause string, params []string,
) (code []jen.Code, exhaustive bool) {
	for _, h := range handlers {
		switch {
		case answersAll(h.Matches):
			return append(code, m.answerWith(h, instance, cause, cause, params)...), true
		case h.Form != plan.ParamsOnly && !isError(h.Param):
			for _, match := range h.Matches {
				code = append(code, jen.If(
					m.as(m.handled, match, cause), jen.Id(m.found),
				).Block(m.answerWith(h, instance, cause, m.handled, params)...))
			}
		default:
			code = append(code, jen.If(m.matches(h, cause)...).Block(m.answerWith(h, instance, cause, cause, params)...))
		}
	}
	return code, false
}

// as writes e, ok := policy.As[T](cause).
func (m *method) as(name string, match plan.Match, cause string) *jen.Statement {
	return jen.List(jen.Id(name), jen.Id(m.found)).Op(":=").Id(m.body.as(match, cause))
}

// matches writes the condition that the error is one of those that the handler answers.
func (m *method) matches(h *plan.Handler, cause string) []jen.Code {
	if rule := m.wrapper.rule(handlerRule + identity(h.Matches)); rule != nil {
		return []jen.Code{jen.Id(m.wrapper.receiver).Dot(rule.name).Call(jen.Id(cause))}
	}
	var condition []jen.Code
	var tests []string
	for _, match := range h.Matches {
		if match.Type != nil {
			condition = append(condition, m.as("_", match, cause))
			tests = append(tests, m.found)
		}
	}
	tests = append(tests, m.body.tests(h.Matches, cause)...)
	return append(condition, jen.Id(strings.Join(tests, " || ")))
}

// answerWith writes what a handler does about an error: its call with the error as it wants it, the count, the return.
func (m *method) answerWith(h *plan.Handler, instance, cause, given string, params []string) []jen.Code {
	var args []string
	if h.Form != plan.ErrorOnly {
		args = append(args, params...)
	}
	if h.Form != plan.ParamsOnly {
		args = append(args, given)
	}
	call := m.wrapper.function(m.body, m.wrapper.receiver, &h.Func) +
		"(" + list(args, h.Func.Object.Signature().Variadic()) + ")"
	answers := append(ids(m.values()), jen.Id(m.answer))
	return []jen.Code{
		jen.List(answers...).Op(":=").Id(call),
		jen.Id(m.instanceIn(instance, params)).Dot("Answered").
			Call(jen.Lit(m.wrapper.handler(&h.Func)), jen.Id(cause), jen.Id(m.answer)),
		m.returns(m.answer),
	}
}
