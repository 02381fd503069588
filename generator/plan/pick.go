package plan

import (
	"go/types"
	"slices"

	"github.com/resilgen/resilgen/generator/directive"
)

// An answer is one thing that a candidate answers.
type answer struct {
	match Match
	by    *candidate
	item  directive.Item // where it says so
}

// pick orders candidates as an engineer would order the cases of a switch over the error: concrete types, values and
// predicates as they are listed; then interfaces, the narrower before the wider; error last. It reports two that answer
// the same and those that are never asked. It returns nil where there is none.
func (m *maker) pick(name string, candidates []*candidate) *Fallback {
	answers := inOrder(answersOf(candidates))
	wrong := false
	for i, later := range answers {
		for _, earlier := range answers[:i] {
			if earlier.by == later.by || !covers(earlier.match, later.match) {
				continue
			}
			wrong = true
			where, what := m.line(earlier.item.Pos), m.matchText(later.match)
			if covers(later.match, earlier.match) {
				m.errorf(later.item.Pos, itemEnd(later.item), "%s answers %s as %s at %s does; keep one of them, or let them "+
					"answer different errors", later.by.Text, what, earlier.by.Text, where)
			} else {
				m.errorf(later.item.Pos, itemEnd(later.item), "%s never gets to answer %s: %s at %s answers %s before; keep one "+
					"of them", later.by.Text, what, earlier.by.Text, where, m.matchText(earlier.match))
			}
			break
		}
	}
	if wrong || len(answers) == 0 {
		return nil
	}
	fallback := &Fallback{Name: name}
	var last *candidate
	for _, a := range answers {
		if a.by != last {
			last = a.by
			fallback.Handlers = append(fallback.Handlers, &Handler{Func: last.fn, Form: last.form, Param: last.param})
		}
		handler := fallback.Handlers[len(fallback.Handlers)-1]
		handler.Matches = append(handler.Matches, a.match)
		handler.Cancelled = handler.Cancelled || isObject(a.match.Value, "context", "Canceled")
	}
	return fallback
}

func isObject(obj types.Object, path, name string) bool {
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == path && obj.Name() == name
}

// answersOf returns what the candidates answer, in the order listed. What a function answers twice it answers once.
func answersOf(candidates []*candidate) []answer {
	var answers []answer
	add := func(a answer) {
		if !slices.ContainsFunc(answers, func(before answer) bool {
			return before.by.fn.Object == a.by.fn.Object && before.by.fn.Method == a.by.fn.Method &&
				equalMatch(before.match, a.match)
		}) {
			answers = append(answers, a)
		}
	}
	for _, c := range candidates {
		for _, item := range c.on {
			for _, match := range item.matches {
				add(answer{match, c, item.Item})
			}
		}
		if c.on != nil {
			continue
		}
		match := Match{Type: c.param}
		if c.param == nil || types.Identical(c.param, errorType) {
			match = Match{Any: true}
		}
		add(answer{match, c, c.Item})
	}
	return answers
}

// inOrder puts answers in the order in which they are tried.
func inOrder(answers []answer) []answer {
	var first, interfaces, last []answer
	for _, a := range answers {
		switch {
		case a.match.Type == nil && !a.match.Any:
			first = append(first, a)
		case coversType(typeOf(a.match), errorType):
			last = append(last, a)
		case types.IsInterface(a.match.Type):
			interfaces = append(interfaces, a)
		default:
			first = append(first, a)
		}
	}
	return slices.Concat(first, narrowerFirst(interfaces), last)
}

// narrowerFirst moves an interface before those whose methods are a part of its own. Others keep their places.
func narrowerFirst(answers []answer) []answer {
	rest := slices.Clone(answers)
	var sorted []answer
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(a answer) bool {
			return !slices.ContainsFunc(rest, func(b answer) bool { return narrower(b.match.Type, a.match.Type) })
		})
		sorted = append(sorted, rest[next])
		rest = slices.Delete(rest, next, next+1)
	}
	return sorted
}

// narrower reports whether interface a has every method of interface b and more.
func narrower(a, b types.Type) bool { return coversType(b, a) && !coversType(a, b) }

// matchText names what is matched, for messages.
func (m *maker) matchText(match Match) string {
	qualified := func(obj types.Object) string {
		if obj.Pkg() == nil || obj.Pkg() == m.pkg.Types {
			return obj.Name()
		}
		return obj.Pkg().Name() + "." + obj.Name()
	}
	switch {
	case match.Type != nil:
		return m.typeText(match.Type)
	case match.Value != nil:
		return qualified(match.Value)
	case match.Predicate != nil:
		return "what " + qualified(match.Predicate) + " reports"
	}
	return "every error"
}
