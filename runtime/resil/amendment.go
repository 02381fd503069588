package resil

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// layers are what code and documents say to the instances of a store.
type layers[C any] struct {
	configurations map[string][]func(*C) // of code, by the configuration's name
	coded          map[string][]func(*C) // of code, by the instance's name
	spoken         *spoken               // of documents
	off            bool                  // all instances are switched off
}

// An amendment is a revision as far as it concerns one store.
type amendment[T, C any] struct {
	store    *store[T, C]
	revision *revision
	added    *store[T, C] // whose code layers are added; nil: none are
	restored *layers[C]   // instead of all other; nil: they are worked out

	before  layers[C]
	merged  bool
	batch   batch[T, C] // of new instances
	members []turn[T, C]
	kin     map[*family[T, C]]*terms[T, C]
}

// A turn is what becomes of an entry.
type turn[T, C any] struct {
	found[T, C]
	terms *terms[T, C]
}

// amend returns the store's part of a revision. The other store, of the same policy, has what is added to the code's
// layers.
func (s *store[T, C]) amend(v *revision, added anyStore) amending {
	a := &amendment[T, C]{store: s, revision: v, batch: s.batch(site{})}
	if added != nil {
		a.added = added.(*store[T, C])
	}
	return a
}

func (a *amendment[T, C]) undoing(v *revision) amending {
	return &amendment[T, C]{store: a.store, revision: v, restored: &a.before, batch: a.store.batch(site{})}
}

func (a *amendment[T, C]) merge() []error {
	s := a.store
	a.before, a.merged = s.layers, true
	s.recent = nil
	if a.restored != nil {
		s.layers = *a.restored
		return nil
	}
	if a.added != nil {
		s.configurations = extended(s.configurations, a.added.configurations)
		s.coded = extended(s.coded, a.added.coded)
	}
	errs := s.read(&a.revision.reading)
	errs = append(errs, s.checkConfigurations()...)
	return append(errs, s.checkUses()...)
}

// extended returns options with others behind them. Neither is changed.
func extended[C any](options, others map[string][]func(*C)) map[string][]func(*C) {
	if len(others) == 0 {
		return options
	}
	all := maps.Clone(options)
	for name, more := range others {
		all[name] = slices.Concat(all[name], more)
	}
	return all
}

