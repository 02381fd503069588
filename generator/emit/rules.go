package emit

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/plan"
)

// A rule is a method of the wrapper that reports whether an error is one of a list. Layers with the same list share it.
type rule struct {
	name    string
	doc     string
	matches []plan.Match
	key     string // what tells rules apart: what it is for, and its matches as they are written
}

// A ruleUse is one place that needs a rule.
type ruleUse struct {
	method  *method
	key     string
	names   []string // candidates for its name where it is the method's own
	shared  string   // its name where several methods share it
	doc     string
	matches []plan.Match
}

// collectRules names the rules. One that a single method needs is named after it.
func (w *wrapper) collectRules() {
	var uses []ruleUse
	for _, m := range w.methods {
		for _, l := range m.layers {
			for _, o := range l.plan.Options {
				if o.Key.Type != directive.Errors || isPredicate(o.Errors.Matches) {
					continue
				}
				key := upperFirst(o.Key.Name)
				uses = append(uses, ruleUse{
					method: m, key: o.Key.Name + " " + identity(o.Errors.Matches), shared: o.Key.Name,
					names: []string{m.stem + key, m.stem + upperFirst(l.kind.field) + key},
					doc:   "reports whether err is in the list " + spaced(o.Errors.Text) + ".", matches: o.Errors.Matches,
				})
			}
			uses = m.handlerRules(uses, l.plan.Fallback)
		}
		uses = m.handlerRules(uses, m.plan.Fallback)
	}
	for i, use := range uses {
		same := func(other ruleUse) bool { return other.key == use.key }
		if slices.IndexFunc(uses, same) < i {
			continue
		}
		names := use.names
		if slices.ContainsFunc(uses, func(other ruleUse) bool { return same(other) && other.method != use.method }) {
			names = []string{use.shared}
		}
		w.rules = append(w.rules, &rule{name: w.members.name(names...), doc: use.doc, matches: use.matches, key: use.key})
	}
}

// handlerRules adds the handlers that answer so many types of errors that one condition can't tell them.
func (m *method) handlerRules(uses []ruleUse, f *plan.Fallback) []ruleUse {
	if f == nil {
		return uses
	}
	for _, h := range f.Handlers {
		typed := 0
		for _, match := range h.Matches {
			if match.Type != nil {
				typed++
			}
		}
		if typed < 2 || answersAll(h.Matches) || h.Form != plan.ParamsOnly && !isError(h.Param) {
			continue
		}
		name := lowerFirst(h.Func.Object.Name()) + "Answers"
		uses = append(uses, ruleUse{
			method: m, key: handlerRule + identity(h.Matches), names: []string{name}, shared: name,
			doc: "reports whether err is one that " + m.wrapper.link(&h.Func) + " answers.", matches: h.Matches,
		})
	}
	return uses
}

// handlerRule starts the keys of rules that belong to fallbacks.
const handlerRule = "fallback "

// identity returns a text that two lists of matches have in common if and only if they are the same.
func identity(matches []plan.Match) string {
	var texts []string
	for _, match := range matches {
		switch {
		case match.Type != nil:
			texts = append(texts, types.TypeString(match.Type, nil))
		case match.Value != nil:
			texts = append(texts, types.ObjectString(match.Value, nil))
		case match.Predicate != nil:
			texts = append(texts, match.Predicate.FullName())
		}
	}
	return strings.Join(texts, ",")
}

// rule returns the rule with that key, or nil.
func (w *wrapper) rule(key string) *rule {
	for _, r := range w.rules {
		if r.key == key {
			return r
		}
	}
	return nil
}

// errorRule returns the policy.ErrorRule of an option. A list of one function needs no method around it.
func (w *wrapper) errorRule(body *printer, self string, o *plan.Option) string {
	match := ""
	if isPredicate(o.Errors.Matches) {
		match = body.object(o.Errors.Matches[0].Predicate)
	} else {
		match = self + "." + w.rule(o.Key.Name+" "+identity(o.Errors.Matches)).name
	}
	return body.runtime("policy", "ErrorRule") + "{Match: " + match + ", Text: " + strconv.Quote(o.Errors.Text) + "}"
}

// ruleMethods writes the rules, and the one that knows the errors that are answers.
func (w *wrapper) ruleMethods() []jen.Code {
	rules := w.rules
	if w.asked {
		doc := "reports whether err is an answer and no failure: " + spaced(w.plan.Expected.Text) + "."
		rules = append(slices.Clip(rules), &rule{name: w.expected, doc: doc, matches: w.plan.Expected.Matches})
	}
	var code []jen.Code
	for _, r := range rules {
		body := w.body(nil, r.name)
		s := body.scope(w.typeParams.names...)
		err, ok := s.name("err", "failure"), s.name("ok", "found")
		code = append(code, w.method(comment(r.name+" "+r.doc), "", r.name).
			Params(jen.Id(err).Error()).Bool().Block(body.contains(r.matches, err, ok)...))
	}
	return code
}

// contains writes the body that reports whether err is one of the matches.
func (p *printer) contains(matches []plan.Match, err, ok string) []jen.Code {
	if answersAll(matches) {
		return []jen.Code{jen.Return(jen.Id(p.local("true")))}
	}
	tests := p.tests(matches, err)
	typed := slices.DeleteFunc(slices.Clone(matches), func(m plan.Match) bool { return m.Type == nil })
	var code []jen.Code
	for i, match := range typed {
		found := jen.List(jen.Id("_"), jen.Id(ok)).Op(":=").Id(p.as(match, err))
		if i == len(typed)-1 && len(tests) == 0 {
			return append(code, found, jen.Return(jen.Id(ok)))
		}
		code = append(code, jen.If(found, jen.Id(ok)).Block(jen.Return(jen.Id(p.local("true")))))
	}
	return append(code, jen.Return(jen.Id(strings.Join(tests, " || "))))
}

// as returns policy.As[T](err).
func (p *printer) as(match plan.Match, err string) string {
	return p.runtime("policy", "As") + "[" + p.typ(match.Type) + "](" + err + ")"
}

// tests returns the conditions that err is one of the values or fits one of the functions.
func (p *printer) tests(matches []plan.Match, err string) []string {
	var tests []string
	for _, match := range matches {
		switch {
		case match.Value != nil:
			tests = append(tests, p.runtime("policy", "Is")+"("+err+", "+p.object(match.Value)+")")
		case match.Predicate != nil:
			tests = append(tests, p.object(match.Predicate)+"("+err+")")
		}
	}
	return tests
}

// answersAll reports whether every error is among the matches.
func answersAll(matches []plan.Match) bool {
	return slices.ContainsFunc(matches, func(m plan.Match) bool { return m.Any })
}

// isPredicate reports whether the matches are one function.
func isPredicate(matches []plan.Match) bool { return len(matches) == 1 && matches[0].Predicate != nil }

// spaced returns a list as it stands in a sentence.
func spaced(list string) string { return strings.ReplaceAll(list, ",", ", ") }
