package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// maxValues is how many values a name can have, besides its scope. The runtime's limit is the same.
const maxValues = 4

// templateText returns the text of a name or a configuration as the runtime reads it: {method} and {interface} have
// their values, a brace is written {{, and the same expressions are the same text.
func templateText(arg *directive.Arg, w *wrapper, method *method) string {
	var b strings.Builder
	for _, part := range arg.Value.Parts {
		switch {
		case part.Literal != "":
			b.WriteString(escaped(part.Literal))
		case part.Word == directive.WordMethod:
			b.WriteString(method.name())
		case part.Word == directive.WordInterface:
			b.WriteString(w.in.Object.Name())
		case part.Word != "":
			b.WriteString("{" + part.Word + "}")
		default:
			b.WriteString(exprText(part.Expr))
		}
	}
	return b.String()
}

// escaped returns a literal as it stands in a template.
func escaped(literal string) string { return strings.ReplaceAll(literal, "{", "{{") }

// exprText returns an expression as gofmt would have it.
func exprText(e *directive.Expr) string {
	return strings.ReplaceAll(strings.ReplaceAll(e.Text, " ", ""), ",", ", ")
}

// values resolves what the name of an instance has in braces for a method.
func (m *maker) values(layer *Layer, d placed, method *method) {
	arg := d.Arg("name")
	if arg == nil {
		return
	}
	count := 0
	for _, part := range arg.Value.Parts {
		if part.Word != "" {
			m.checkWord(d, part, method)
		}
		if part.Expr != nil {
			if value := m.value(d, arg, part.Expr, method); value != nil {
				layer.Values = append(layer.Values, *value)
			}
		}
		if part.Expr != nil || part.Word == directive.WordTenant {
			count++
		}
	}
	if count > maxValues {
		m.errorf(arg.Pos, arg.End, "name=%s has %d values; it may have at most %d; put several into one by a "+
			"function, as in {keyOf(req)}", arg.Text, count, maxValues)
	}
}

// checkWord reports a tenant that there is nothing to take from, and a word that is not the parameter of the same name.
func (m *maker) checkWord(d placed, part directive.Part, method *method) {
	if part.Word == directive.WordTenant && method.plan.Context.Param < 0 && !method.ctxWrong {
		remedy := "write a name without it"
		if d.level != onMethod {
			remedy = "write //resil:skip " + d.Spec.Name + " on it"
		}
		m.errorf(part.Pos, part.End, "{tenant} is taken from the context of the call, and %s has none; give it a "+
			"context.Context, say where one is by //resil:ctx, or %s", method.name(), remedy)
	}
	if i := rootParam(method.signature(), part.Word); i >= 0 && d.level == onMethod {
		m.warnf(part.Pos, part.End, "{%s} is %s and not the parameter %[1]s; write {%[3]d} for the parameter", part.Word,
			meanings[part.Word], i)
	}
}

// meanings says what the words stand for.
var meanings = map[string]string{
	directive.WordTenant:    "the tenant of the call's context",
	directive.WordScope:     "the scope of the runtime",
	directive.WordMethod:    "the name of the method",
	directive.WordInterface: "the name of the interface",
}

// configuration settles the configuration of a layer, which may have in braces what the name has.
func (m *maker) configuration(layer *Layer, w *wrapper, d placed, method *method) {
	arg := d.Arg("configuration")
	if arg == nil {
		return
	}
	layer.Configuration = templateText(arg, w, method)
	var has []string
	if name := d.Arg("name"); name != nil {
		for _, part := range name.Value.Parts {
			if part.Expr != nil || part.Word == directive.WordTenant {
				has = append(has, braces(part))
			}
		}
	}
	for _, part := range arg.Value.Parts {
		text := braces(part)
		if part.Expr == nil && part.Word != directive.WordTenant || slices.Contains(has, text) {
			continue
		}
		remedy := fmt.Sprintf("write %s into the name too, as in %s", text, nameWith(d, w, method, text))
		if near := directive.Nearest(text, has); near != "" {
			remedy = "did you mean " + near + "?"
		}
		m.errorf(part.Pos, part.End, "the configuration depends on %s, which the name does not have, and one instance has one "+
			"configuration; %s", text, remedy)
	}
	m.oneConfiguration(instanceOf(w, method, d.Directive), arg, layer.Configuration)
}

// oneConfiguration reports {method} or {interface} in the configuration of an instance that several of them share.
func (m *maker) oneConfiguration(of instance, arg *directive.Arg, name string) {
	before, has := m.configurations[of]
	if !has {
		m.configurations[of] = name
		return
	}
	constant := func(part directive.Part) bool {
		return part.Word == directive.WordMethod || part.Word == directive.WordInterface
	}
	if i := slices.IndexFunc(arg.Value.Parts, constant); before != name && i >= 0 {
		part := arg.Value.Parts[i]
		m.errorf(part.Pos, part.End, "the configuration of %s %q is %q and %q, and one instance has one configuration; write "+
			"%s into the name too, or one configuration", of.kind, of.name, before, name, braces(part))
	}
}

// braces returns what a part stands for in a template, empty for a literal.
func braces(part directive.Part) string {
	switch {
	case part.Word != "":
		return "{" + part.Word + "}"
	case part.Expr != nil:
		return exprText(part.Expr)
	}
	return ""
}

// nameWith returns the argument name= as it would be with text at its end.
func nameWith(d placed, w *wrapper, method *method, text string) string {
	name := w.plan.Label + "." + method.name()
	if arg := d.Arg("name"); arg != nil {
		name = arg.Text
	} else if d.level != onMethod {
		name = w.in.Object.Pkg().Name() + ".{interface}.{method}"
	}
	return fmt.Sprintf("name=%s-%s", name, text)
}
