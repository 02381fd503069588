package resil

import (
	"fmt"
	"math"
)

// A member is an instance of a family.
type member[T, C any] struct {
	node[T]
	entry[T, C]
}

// report says, once, that a member could not be made as it should.
func (f *family[T, C]) report(name string, err error) {
	if !f.broken {
		f.broken = true
		f.store.runtime.log().Error("resil: an instance cannot be made as its settings say",
			"kind", f.store.kind, "name", name, "error", err)
	}
}

// subject returns whom what is said of the member is said of.
func (f *family[T, C]) subject(m *member[T, C]) subject {
	of := subject{base: f.group.base, name: m.name}
	for i, o := range f.template.values {
		if o.index == tenantIndex {
			of.tenant = m.value(f.template, i)
		}
	}
	return of
}

// termsOf returns the terms of a member.
func (f *family[T, C]) termsOf(m *member[T, C]) *terms[T, C] {
	s, of := f.store, f.subject(m)
	if f.config == nil && !s.particular(of) {
		return f.terms
	}
	agreed := f.terms.agreed
	if f.config != nil {
		agreed.configuration.value = f.configuration(m)
	}
	terms, err := s.termsOf(of, agreed)
	if err != nil {
		f.report(m.name, err)
		return f.terms
	}
	return terms
}

// configuration returns the name of the member's configuration; one that does not exist is that of all.
func (f *family[T, C]) configuration(m *member[T, C]) string {
	var texts [maxValues]string
	for i, place := range f.places {
		texts[i] = m.value(f.template, place)
	}
	name := f.config.join(&texts)
	if f.store.knows(name) {
		return name
	}
	if !f.unknown {
		f.unknown = true
		f.store.runtime.log().Warn("resil: a configuration does not exist, so the default one is used; "+
			"others of this template are not reported",
			"kind", f.store.kind, "name", m.name, "configuration", name, "template", f.config.text)
	}
	return defaultConfiguration
}

// take takes a member out, so that calls look for another one, and returns its instance.
func (f *family[T, C]) take(m *member[T, C]) *T {
	s := f.store
	m.mark.Store(gone)
	s.detach(&m.entry)
	m.entry.removed = true
	f.table.remove(&m.node)
	last := len(f.members) - 1
	f.members[m.place] = f.members[last]
	f.members[m.place].place = m.place
	f.members[last] = nil
	f.members = f.members[:last]
	f.group.instances--
	if !f.sharedMember(m) {
		f.group.counted--
		f.reopening.Store(math.MinInt64)
	}
	s.announce(EntryRemoved, m.name)
	return m.current.load()
}

func (f *family[T, C]) sharedMember(m *member[T, C]) bool {
	values := f.valuesOf(m)
	return f.shared(&values)
}

func (f *family[T, C]) valuesOf(m *member[T, C]) (values [maxValues]Value) {
	for i := range f.template.values {
		values[i] = Text(m.value(f.template, i))
	}
	return values
}

// named returns the member that is shown by that name, or nil.
func (f *family[T, C]) named(name string) *member[T, C] {
	var found *node[T]
	f.template.split(name, func(texts *[maxValues]string) bool {
		var values [maxValues]Value
		for i, text := range texts {
			values[i] = Text(text)
		}
		found = f.node(&values)
		return found != nil
	})
	if found == nil {
		return nil
	}
	return f.members[found.place]
}

// adopt takes over the instance of the member's name that only options or a file have asked for, if there is one and
// somebody has it: they could not know that the name is one with values. One that nobody has goes.
func (f *family[T, C]) adopt(m *member[T, C]) *T {
	s := f.store
	e := s.entries[m.name]
	if e == nil || e.removed || e.kept || e.terms.given != "" || len(e.terms.agreed.wrappers) > 0 {
		return nil
	}
	s.detach(e)
	delete(s.entries, m.name)
	s.announce(EntryRemoved, m.name)
	current := e.current.load()
	if !e.seen || s.fixed != nil && s.fixed(s.config(current), m.terms.config) != nil {
		s.changes.removed = append(s.changes.removed, current)
		return nil
	}
	m.seen, m.pending = true, true
	s.changes.adopted = append(s.changes.adopted, &m.entry)
	return current
}

// reterm works out again what is said of the members, after something new is said, and returns those who have to get it.
func (f *family[T, C]) reterm() (changed []*entry[T, C]) {
	for _, m := range f.members {
		if m.terms.given != "" {
			continue
		}
		if terms := f.termsOf(m); terms != m.terms {
			m.terms, m.pending = terms, true
			changed = append(changed, &m.entry)
		}
	}
	return changed
}

// describe names the family for messages.
func (f *family[T, C]) describe() string { return fmt.Sprintf("%s %q", f.store.kind, f.template.text) }
