package resil

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A site is a wrapper, seen as the place where annotations stand.
type site struct {
	importPath string // of the wrapper's package
	label      string // package and interface, as in inventory.Client
}

// String returns the import path with the interface, as in example.com/shop/inventory.Client.
func (s site) String() string {
	return s.importPath + "." + s.label[strings.LastIndexByte(s.label, '.')+1:]
}

// owns reports whether name is one that the wrapper's annotations have by default.
func (s site) owns(name string) bool { return strings.HasPrefix(name, s.label+".") }

// A change adds to the instances of one policy in steps, so that several changes are made together or not at all. The
// runtime's mutex is held during all of them.
type change interface {
	merge() []error         // bring the annotations together; nothing is touched
	prepare() []error       // work out the Configs and make the new instances, which nobody sees yet
	abandon()               // instead of commit: close what prepare has made
	commit() []func() error // put everything in its place; what is returned is called with the mutex released
}

// A batch is a change to one registry.
type batch[P instance, C any] struct {
	registry *registry[P, C]
	site     site
	requests []request[P]
	stages   []*stage[P, C]
}

// A request asks for an instance.
type request[P instance] struct {
	name          string
	configuration string
	settings      []setting
	set           func(P)
}

// A stage is what becomes of an entry.
type stage[P instance, C any] struct {
	name  string
	entry *entry[P, C] // nil where the name is new
	bound annotations
	news  bool // bound says more than entry's
	set   []func(P)

	config C
	fresh  bool // made is an instance that this change has made
	made   P
}

// batch returns the change that a wrapper makes to the registry.
func (r *registry[P, C]) batch(at site) batch[P, C] { return batch[P, C]{registry: r, site: at} }

// coding returns the change that makes the instances which code options name.
func (r *registry[P, C]) coding() change {
	b := r.batch(site{})
	for _, name := range slices.Sorted(maps.Keys(r.coded)) {
		b.stage(name)
	}
	return &b
}

// request notes that a wrapper wants an instance.
func (b *batch[P, C]) request(name, configuration string, options []func(*C), set func(P)) {
	if b.registry == nil {
		return // there is no runtime, which is what Err reports
	}
	b.requests = append(b.requests, request[P]{name, configuration, settingsOf(options, b.site.String()), set})
}

// stage returns the stage of that name, made when it is asked for the first time.
func (b *batch[P, C]) stage(name string) *stage[P, C] {
	if i := slices.IndexFunc(b.stages, func(s *stage[P, C]) bool { return s.name == name }); i >= 0 {
		return b.stages[i]
	}
	s := &stage[P, C]{name: name, bound: annotations{settings: settings{}}}
	if e := b.registry.entries[name]; e != nil {
		s.entry = e
		s.bound = e.bound.clone()
	}
	b.stages = append(b.stages, s)
	return s
}

func (b *batch[P, C]) merge() []error {
	var errs []error
	for _, q := range b.requests {
		if q.name == "" {
			errs = append(errs, fmt.Errorf("%s of %s has no name; give it one", b.registry.kind, b.site))
			continue
		}
		s := b.stage(q.name)
		s.set = append(s.set, q.set)
		errs = append(errs, b.mergeInto(s, q)...)
	}
	return errs
}

func (b *batch[P, C]) mergeInto(s *stage[P, C], q request[P]) []error {
	kind, place, bound := b.registry.kind, b.site.String(), &s.bound
	if b.site.owns(s.name) {
		if bound.owner != "" && bound.owner != b.site.importPath {
			return []error{fmt.Errorf("%s %q: both %s and %s have this name by default, and would share one instance; "+
				"write name=... in the annotations of one of them", kind, s.name, bound.owner, b.site.importPath)}
		}
		bound.owner = b.site.importPath
	}
	var errs []error
	switch {
	case q.configuration == "" || q.configuration == bound.configuration:
	case !b.registry.knows(q.configuration):
		errs = append(errs, fmt.Errorf("%s %q of %s: %s", kind, s.name, place, b.registry.unknown(q.configuration)))
	case bound.configuration != "":
		errs = append(errs, conflict(kind, s.name, "configuration",
			bound.configuration, bound.configuredAt, q.configuration, place))
	default:
		bound.configuration, bound.configuredAt = q.configuration, place
		s.news = true
	}
	for _, add := range q.settings {
		old, ok := bound.settings[add.field]
		switch {
		case !ok:
			bound.settings[add.field] = add
			s.news = true
		case !same(old.value, add.value):
			errs = append(errs, conflict(kind, s.name, keyOf[C](add.field),
				text(old.value), old.place, text(add.value), add.place))
		}
	}
	if !slices.Contains(bound.places, place) {
		bound.places = append(bound.places, place)
	}
	return errs
}

func (b *batch[P, C]) prepare() []error {
	var errs []error
	for _, s := range b.stages {
		errs = append(errs, b.prepareStage(s)...)
	}
	return errs
}

func (b *batch[P, C]) prepareStage(s *stage[P, C]) []error {
	r := b.registry
	subject := fmt.Sprintf("%s %q", r.kind, s.name)
	if b.site != (site{}) {
		subject += " of " + b.site.String()
	}
	s.config = r.configOf(s.name, s.bound)
	if errs := prefixed(r.validate(s.config), "%s", subject); len(errs) > 0 {
		return errs
	}
	if s.entry != nil && (s.entry.seen || len(s.entry.bound.places) > 0) {
		return nil
	}
	// A name that only code options have used so far gets a new instance: what counts at its birth, such as the
	// initial state of a circuit breaker, is what the annotations say.
	made, err := r.create(s.name, s.config)
	if err != nil {
		return prefixed(err, "%s", subject)
	}
	made.SetLogger(r.runtime.logger)
	s.made, s.fresh = made, true
	return nil
}

func (b *batch[P, C]) abandon() {
	for _, s := range b.stages {
		if s.fresh {
			_ = s.made.Close() // it never did anything that could fail to end
		}
	}
	b.stages = nil
}

func (b *batch[P, C]) commit() []func() error {
	var after []func() error
	for _, s := range b.stages {
		after = append(after, b.commitStage(s)...)
	}
	b.requests, b.stages = nil, nil
	return after
}

func (b *batch[P, C]) commitStage(s *stage[P, C]) (after []func() error) {
	r, e := b.registry, s.entry
	if e == nil {
		e = &entry[P, C]{}
		r.entries[s.name] = e
	}
	e.bound, e.config = s.bound, s.config
	switch {
	case s.fresh:
		if s.entry != nil {
			e.listen(false, r.runtime)
			after = append(after, e.instance.Close)
		}
		e.instance = s.made
		e.listen(r.runtime.subscribers > 0, r.runtime)
	case s.news && !r.runtime.passthrough:
		e.pending = true
		after = append(after, func() error {
			if err := r.update(e); err != nil {
				return fmt.Errorf("%s %q of %s: %w", r.kind, s.name, b.site, err)
			}
			return nil
		})
	}
	for _, set := range s.set {
		set(e.instance)
	}
	return after
}