// checkUses returns an error for each instance whose configuration there is not any more.
func (s *store[T, C]) checkUses() (errs []error) {
	check := func(name string, agreed *agreement) {
		if used := agreed.configuration; used.value != "" && !s.knows(used.value) {
			errs = append(errs, fmt.Errorf("%s %q of %s: %s", s.kind, name, used.place, s.unknown(used.value)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.entries)) {
		check(name, &s.entries[name].terms.agreed)
	}
	for _, f := range s.order {
		if f.config == nil {
			check(f.template.text, &f.terms.agreed)
		}
	}
	return errs
}

func (a *amendment[T, C]) prepare() []error {
	if a.restored == nil {
		a.stageNew()
	}
	errs := a.batch.prepare()
	errs = append(errs, a.store.checkEnvironment()...)
	a.kin = map[*family[T, C]]*terms[T, C]{}
	for _, f := range a.store.order {
		errs = append(errs, a.prepareFamily(f)...)
	}
	var wrong []error
	for at := range a.store.everyone() {
		wrong = append(wrong, a.prepareEntry(at)...)
	}
	slices.SortFunc(wrong, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return append(errs, wrong...)
}

// stageNew has the instances made that code and documents name for the first time. A name that is the base of names with
// values needs no instance of its own.
func (a *amendment[T, C]) stageNew() {
	s := a.store
	names := map[string]bool{}
	for name := range s.coded {
		names[name] = a.before.coded[name] == nil || a.first()
	}
	for name := range s.spoken.directly() {
		names[name] = names[name] || len(a.before.spoken.directly()[name]) == 0
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] && s.entries[name] == nil && s.groups[name] == nil {
			a.batch.stageName(name)
		}
	}
}

// giveUp takes out the instance of a base name that only code and documents have named, once it is clear that they mean
// the instances of names with values. The runtime's mutex is held.
func (s *store[T, C]) giveUp(base string) []func() error {
	e := s.entries[base]
	if e == nil || e.removed || e.seen || e.terms.given != "" || len(e.terms.agreed.wrappers) > 0 {
		return nil
	}
	s.detach(e)
	e.removed = true
	delete(s.entries, base)
	s.announce(EntryRemoved, base)
	return []func() error{func() error { s.dispose(e.current.load()); return nil }}
}

// first reports whether the runtime is being made.
func (a *amendment[T, C]) first() bool { return a.revision.before.revision == nil }

func (a *amendment[T, C]) prepareFamily(f *family[T, C]) []error {
	t, err := a.store.termsOf(subjectOfAll(f.template), f.terms.agreed)
	if err != nil {
		return prefixed(err, "%s", f.describe())
	}
	a.kin[f] = t
	return nil
}

// prepareEntry works out what becomes of an instance.
func (a *amendment[T, C]) prepareEntry(at found[T, C]) []error {
	s := a.store
	t, err := a.termsOf(at)
	if err != nil {
		return prefixed(err, "%s %q", s.kind, at.name)
	}
	if t == nil {
		return nil // its family has an error
	}
	if s.fixed != nil {
		if err := s.fixed(s.config(at.current.load()), t.config); err != nil {
			return prefixed(err, "%s %q", s.kind, at.name)
		}
	}
	a.members = append(a.members, turn[T, C]{at, t})
	return nil
}

// termsOf returns the terms that an instance is about to have.
func (a *amendment[T, C]) termsOf(at found[T, C]) (*terms[T, C], error) {
	s := a.store
	if at.terms.given != "" {
		return s.termsGiven(at.subject(), at.terms), nil
	}
	if at.family == nil {
		return s.termsOf(at.subject(), at.terms.agreed)
	}
	shared := a.kin[at.family]
	if shared == nil {
		return nil, nil
	}
	if at.family.config == nil && !s.particular(at.subject()) {
		return shared, nil
	}
	agreed := shared.agreed
	if at.family.config != nil {
		agreed.configuration.value = at.family.configuration(at.member)
	}
	return s.termsOf(at.subject(), agreed)
}

// termsGiven returns the terms of an instance that came by Replace, whose settings are its own. It can only be switched
// off and operated.
func (s *store[T, C]) termsGiven(of subject, old *terms[T, C]) *terms[T, C] {
	t := &terms[T, C]{agreed: old.agreed, given: old.given, own: old.own, config: *old.own}
	_, t.operations = s.resultOf(of, old.agreed)
	if s.off {
		s.disable(&t.config)
	}
	return t
}

// subject returns whom what is said of an instance is said of.
func (at found[T, C]) subject() subject {
	if at.family != nil {
		return at.family.subject(at.member)
	}
	return at.terms.agreed.subject(at.name)
}

func (a *amendment[T, C]) abandon() {
	if a.merged {
		a.store.layers, a.store.recent = a.before, nil
	}
	a.batch.abandon()
}

func (a *amendment[T, C]) commit() []func() error {
	s := a.store
	after := a.batch.commit()
	for f, t := range a.kin {
		f.terms, f.unknown, f.broken = t, false, false
	}
	type pair struct{ old, new *terms[T, C] }
	changed := map[pair]bool{}
	var updates []found[T, C]
	for _, turn := range a.members {
		both := pair{turn.entry.terms, turn.terms}
		differs, ok := changed[both]
		if !ok {
			differs = a.differs(both.old, both.new)
			changed[both] = differs
		}
		turn.entry.terms = turn.terms
		if differs && !s.runtime.passthrough {
			turn.entry.pending = true
			updates = append(updates, turn.found)
		}
		s.record(turn.entry)
	}
	if len(updates) == 0 {
		return after
	}
	return append(after, func() error {
		var errs []error
		for _, at := range updates {
			if err := s.update(at.entry); err != nil {
				errs = append(errs, prefixed(s.bare(at.name, err), "%s %q", s.kind, at.name)...)
			}
		}
		return errors.Join(errs...)
	})
}

// differs reports whether an instance has to be told that it has other terms. Options of code can set a function that
// has the code of the one before and behaves differently, so with them nothing is taken as the same.
func (a *amendment[T, C]) differs(old, new *terms[T, C]) bool {
	return a.added != nil || a.restored != nil || !old.operations.same(new.operations) ||
		!same(reflect.ValueOf(old.config), reflect.ValueOf(new.config))
}
