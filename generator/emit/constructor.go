package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"
)

// lineWidth is the width that lines should keep to. A tab counts as four columns.
const lineWidth = 118

// codeWidth is the width beyond which a function's parameters get a line of their own.
const codeWidth = 120

// constructor writes the function that makes the wrapper: it binds every instance, in the order of the methods and, for
// one method, from the outside in.
func (w *wrapper) constructor() jen.Code {
	body := w.body(nil, "")
	s := body.scope(w.typeParams.names...)
	next := s.name("next")
	fallbacks := ""
	params := []string{next + " " + w.wrapped()}
	fields := []jen.Code{jen.Id(w.next).Op(":").Id(next)}
	if w.plan.Fallbacks != nil {
		fallbacks = s.name("fallbacks")
		fields = append(fields, jen.Id(w.fallbacks).Op(":").Id(fallbacks))
		params = append(params, fallbacks+" "+w.outside.typ(w.plan.Fallbacks))
	}
	rt := s.name("rt", "runtime")
	params = append(params, rt+" *"+w.outside.runtime("resil", "Runtime"))
	self, binding, err, wrapped := s.name("w", "wrapper"), s.name("b", "binding"), s.name("err"), s.name("wrapped")
	ok := s.name("ok", "has")

	body.local(w.plan.Name)
	label := jen.Lit(w.plan.Label)
	code := []jen.Code{
		jen.If(jen.Id(next).Op("==").Nil()).Block(
			jen.Return(jen.Nil(), jen.Id(body.runtime("resil", "NilNext")).Call(label)),
		),
		jen.If(
			jen.List(jen.Id("_"), jen.Id(wrapped)).Op(":=").Id(next).Assert(jen.Op("*").Id(w.self())),
			jen.Id(wrapped),
		).Block(
			jen.Return(jen.Nil(), jen.Id(body.runtime("resil", "WrappedTwice")).Call(label)),
		),
	}
	for _, f := range w.forwards {
		held := s.name(f.field)
		fields = append(fields, jen.Id(f.field).Op(":").Id(held))
		code = append(code, f.askFor(body, next, held, ok, label)...)
	}
	code = append(code,
		jen.Id(self).Op(":=").Op("&").Id(w.self()).Values(fields...),
		jen.Id(binding).Op(":=").Id(body.runtime("resil", "Bind")).Call(
			jen.Id(rt), jen.Lit(w.plan.Interface.Pkg().Path()), label,
		),
	)
	for _, m := range w.methods {
		code = append(code, m.bindings(body, self, binding)...)
	}
	code = append(code,
		jen.If(jen.Id(err).Op(":=").Id(binding).Dot("Err").Call(), jen.Id(err).Op("!=").Nil()).Block(
			jen.Return(jen.Nil(), jen.Id(err)),
		),
		jen.Return(jen.Id(self), jen.Nil()),
	)
	name := w.plan.Constructor + w.typeParams.declaration(w.outside)
	return w.constructorDoc(next, fallbacks, rt).
		Func().Id(name).Add(parameters(params, "(*"+w.self()+", error)", len("func ")+len(name))).
		Block(code...)
}

// bindings writes how a method's instances are bound.
func (m *method) bindings(body *printer, self, binding string) []jen.Code {
	var code []jen.Code
	for _, l := range m.layers {
		on := binding
		if l.plan.Configuration != "" {
			on += ".Configuration(" + strconv.Quote(l.plan.Configuration) + ")"
		}
		var options []string
		for i := range l.plan.Options {
			options = append(options, m.option(body, self, l, &l.plan.Options[i]))
		}
		code = append(code, bind(on+"."+l.kind.bind, "&"+self+"."+l.instance, l.plan.Name, options))
		if l.plan.Fallback != nil {
			code = append(code, bind(binding+".Fallback", "&"+self+"."+l.fallback, l.plan.Fallback.Name, nil))
		}
	}
	if len(m.layers) > 1 && !m.plan.Ordered {
		code = append(code, m.order(body, binding))
	}
	if m.plan.Fallback != nil {
		code = append(code, bind(binding+".Fallback", "&"+self+"."+m.fallback, m.plan.Fallback.Name, nil))
	}
	return code
}

// order writes in which order a method's layers are.
func (m *method) order(body *printer, binding string) jen.Code {
	args := []string{strconv.Quote(m.name)}
	for _, l := range m.layers {
		args = append(args, body.runtime("policy", l.kind.policy))
	}
	return fitted(binding+".Order", args, 0)
}

// bind writes one call of resil.Bind's result, with an option a line where they do not all fit into one.
func bind(function, reference, name string, options []string) jen.Code {
	args := append([]string{reference, strconv.Quote(name)}, options...)
	width := 4 + len(function) + len("()")
	switch first := list(args[:2], false); {
	case len(options) == 0 || width+len(list(args, false)) <= lineWidth:
		return fitted(function, args, 0)
	case width+len(first) <= lineWidth:
		return jen.Id(function).Call(append([]jen.Code{jen.Id(first)}, lines(options)...)...)
	}
	return jen.Id(function).Call(lines(args)...)
}

// fitted writes a call behind the given width of its line. Where its arguments do not fit there they have a line of their
// own, or a line each.
func fitted(function string, args []string, width int) *jen.Statement {
	one := list(args, false)
	switch {
	case 4+width+len(function)+len("()")+len(one) <= lineWidth:
		return jen.Id(function).Call(ids(args)...)
	case 8+len(one)+len(",") <= lineWidth:
		return jen.Id(function).Call(jen.Line().Id(one), jen.Line())
	}
	return jen.Id(function).Call(lines(args)...)
}

// lines returns arguments that have a line each.
func lines(args []string) []jen.Code {
	code := make([]jen.Code, len(args), len(args)+1)
	for i, arg := range args {
		code[i] = jen.Line().Id(arg)
	}
	return append(code, jen.Line())
}
