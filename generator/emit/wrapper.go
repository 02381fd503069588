package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// A wrapper is a generated type while it is written. Its fields and methods share one scope with the interface's
// methods, whose names are given.
type wrapper struct {
	file       *file
	plan       *plan.Wrapper
	typeParams typeParams
	outside    *printer
	members    *scope
	next       string // field that holds what is wrapped
	fallbacks  string // field that holds the value whose methods are fallbacks
	expected   string // method that knows the errors that are answers
	forwards   []*forward
	asked      bool // whether a layer calls it
	receiver   string
	methods    []*method
	rules      []*rule
}

func newWrapper(f *file, p *plan.Wrapper) (*wrapper, error) {
	w := &wrapper{file: f, plan: p, typeParams: newTypeParams(p, f.declared), outside: f.outside(), members: newScope()}
	w.outside.typeParams = w.typeParams.byParam()
	for _, m := range p.Methods {
		w.members.reserve(m.Func.Name())
	}
	for _, f := range p.Forwards {
		for _, m := range f.Methods {
			w.members.reserve(m.Func.Name())
		}
	}
	w.next = w.members.name("next", "wrapped")
	if p.Fallbacks != nil {
		w.fallbacks = w.members.name("fallbacks")
	}
	if p.Expected != nil {
		w.expected = w.members.name("expected", "expectedError")
	}
	taken := newScope()
	for _, m := range p.Methods {
		method, err := newMethod(w, m)
		if err != nil {
			return nil, err
		}
		w.methods = append(w.methods, method)
		for name := range method.scope.taken {
			taken.reserve(name)
		}
	}
	if err := w.collectForwards(taken); err != nil {
		return nil, err
	}
	w.collectRules()
	w.receiver = taken.name("w", "wrapper")
	for _, m := range w.allMethods() {
		m.scope.take(w.receiver)
		m.nameLocals()
	}
	return w, nil
}

// self returns the wrapper's type, as in ResilientStore[K, V].
func (w *wrapper) self() string { return w.plan.Name + w.typeParams.arguments() }

// wrapped returns the interface's type.
func (w *wrapper) wrapped() string {
	return w.outside.object(w.plan.Interface) + w.typeParams.arguments()
}

func (w *wrapper) declarations() []jen.Code {
	code := []jen.Code{w.assertion(), w.structure(), w.constructor()}
	for _, m := range w.allMethods() {
		code = append(code, m.declarations()...)
	}
	return append(code, w.ruleMethods()...)
}

// assertion has the compiler check that the wrapper has all methods of its interfaces, which is how a file that is older
// than its interface is found out.
func (w *wrapper) assertion() jen.Code {
	interfaces := []string{w.wrapped()}
	for _, f := range w.forwards {
		interfaces = append(interfaces, f.typ)
	}
	assertions := make([]jen.Code, len(interfaces))
	for i, typ := range interfaces {
		assertions[i] = jen.Id("_").Id(typ).Op("=").Parens(jen.Op("*").Id(w.self())).Call(jen.Nil())
	}
	declaration := jen.Var().Add(assertions[0])
	if len(assertions) > 1 {
		declaration = jen.Var().Defs(assertions...)
	}
	if len(w.typeParams.names) == 0 {
		return declaration
	}
	// Only inside of a function can it be said for all type arguments.
	return jen.Func().Id("_" + w.typeParams.declaration(w.outside)).Params().Block(declaration)
}

func (w *wrapper) structure() jen.Code {
	fields := []jen.Code{jen.Id(w.next).Id(w.wrapped())}
	if w.plan.Fallbacks != nil {
		fields = append(fields, jen.Id(w.fallbacks).Id(w.outside.typ(w.plan.Fallbacks)))
	}
	for _, f := range w.forwards {
		fields = append(fields, jen.Id(f.field).Id(f.typ))
	}
	for _, m := range w.methods {
		if instances := m.instances(); len(instances) > 0 {
			fields = append(fields, jen.Id(m.field).Struct(instances...))
		}
	}
	name := w.plan.Name + w.typeParams.declaration(w.outside)
	return w.doc().Type().Id(name).Struct(fields...)
}

// method returns the beginning of a method's declaration. A receiver without a name is one that the body does not use.
func (w *wrapper) method(doc *jen.Statement, receiver, name string) *jen.Statement {
	return doc.Func().Params(jen.Id(strings.TrimSpace(receiver + " *" + w.self()))).Id(name)
}
