package plan

import (
	"cmp"
	"go/types"
	"maps"
	"slices"

	"github.com/resilgen/resilgen/generator/directive"
)

// An instance is what layers share: one policy under one name. Bulkheads of the two types are two policies.
type instance struct{ kind, name string }

// instanceOf returns the instance of a method's policy. Its name is the one written, or the method's own.
func instanceOf(w *wrapper, method *method, d *directive.Directive) instance {
	kind, name := d.Spec.Name, w.plan.Label+"."+method.name()
	if isPool(d) {
		kind = "pool " + kind
	}
	if arg := d.Arg("name"); arg != nil {
		name = templateText(arg, w, method)
	}
	return instance{kind, name}
}

func isPool(d *directive.Directive) bool {
	arg := d.Arg("type")
	return arg != nil && arg.Text == "pool"
}

// A sharing is the directives that speak of one instance, in the order of their positions. They agree where each key
// says the same wherever it stands.
type sharing struct {
	directives []*directive.Directive
	users      map[*directive.Directive][]*wrapper
}

// arg returns the first argument of the instance with the given key, or nil.
func (s *sharing) arg(key string) *directive.Arg {
	for _, d := range s.directives {
		if arg := d.Arg(key); arg != nil {
			return arg
		}
	}
	return nil
}

// shareSettings notes which directives speak of the same instance.
func (m *maker) shareSettings() {
	m.shared = make(map[instance]*sharing)
	for _, w := range m.wrappers {
		for _, method := range w.methods {
			for _, d := range method.chain {
				key := instanceOf(w, method, d.Directive)
				s := m.shared[key]
				if s == nil {
					s = &sharing{users: make(map[*directive.Directive][]*wrapper)}
					m.shared[key] = s
				}
				if s.users[d.Directive] == nil {
					s.directives = append(s.directives, d.Directive)
				}
				s.users[d.Directive] = append(s.users[d.Directive], w)
			}
		}
	}
	for _, s := range m.shared {
		slices.SortFunc(s.directives, func(a, b *directive.Directive) int {
			p, q := m.pkg.Fset.Position(a.Pos), m.pkg.Fset.Position(b.Pos)
			return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Offset, q.Offset))
		})
	}
}

// checkConflicts reports arguments that say of an instance what an earlier one says otherwise. An argument that is
// absent agrees with everything.
func (m *maker) checkConflicts() {
	byName := func(a, b instance) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name)) }
	for _, key := range slices.SortedFunc(maps.Keys(m.shared), byName) {
		s := m.shared[key]
		for _, d := range s.directives {
			for i := range d.Args {
				arg := &d.Args[i]
				if arg.Key.Option == "" && arg.Key.Name != "configuration" {
					continue // of the layer, not of the instance
				}
				before := s.arg(arg.Key.Name)
				if m.agree(before, arg) {
					continue
				}
				for _, w := range s.users[d] {
					w.failed = true
				}
				m.errorf(arg.Pos, arg.End, "%s=%s of %s %q differs from %s=%s at %s; write it in one place, or the same "+
					"in both, or give the instances different names", arg.Key.Name, arg.Text, key.kind, key.name,
					before.Key.Name, before.Text, m.line(before.Pos))
			}
		}
	}
}

// agree reports whether two arguments of the same key have the same value.
func (m *maker) agree(a, b *directive.Arg) bool {
	if a == b {
		return true
	}
	sameObjects := func() bool {
		return slices.EqualFunc(a.Value.Items, b.Value.Items,
			func(x, y directive.Item) bool { return m.object(x) == m.object(y) })
	}
	switch a.Key.Type {
	case directive.Text:
		return text(a) == text(b)
	case directive.Template:
		return slices.EqualFunc(a.Value.Parts, b.Value.Parts, func(p, q directive.Part) bool {
			return p.Literal == q.Literal && braces(p) == braces(q)
		})
	case directive.Function:
		return sameObjects()
	case directive.Errors:
		return a.Text == b.Text && sameObjects() // the runtime compares their texts
	}
	return a.Value.Int == b.Value.Int && a.Value.Float == b.Value.Float && a.Value.Bool == b.Value.Bool &&
		a.Value.Duration == b.Value.Duration && a.Value.Choice == b.Value.Choice
}

// object returns what an item names, or nil where that is nothing, which is reported elsewhere.
func (m *maker) object(item directive.Item) types.Object {
	name := item.Text
	if name[0] == '*' {
		name = name[1:]
	}
	obj, _ := m.pkg.Resolve(m.pkg.FileOf(item.Pos), name)
	return obj
}
