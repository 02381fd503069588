package resil

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/resilgen/resilgen/runtime/internal/spelling"
)

// patience is how long a name may stand in a document before somebody uses it.
const patience = 60 * time.Second

// expect has those names reported, after a while, that documents have and nobody uses then.
func (rt *Runtime) expect() {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	switch {
	case rt.closed && rt.expecting != nil:
		rt.expecting.Stop()
	case !rt.closed && rt.expecting == nil && len(rt.unused()) > 0:
		rt.expecting = time.AfterFunc(patience, rt.reportUnused)
	}
}

// unused returns what documents say of names that nobody uses and that are not reported yet.
func (rt *Runtime) unused() (unused []Warning) {
	for _, s := range rt.stores() {
		unused = append(unused, s.unused()...)
	}
	return slices.DeleteFunc(unused, func(w Warning) bool { return rt.reported[w.Text] })
}

// reportUnused reports the names that nobody uses, each once.
func (rt *Runtime) reportUnused() {
	for _, w := range rt.takeUnused() {
		rt.log().Warn("resil: " + w.String())
	}
}

func (rt *Runtime) takeUnused() []Warning {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	rt.expecting = nil
	if rt.closed {
		return nil
	}
	unused := rt.unused()
	for _, w := range unused {
		rt.reported[w.Text] = true
	}
	return unused
}

// unused returns a warning for each name that documents give an instance and that nobody uses: no wrapper has bound it,
// and nobody has looked it up.
func (s *store[T, C]) unused() (unused []Warning) {
	if s.spoken == nil {
		return nil
	}
	used := s.usedNames()
	report := func(name string, said []*section, used []string) {
		if slices.Contains(used, name) {
			return
		}
		hint := "name it in an annotation, or take it out"
		if near := spelling.Nearest(name, used); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		unused = append(unused, Warning{said[0].Position,
			fmt.Sprintf("%s %q: nobody uses this name; %s", s.kind, name, hint)})
	}
	literally := func(named map[string][]*section) {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if !s.fitsFamily(name) {
				report(name, named[name], used)
			}
		}
	}
	literally(s.spoken.instances)
	for _, id := range slices.Sorted(maps.Keys(s.spoken.tenants)) {
		literally(s.spoken.tenants[id])
	}
	if len(s.spoken.environment) == 0 {
		return unused
	}
	var short []string
	for _, name := range used {
		short = append(short, reduced(name))
	}
	for at := range s.everyone() {
		if at.family != nil {
			short = append(short, reduced(at.name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.spoken.environment)) {
		report(name, s.spoken.environment[name], short)
	}
	return unused
}

// usedNames returns the constant names that wrappers have bound or that somebody has looked up, and all base names.
func (s *store[T, C]) usedNames() []string {
	names := map[string]bool{}
	for name, e := range s.entries {
		if e.sought || e.kept || len(e.terms.agreed.wrappers) > 0 {
			names[name], names[e.terms.agreed.subject(name).base] = true, true
		}
	}
	for base := range s.groups {
		names[base] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// fitsFamily reports whether a name with values can come to this name, or has.
func (s *store[T, C]) fitsFamily(name string) bool {
	any := func(*[maxValues]string) bool { return true }
	return slices.ContainsFunc(s.order, func(f *family[T, C]) bool {
		return f.named(name) != nil || !f.renames && f.template.split(name, any)
	})
}
