package plan

import (
	"go/types"
	"slices"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/source"
)

// The directives that the plan treats by name.
const (
	kindFallback    = "fallback"
	kindRetry       = "retry"
	kindBreaker     = "circuitbreaker"
	kindRateLimiter = "ratelimiter"
	kindTimeLimiter = "timelimiter"
	kindBulkhead    = "bulkhead"
	kindOrder       = "order"
	kindSkip        = "skip"
	kindCtx         = "ctx"
	kindWrapper     = "wrapper"
)

// A level is where a directive stands, as a method sees it. A directive of a nearer level replaces those of the same
// kind of the levels behind it.
type level int

const (
	onMethod    level = iota
	onInterface       // on the interface itself
	inherited         // on the embedded interface of the package that the method comes from
)

// A placed directive is one that a method takes, with the level that it comes from.
type placed struct {
	*directive.Directive
	level level
}

// suffix names the method in a message about a directive that several methods take.
func (p placed) suffix(method *method) string {
	if p.level == onMethod {
		return ""
	}
	return " for " + method.name()
}

var errorType = types.Universe.Lookup("error").Type()

// collect works out which directives each method of the wrapper takes.
func (m *maker) collect(w *wrapper) {
	w.plan = &Wrapper{Interface: w.in.Object, Label: m.pkg.Name + "." + w.in.Object.Name()}
	m.checkPlace(w.in.Directives, directive.OnInterface)
	w.own = directive.First(w.in.Directives, kindWrapper)

	reached := make(map[*directive.Directive]bool)
	for _, in := range w.in.Methods {
		m.checkPlace(in.Directives, directive.OnMethod)
		method := &method{in: in}
		w.methods = append(w.methods, method)
		if !in.ReturnsError() {
			m.refuseDirectives(in)
			continue
		}
		m.merge(w, method, reached)
	}
	m.checkReach(w, reached)
}

// checkPlace reports directives that do not belong where they stand, and repeated ones.
func (m *maker) checkPlace(list []*directive.Directive, here directive.Target) {
	for i, d := range list {
		if d.Spec.On&here == 0 {
			where := "a method"
			if d.Spec.On == directive.OnInterface {
				where = "an interface"
			}
			m.errorf(d.Pos, d.End, "%s does not belong here; it stands in the doc comment of %s", d.Spec.Name, where)
			continue
		}
		if d.Spec.Repeat {
			continue
		}
		if before := directive.First(list[:i], d.Spec.Name); before != nil {
			m.errorf(d.Pos, d.End, "a second %s in one place, the first is at %s; join them, or remove one",
				d.Spec.Name, m.line(before.Pos))
		}
	}
}

// refuseDirectives reports the directives of a method that can't carry any.
func (m *maker) refuseDirectives(in *source.Method) {
	for _, d := range in.Directives {
		if d.Spec.On&directive.OnMethod == 0 {
			continue // reported by checkPlace
		}
		m.errorf(d.Pos, d.End, "%s on a method whose last result is not error; give %s an error as its last result, or "+
			"remove the directive", d.Spec.Name, in.Func.Name())
	}
}

// merge fills in what the method takes from its own directives, the interface's and the inherited ones, and notes in
// reached which of the interface's directives serve it.
func (m *maker) merge(w *wrapper, method *method, reached map[*directive.Directive]bool) {
	levels := [...][]*directive.Directive{
		onMethod:    method.in.Directives,
		onInterface: w.in.Directives,
		inherited:   method.in.Inherited,
	}
	take := func(kind string, from level) []placed {
		for at := from; int(at) < len(levels); at++ {
			var found []placed
			for _, d := range levels[at] {
				if d.Spec.Name == kind && (d.Spec.Repeat || len(found) == 0) {
					found = append(found, placed{d, at})
				}
			}
			if found != nil {
				return found
			}
		}
		return nil
	}
	skipped := m.skipped(method, func(kind string) bool { return take(kind, onInterface) != nil })

	policies := make(map[string]placed)
	for i := range directive.Table {
		spec := &directive.Table[i]
		if !spec.Policy && spec.Name != kindFallback {
			continue
		}
		found := take(spec.Name, onMethod)
		if len(found) == 0 || found[0].level != onMethod && skipped(spec.Name) {
			continue
		}
		for _, d := range found {
			reached[d.Directive] = true
		}
		if spec.Policy {
			policies[spec.Name] = found[0]
		} else {
			method.fallbacks = found
		}
	}
	var order *placed
	if found := take(kindOrder, onMethod); found != nil {
		order = &found[0]
		method.ordered = true
	}
	method.chain = m.ordered(method, policies, order, reached)
	if found := take(kindCtx, onMethod); found != nil {
		method.ctx = &found[0]
	}
}

// skipped returns which kinds of the interface the method's skip directive keeps away. It reports what it skips without
// need: a kind that the interface would not have given, or that the method's own directive replaces anyway.
func (m *maker) skipped(method *method, given func(kind string) bool) func(kind string) bool {
	skip := directive.First(method.in.Directives, kindSkip)
	if skip == nil {
		return func(string) bool { return false }
	}
	kinds := skip.Arg("kinds")
	if kinds == nil {
		if m.broken(skip.Pos, skip.End) {
			return func(string) bool { return true }
		}
		useful := slices.ContainsFunc(directive.Table, func(spec directive.Spec) bool {
			return (spec.Policy || spec.Name == kindFallback) && given(spec.Name) &&
				directive.First(method.in.Directives, spec.Name) == nil
		})
		if !useful {
			m.errorf(skip.Pos, skip.End, "skip does nothing: %s would take nothing from the interface; remove it",
				method.name())
		}
		return func(string) bool { return true }
	}
	listed := make(map[string]bool)
	for _, item := range kinds.Value.Items {
		own := directive.First(method.in.Directives, item.Text)
		switch {
		case own != nil:
			m.errorf(item.Pos, itemEnd(item), "skip %s does nothing: the method's own %s at %s replaces the interface's; "+
				"remove one of them", item.Text, item.Text, m.line(own.Pos))
		case !given(item.Text):
			m.errorf(item.Pos, itemEnd(item), "skip %s does nothing: %s would take no %s from the interface; remove it",
				item.Text, method.name(), item.Text)
		}
		listed[item.Text] = true
	}
	return func(kind string) bool { return listed[kind] }
}

// checkReach reports the interface's own directives that no method takes. Whether a ctx directive is needed is known
// only when the methods' contexts are: checkContextReach.
func (m *maker) checkReach(w *wrapper, reached map[*directive.Directive]bool) {
	for _, d := range w.in.Directives {
		if reached[d] || d.Spec.On&directive.OnInterface == 0 || d.Spec.Name == kindWrapper || d.Spec.Name == kindCtx {
			continue
		}
		if d != directive.First(w.in.Directives, d.Spec.Name) && !d.Spec.Repeat {
			continue // reported by checkPlace
		}
		remedy := "a method takes it if its last result is error, it has no " + d.Spec.Name + " of its own and does not " +
			"skip it"
		if d.Spec.Name == kindOrder {
			if m.brokenFile(d.Pos) {
				continue
			}
			remedy = "a method takes it if it has one of the policies listed and no order of its own"
		}
		m.errorf(d.Pos, d.End, "no method of %s takes this %s; %s", w.in.Object.Name(), d.Spec.Name, remedy)
	}
}
