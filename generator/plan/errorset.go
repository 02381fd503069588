package plan

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// nameError tells what may stand in a list of errors.
const nameError = "name an error type, a variable or constant that is an error, or a func(error) bool"

// An errorItem is one item of a list of errors with what it matches: more than one thing for a type T of which *T is an
// error as well.
type errorItem struct {
	directive.Item
	matches []Match
}

// setOf returns what the items of a list match, or nil where nothing is left of it.
func setOf(arg *directive.Arg, items []errorItem) *ErrorSet {
	if len(items) == 0 {
		return nil
	}
	set := &ErrorSet{Text: arg.Text}
	for _, item := range items {
		set.Matches = append(set.Matches, item.matches...)
	}
	return set
}

// errorItems resolves a list of errors. It reports items that are none, and items that add nothing to those before.
func (m *maker) errorItems(arg *directive.Arg) []errorItem {
	var items []errorItem
	for _, item := range arg.Value.Items {
		matches := m.matches(arg.Key.Name, item)
		if matches == nil {
			continue
		}
		added, by := m.added(items, matches)
		switch {
		case len(added) == 0 && equalMatches(by.matches, matches):
			m.errorf(item.Pos, itemEnd(item), "%s lists %s twice; remove one", arg.Key.Name, item.Text)
		case len(added) == 0:
			m.errorf(item.Pos, itemEnd(item), "%s=%s adds nothing to %s, which matches it already; remove one of them",
				arg.Key.Name, item.Text, by.Text)
		default:
			items = append(items, errorItem{item, added})
		}
	}
	return items
}

// added returns the matches that the items do not cover yet, and the item that covers the last of the others.
func (m *maker) added(items []errorItem, matches []Match) (added []Match, by errorItem) {
	for _, match := range matches {
		covered := false
		for _, item := range items {
			for _, before := range item.matches {
				if !covered && covers(before, match) {
					covered, by = true, item
				}
			}
		}
		if !covered {
			added = append(added, match)
		}
	}
	return added, by
}

// matches returns what one item of a list of errors matches, or nil after reporting that it is no error.
func (m *maker) matches(use string, item directive.Item) []Match {
	name, pointer := strings.CutPrefix(item.Text, "*")
	fail := func(format string, args ...any) []Match {
		m.errorf(item.Pos, itemEnd(item), use+"="+item.Text+": "+format, args...)
		return nil
	}
	obj, err := m.pkg.Resolve(m.pkg.FileOf(item.Pos), name)
	switch {
	case m.unseen(err):
		return nil
	case err != nil:
		near := nearestName(err)
		if near != "" && pointer {
			near = "*" + near
		}
		m.suggest(m.errorf(item.Pos, itemEnd(item), "%s=%s: %v", use, item.Text, err), item, near)
		return nil
	}
	if !m.usable(use, item, obj) {
		return nil
	}
	switch obj := obj.(type) {
	case *types.TypeName:
		matches, problem := m.typeMatches(obj, pointer)
		if problem != "" {
			return fail("%s", problem)
		}
		return matches
	case *types.Var, *types.Const:
		switch {
		case pointer:
			return fail("%s is %s; write it without *", name, m.describe(obj))
		case isPredicateType(obj.Type()):
			return fail("%s is %s; declare it with func, so that it is a function for good", name, m.describe(obj))
		case !isError(obj.Type()):
			return fail("%s is %s, which is no error; %s", name, m.describe(obj), nameError)
		}
		return []Match{{Value: obj}}
	case *types.Func:
		sig := obj.Type().(*types.Signature)
		if pointer || !isPredicate(sig) {
			return fail("%s is %s; %s", name, m.describe(obj), nameError)
		}
		return []Match{{Predicate: obj}}
	default:
		return fail("%s is %s; %s", name, m.describe(obj), nameError)
	}
}

// typeMatches returns what a type in a list of errors matches: T, *T or both, whatever of it is an error.
func (m *maker) typeMatches(obj *types.TypeName, pointer bool) (matches []Match, problem string) {
	t, name := obj.Type(), m.typeText(obj.Type())
	if generic, ok := t.(interface{ TypeParams() *types.TypeParamList }); ok && generic.TypeParams().Len() > 0 {
		return nil, obj.Name() + " is generic; name an error type without type parameters"
	}
	if types.IsInterface(t) {
		switch {
		case pointer:
			return nil, name + " is an interface type; write it without *"
		case types.Identical(t, errorType):
			return []Match{{Any: true}}, ""
		case !isError(t):
			return nil, name + " is an interface type without Error() string; embed error in it"
		}
		return []Match{{Type: t}}, ""
	}
	if !pointer && isError(t) {
		matches = append(matches, Match{Type: t})
	}
	if isError(types.NewPointer(t)) {
		matches = append(matches, Match{Type: types.NewPointer(t)})
	}
	if matches == nil {
		return nil, name + " has no method Error() string, so it is no error; " + nameError
	}
	return matches, ""
}

func isError(t types.Type) bool {
	return types.Implements(t, errorType.Underlying().(*types.Interface))
}

func isPredicateType(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && isPredicate(sig)
}

func isPredicate(sig *types.Signature) bool {
	return sig.TypeParams().Len() == 0 && sig.Params().Len() == 1 && sig.Results().Len() == 1 && !sig.Variadic() &&
		types.Identical(sig.Params().At(0).Type(), errorType) &&
		types.Identical(sig.Results().At(0).Type(), types.Typ[types.Bool])
}

// covers reports whether every error that b matches is matched by a as well, as far as types can tell.
func covers(a, b Match) bool {
	switch {
	case a.Value != nil:
		return a.Value == b.Value
	case a.Predicate != nil:
		return a.Predicate == b.Predicate
	case b.Predicate != nil:
		return coversType(typeOf(a), errorType)
	}
	return coversType(typeOf(a), typeOf(b))
}

// typeOf returns the static type of the errors that are matched.
func typeOf(match Match) types.Type {
	switch {
	case match.Type != nil:
		return match.Type
	case match.Value != nil:
		return match.Value.Type()
	}
	return errorType
}

func coversType(a, b types.Type) bool {
	if types.IsInterface(a) {
		return types.Implements(b, a.Underlying().(*types.Interface))
	}
	return types.Identical(a, b)
}

// equalMatch reports whether a and b match the same errors.
func equalMatch(a, b Match) bool { return covers(a, b) && covers(b, a) }

func equalMatches(a, b []Match) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equalMatch(a[i], b[i]) {
			return false
		}
	}
	return true
}

// contradict reports the items of one list that stand in another one that says the opposite. Positions of both decide
// which is the second.
func (m *maker) contradict(use string, items []errorItem, otherUse string, others []errorItem, remedy string) {
	for _, item := range items {
		for _, other := range others {
			if !shareMatch(item.matches, other.matches) {
				continue
			}
			at, before, atUse, beforeUse := item, other, use, otherUse
			if sameFile(m, item.Pos, other.Pos) && item.Pos < other.Pos {
				at, before, atUse, beforeUse = other, item, otherUse, use
			}
			m.errorf(at.Pos, itemEnd(at.Item), "%s=%s is in %s at %s too; %s", atUse, at.Text, beforeUse,
				m.line(before.Pos), remedy)
		}
	}
}

func sameFile(m *maker, a, b token.Pos) bool {
	return m.pkg.Fset.File(a) == m.pkg.Fset.File(b)
}

func shareMatch(a, b []Match) bool {
	for _, x := range a {
		for _, y := range b {
			if equalMatch(x, y) {
				return true
			}
		}
	}
	return false
}
