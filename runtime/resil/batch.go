package resil

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A site is what asks for instances: a wrapper, seen as the place where annotations stand, or a function.
type site struct {
	place      string // for people: example.com/shop/inventory.Client, or the function's name
	importPath string // of the wrapper's package
	label      string // package and interface, as in inventory.Client; empty for a function
}

func wrapperSite(importPath, label string) site {
	return site{
		place:      importPath + "." + label[strings.LastIndexByte(label, '.')+1:],
		importPath: importPath,
		label:      label,
	}
}

// wrapper reports whether it is a wrapper.
func (s site) wrapper() bool { return s.label != "" }

// owns reports whether name is one that the wrapper's annotations have by default.
func (s site) owns(name string) bool { return s.wrapper() && strings.HasPrefix(name, s.label+".") }

// A change adds to the instances of one policy in steps, so that several changes are made together or not at all. The
// runtime's mutex is held during all of them.
type change interface {
	merge() []error         // bring together what is said; nothing is touched
	prepare() []error       // work out the Configs and make the new instances, which nobody sees yet
	abandon()               // instead of commit: close what prepare has made
	commit() []func() error // put everything in its place; what is returned is called with the mutex released
}

// A batch is a change to one store.
type batch[T, C any] struct {
	store    *store[T, C]
	site     site
	scope    string // what the names that annotations have end in
	requests []request[T]
	stages   []*stage[T, C]
	staged   map[identity]*stage[T, C]
	bonds    []bond[T, C]
}

// A request asks for an instance, or for those of a name with values.
type request[T any] struct {
	name          string // of a wrapper, a template
	base          string // of a name by hand: its base name, where that is another one
	configuration string // of a wrapper, a template
	settings      []setting
	tags          map[string]string
	follow        Reference[T] // is given where the instance is found
}

// A stage is what becomes of an entry or of a family.
type stage[T, C any] struct {
	identity
	name     string        // for messages; of an entry, the instance's
	entry    *entry[T, C]  // nil where the name is new, or has values
	template *template     // nil where the name is constant
	family   *family[T, C] // nil where the template is new
	config   *template     // of the configuration's name, where that has values
	agreed   agreement
	news     bool // agreed says more than entry's or family's
	needed   bool // somebody is given the instance

	terms *terms[T, C]
	made  *T // the instance that this change makes; nil where it makes none
}

// An identity is what tells entries and families of one store apart.
type identity struct {
	text    string // the constant name, or the template
	values  bool   // it is a template
	renamed bool   // the name of its instances is what a function makes of text
}

// living reports whether the name has an instance already.
func (g *stage[T, C]) living() bool { return g.entry != nil && !g.entry.removed }

// given returns the place that has given the name's instance to Replace; empty where none has.
func (g *stage[T, C]) given() string {
	if !g.living() {
		return ""
	}
	return g.entry.terms.given
}

// batch returns the change that a site makes to the store.
func (s *store[T, C]) batch(at site) batch[T, C] { return batch[T, C]{store: s, site: at} }

// binding returns the change that a wrapper makes to the store, in a scope.
func (s *store[T, C]) binding(scope string, at site) batch[T, C] {
	return batch[T, C]{store: s, site: at, scope: scope}
}

// request notes that a wrapper wants an instance.
func (b *batch[T, C]) request(name, configuration string, options []func(*C), ref Reference[T]) {
	if b.store == nil {
		return // there is no runtime, which is what Err reports
	}
	b.requests = append(b.requests, request[T]{
		name: name, configuration: configuration, settings: settingsOf(options, b.site.place), follow: ref,
	})
}

// stageName returns the stage of a constant name, made when it is asked for the first time.
func (b *batch[T, C]) stageName(name string) *stage[T, C] {
	id := identity{text: name}
	if g := b.staged[id]; g != nil {
		return g
	}
	g := &stage[T, C]{identity: id, name: name}
	if e := b.store.entries[name]; e != nil {
		g.entry = e
		g.agreed = e.terms.agreed.clone()
	}
	return b.add(g)
}

func (b *batch[T, C]) add(g *stage[T, C]) *stage[T, C] {
	b.stages = append(b.stages, g)
	if b.staged == nil {
		b.staged = map[identity]*stage[T, C]{}
	}
	b.staged[g.identity] = g
	return g
}

func (b *batch[T, C]) merge() []error {
	var errs []error
	for _, q := range b.requests {
		if q.name == "" {
			errs = append(errs, fmt.Errorf("%s of %s has no name; give it one", b.store.kind, b.site.place))
			continue
		}
		if b.site.wrapper() {
			errs = append(errs, b.mergeTemplate(q)...)
			continue
		}
		g := b.stageName(q.name)
		if g.agreed.base == "" {
			g.agreed.base = q.base
		}
		g.needed = true
		b.bonds = append(b.bonds, bond[T, C]{to: q.follow, stage: g})
		errs = append(errs, b.mergeInto(g, q)...)
	}
	return errs
}

