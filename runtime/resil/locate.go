package resil

import (
	"cmp"
	"iter"
	"slices"
)

// A found is where the instance of a name is kept.
type found[T, C any] struct {
	*entry[T, C]
	name   string
	family *family[T, C] // nil for a constant name
	member *member[T, C] // likewise
}

// locate returns where the instance of that name is: first that of a constant name, then the first family's that shows
// one so. The runtime's mutex is held.
func (s *store[T, C]) locate(name string) (at found[T, C], ok bool) {
	if e, ok := s.living(name); ok {
		return found[T, C]{entry: e, name: name}, true
	}
	for _, f := range s.order {
		if m := f.named(name); m != nil {
			return found[T, C]{entry: &m.entry, name: name, family: f, member: m}, true
		}
	}
	return found[T, C]{}, false
}

// everyone iterates over all that has an instance, in no order. The runtime's mutex is held.
func (s *store[T, C]) everyone() iter.Seq[found[T, C]] {
	return func(yield func(found[T, C]) bool) {
		for name, e := range s.entries {
			if !e.removed && !yield(found[T, C]{entry: e, name: name}) {
				return
			}
		}
		for _, f := range s.order {
			for _, m := range f.members {
				if !yield(found[T, C]{entry: &m.entry, name: m.name, family: f, member: m}) {
					return
				}
			}
		}
	}
}

// findConstant is find for a constant name.
func (s *store[T, C]) findConstant(name string) (*T, bool) {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	e, ok := s.living(name)
	if !ok {
		return nil, false
	}
	e.seen, e.kept = true, true
	return e.current.load(), true
}

// find returns the instance of that name and whether there is one.
func (s *store[T, C]) find(name string) (*T, bool) {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	at, ok := s.locate(name)
	if !ok {
		return nil, false
	}
	at.seen, at.sought = true, true
	return at.current.load(), true
}

// all iterates over the instances that there are when the iteration starts, in the order of their names.
func (s *store[T, C]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, instance := range s.snapshot() {
			if !yield(instance) {
				return
			}
		}
	}
}

func (s *store[T, C]) snapshot() []*T {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	all := slices.SortedStableFunc(s.everyone(), func(a, b found[T, C]) int { return cmp.Compare(a.name, b.name) })
	instances := make([]*T, len(all))
	for i, at := range all {
		at.seen = true
		instances[i] = at.current.load()
	}
	return instances
}
