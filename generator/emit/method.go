package emit

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// A method is one of the interface's methods while it is written. Its bodies, one a layer, share their names.
type method struct {
	wrapper   *wrapper
	plan      *plan.Method
	name      string
	next      string   // field of the wrapper whose method is called in the end
	forward   *forward // the interface that has it, where that is not the wrapper's own
	signature *types.Signature
	body      *printer
	scope     *scope
	stem      string // start of the names of its layers' methods
	field     string // field of the wrapper that holds its instances
	fallback  string // where the instance of its fallback is, from the wrapper
	layers    []*layer
	keys      []*keyMethod

	params  []string
	results []string // all of them, the error too
	err     string   // of the error; empty where the last result is none

	// Local variables.
	call, attempts   string // what the policies return for a call
	limiter, limited string // a time limiter, and the context that it limits
	handled, found   string // e, ok := policy.As[T](err)
	answer, cause    string // the error that a fallback returns, and the one that it is given
	at, caller       string // what layers hand on: see handed
	rates, pool      string // a rate limiter and a pool that are needed twice
	all, allType     string // the results of a detached call as one value
}

func newMethod(w *wrapper, p *plan.Method) (*method, error) {
	m := &method{wrapper: w, plan: p, name: p.Func.Name(), next: w.next, signature: p.Func.Signature(), body: w.body(p, "")}
	m.stem = lowerFirst(m.name)
	if len(p.Chain) > 0 || p.Fallback != nil {
		m.field = w.members.name(m.stem, m.stem+"Layers")
		m.fallback = m.field + ".fallback"
	}
	for i, l := range p.Chain {
		layer, err := m.newLayer(l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Func.FullName(), err)
		}
		if i > 0 || m.delegates() {
			layer.method = w.members.name(m.stem + upperFirst(layer.kind.field))
		}
		if l.Fallback != nil {
			layer.answered = w.members.name(m.stem + upperFirst(layer.kind.field) + "Fallback")
		}
		m.layers = append(m.layers, layer)
	}
	m.scope = m.body.scope(w.typeParams.names...)
	m.params = paramNames(m.signature.Params(), m.scope, w.file.imports.all)
	m.keyMethods()
	return m, nil
}

// delegates reports whether the public method has something to do around the outermost layer. Otherwise it is that
// layer itself.
func (m *method) delegates() bool {
	outermost := m.plan.Chain[0]
	return m.plan.Fallback != nil || outermost.Fallback != nil || m.plan.Unmark && !unmarks(outermost)
}

// unmarks reports whether a layer that is the public method itself takes the mark off what it returns. Retries and
// circuit breakers do, which spares their method one more around it.
func unmarks(l *plan.Layer) bool { return l.Spec.Name == "retry" || l.Spec.Name == "circuitbreaker" }

// leaving returns the error with which the i-th layer ends: without a mark where it is the public method itself.
func (m *method) leaving(i int) string {
	if m.layers[i].method == "" {
		return m.unmarkedFrom(i + 1)
	}
	return m.err
}

// nameLocals names results and local variables, which give way to parameters and the receiver.
func (m *method) nameLocals() {
	m.results = resultNames(m.signature.Results(), m.scope, m.wrapper.file.imports.all)
	if last := m.signature.Results().Len() - 1; last >= 0 && isError(m.signature.Results().At(last).Type()) {
		m.err = m.results[last]
	}
	m.call = m.scope.name("call")
	m.attempts = m.scope.name("attempts")
	m.handled = m.scope.name("e")
	m.found = m.scope.name("ok", "found")
	m.answer = m.scope.name("answer")
	m.cause = m.scope.name("cause")
	m.limiter = m.scope.name("limiter", "timeLimiter")
	m.rates = m.scope.name("rateLimiter")
	m.limited = m.scope.name("ctx", "limited")
	m.at = m.scope.name("at", "began")
	m.caller = m.scope.name("caller")
	m.pool = m.scope.name("pool")
	m.all = m.scope.name("r")
	m.allType = m.scope.name("results")
}

// instances returns the fields of the method's struct, in the order of the chain.
func (m *method) instances() []jen.Code {
	var fields []jen.Code
	ref := func(reference, instance, pkg, name string) {
		_, field, _ := strings.Cut(instance, ".")
		reference = m.wrapper.outside.runtime("resil", reference)
		fields = append(fields, jen.Id(field).Id(reference+"["+m.wrapper.outside.runtime(pkg, name)+"]"))
	}
	for _, l := range m.layers {
		reference := "Ref"
		if len(l.plan.Values) > 0 {
			reference = "Keyed"
		}
		ref(reference, l.instance, l.plan.Spec.Package, l.kind.typ)
		if l.plan.Fallback != nil {
			ref("Ref", l.fallback, "fallback", "Fallback")
		}
	}
	if m.plan.Fallback != nil {
		ref("Ref", m.fallback, "fallback", "Fallback")
	}
	return fields
}