func (b *batch[T, C]) mergeInto(g *stage[T, C], q request[T]) (errs []error) {
	kind, place, agreed := b.store.kind, b.site.place, &g.agreed
	if b.site.owns(g.name) {
		if agreed.owner != "" && agreed.owner != b.site.importPath {
			return []error{fmt.Errorf("%s %q: both %s and %s have this name by default, and would share one instance; "+
				"write name=... in the annotations of one of them", kind, g.name, agreed.owner, b.site.importPath)}
		}
		agreed.owner = b.site.importPath
	}
	if b.site.wrapper() && !agreed.binds(place) {
		agreed.wrappers = append(agreed.wrappers, place)
	}
	disagree := func(key, value, place, other, otherPlace string) {
		errs = append(errs, conflict(kind, g.name, key, value, place, other, otherPlace))
	}
	switch {
	case q.configuration == "":
	case g.config != nil:
		g.news = agreed.configure(q.configuration, place, disagree) || g.news
	case !b.store.knows(q.configuration):
		errs = append(errs, fmt.Errorf("%s %q of %s: %s", kind, g.name, place, b.store.unknown(q.configuration)))
	case g.given() != "" && !b.site.wrapper() && agreed.configuration.value == "":
		disagree("configuration", "none", g.given(), q.configuration, place) // it would have no effect
	default:
		g.news = agreed.configure(q.configuration, place, disagree) || g.news
	}
	settings := q.settings
	if !b.site.wrapper() {
		settings = b.unsaid(g, q.settings, disagree)
	}
	for _, add := range settings {
		g.news = agreed.set(keyOf[C](add.field), add, disagree) || g.news
	}
	for _, key := range slices.Sorted(maps.Keys(q.tags)) {
		agreed.tag(key, q.tags[key], place, disagree)
	}
	return errs
}

func (b *batch[T, C]) prepare() []error {
	var errs []error
	for _, g := range b.stages {
		errs = append(errs, b.prepareStage(g)...)
	}
	return errs
}

func (b *batch[T, C]) prepareStage(g *stage[T, C]) []error {
	if g.template != nil {
		return b.prepareFamily(g)
	}
	s, e := b.store, g.entry
	if given := g.given(); given != "" {
		g.terms, g.news = &terms[T, C]{
			agreed: g.agreed, given: given, own: e.terms.own, config: e.terms.config, operations: e.terms.operations,
		}, false
		return nil
	}
	subject := fmt.Sprintf("%s %q", s.kind, g.name)
	if b.site.place != "" {
		subject += " of " + b.site.place
	}
	var err error
	if g.terms, err = s.termsOf(g.agreed.subject(g.name), g.agreed); err != nil {
		return prefixed(err, "%s", subject)
	}
	if b.site.wrapper() {
		if err := s.checkReduced(g.agreed.subject(g.name).base); err != nil {
			return []error{err}
		}
	}
	if g.living() && (e.seen || len(e.terms.agreed.wrappers) > 0) {
		var fixed error
		if s.fixed != nil {
			fixed = s.fixed(s.config(e.current.load()), g.terms.config)
		}
		if fixed == nil || e.seen {
			return prefixed(fixed, "%s", subject)
		}
	}
	// A name that only code options have used so far gets a new instance: what counts at its birth, such as the
	// initial state of a circuit breaker, is what the annotations say.
	made, err := g.terms.build(g.name)
	if err != nil {
		return prefixed(s.bare(g.name, err), "%s", subject)
	}
	if s.runtime.logger != nil {
		s.instance(made).SetLogger(s.runtime.logger)
	}
	g.made = made
	return nil
}

func (b *batch[T, C]) abandon() {
	for _, g := range b.stages {
		if g.made != nil {
			_ = b.store.instance(g.made).Close() // it never did anything that could fail to end
		}
	}
	b.stages, b.staged, b.bonds = nil, nil, nil
}

func (b *batch[T, C]) commit() []func() error {
	var after []func() error
	for _, g := range b.stages {
		if g.template != nil {
			after = append(after, b.commitFamily(g)...)
		} else {
			after = append(after, b.commitStage(g)...)
		}
	}
	for _, bond := range b.bonds {
		b.tie(bond)
	}
	b.requests, b.stages, b.staged, b.bonds = nil, nil, nil, nil
	return after
}

func (b *batch[T, C]) commitStage(g *stage[T, C]) (after []func() error) {
	s, e := b.store, g.entry
	if e == nil {
		e = &entry[T, C]{}
		s.entries[g.name] = e
		g.entry = e
	}
	e.terms = g.terms
	switch {
	case g.made != nil:
		announced := EntryAdded
		e.seen, e.pending = false, false
		if old := s.put(e, g.made); old != nil {
			announced = EntryReplaced
			after = append(after, func() error { s.dispose(old); return nil })
		}
		s.announce(announced, g.name)
	case g.news && !s.runtime.passthrough:
		e.pending = true
		after = append(after, func() error {
			if err := s.update(e); err != nil {
				return fmt.Errorf("%s %q of %s: %w", s.kind, g.name, b.site.place, s.bare(g.name, err))
			}
			return nil
		})
	}
	if g.needed {
		e.seen, e.kept = true, true
	}
	return after
}