// declarations writes the public method and below it its layers, from the outside in.
func (m *method) declarations() []jen.Code {
	code := []jen.Code{m.public()}
	for i, l := range m.layers {
		if l.plan.Fallback != nil {
			code = append(code, m.declare(m.layerFallbackDoc(i), l.answered, m.entryTakes(i), false, m.layerFallback(i)))
		}
		if l.method != "" {
			code = append(code, m.declare(m.layerDoc(l), l.method, m.layerTakes(i), l.kind.named, l.kind.body(m, i)))
		}
	}
	return append(code, m.keyDeclarations()...)
}

func (m *method) public() jen.Code {
	switch {
	case m.plan.Fallback != nil:
		return m.declare(m.doc(), m.name, handed{}, false, m.answered())
	case m.plan.Unmark && m.delegates():
		return m.declare(m.doc(), m.name, handed{}, false, m.unmarked())
	case len(m.layers) == 0 || m.delegates():
		return m.declare(m.doc(), m.name, handed{}, false, m.passOn())
	}
	return m.declare(m.doc(), m.name, handed{}, m.layers[0].kind.named, m.layers[0].kind.body(m, 0))
}

// passOn writes a call without anything around it.
func (m *method) passOn() []jen.Code {
	if m.signature.Results().Len() == 0 {
		return []jen.Code{jen.Id(m.inner(0))}
	}
	return []jen.Code{jen.Return(jen.Id(m.inner(0)))}
}

// unmarked writes the body that takes the mark off what the layers return.
func (m *method) unmarked() []jen.Code {
	if len(m.results) == 1 {
		return []jen.Code{jen.Return(jen.Id(m.body.runtime("policy", "Unmark")).Call(jen.Id(m.inner(0))))}
	}
	return []jen.Code{m.assign(":=", m.inner(0)), m.returns(m.body.runtime("policy", "Unmark") + "(" + m.err + ")")}
}

// declare writes a method with the interface's parameters, those that it takes beside them, and the interface's results.
// Where there are results beside the error, they have names if named is set, so that the body can return their zero
// values.
func (m *method) declare(doc *jen.Statement, name string, takes handed, named bool, body []jen.Code) jen.Code {
	w := m.wrapper
	results := m.signature.Results()
	returned := list(w.outside.types(results), false)
	switch {
	case results.Len() > 1 && named:
		returned = "(" + list(w.outside.fields(results, false, m.results), false) + ")"
	case results.Len() > 1:
		returned = "(" + returned + ")"
	}
	width := len("func (") + len(w.receiver) + len(" *") + len(w.self()) + len(") ") + len(name)
	return w.method(doc, w.receiver, name).Add(parameters(m.parameters(takes), returned, width)).Block(body...)
}

// parameters writes parameters and results of a function, behind the given width of its line. Where they do not all fit
// into it, the parameters have one of their own.
func parameters(params []string, results string, width int) *jen.Statement {
	one := list(params, false)
	if width+len("(")+len(one)+len(") ")+len(results)+len(" {") > codeWidth && len(params) > 1 {
		return jen.Params(jen.Line().Id(one), jen.Line()).Id(results)
	}
	return jen.Params(ids(params)...).Id(results)
}

// list returns arguments as they are written in a call.
func list(args []string, variadic bool) string {
	text := strings.Join(args, ", ")
	if variadic {
		text += "..."
	}
	return text
}

// context returns the method's context, as a body with its own parameters gets it.
func (m *method) context() string { return m.contextIn(m.params) }

// contextIn returns the method's context where its parameters have these values.
func (m *method) contextIn(params []string) string {
	c := m.plan.Context
	if c.Param < 0 {
		return m.body.qualified("context", "context", "Background") + "()"
	}
	return follow(params[c.Param], c.Steps)
}

// instance returns the instance that a field of the method's struct refers to.
func (m *method) instance(path string) string { return m.instanceIn(path, m.params) }

// instanceIn is instance where the method's parameters have these values.
func (m *method) instanceIn(path string, params []string) string {
	return m.wrapper.receiver + "." + path + ".For(" + m.contextIn(params) + ")"
}

// values returns the names of the results without the error.
func (m *method) values() []string { return m.results[:len(m.results)-1] }

// assign writes results, the error too, op call.
func (m *method) assign(op, call string) jen.Code {
	return jen.List(ids(m.results)...).Op(op).Id(call)
}

// returns writes the return of all results with err in place of the error.
func (m *method) returns(err string) *jen.Statement {
	return jen.Return(append(ids(m.values()), jen.Id(err))...)
}

// isExpected writes the condition that the call's error is an answer, or returns nil where no error is.
func (m *method) isExpected() jen.Code {
	w := m.wrapper
	if w.plan.Expected == nil {
		return nil
	}
	w.asked = true
	return jen.Id(m.err).Op("!=").Nil().Op("&&").Id(w.receiver).Dot(w.expected).Call(jen.Id(m.err))
}

// callUser returns the call of one of the user's functions with the results and more arguments around them.
func (m *method) callUser(f *plan.Func, before, after []string) string {
	args := append(append(before, m.values()...), after...)
	return m.wrapper.function(m.body, m.wrapper.receiver, f) + "(" + list(args, false) + ")"
}

func ids(names []string) []jen.Code {
	code := make([]jen.Code, len(names))
	for i, name := range names {
		code[i] = jen.Id(name)
	}
	return code
}
