package resil

import (
	"iter"
	"log/slog"
	"maps"
	"slices"

	"github.com/resilgen/resilgen/runtime/policy"
)

// An instance is what a store asks of the instances of a policy.
type instance interface {
	Name() string
	Subscribe(receive func(policy.Event)) (unsubscribe func())
	SetLogger(*slog.Logger)
	Close() error
}

// A configurable type is that of a policy with a Config, which its instances take while they live.
type configurable[T, C any] interface {
	*T
	instance
	Config() C
	Reconfigure(C) error
}

// traits are what a store knows of its policy: T is the policy's type, C its Config.
type traits[T, C any] struct {
	kind        policy.Kind
	builtin     func() C
	validate    func(C) error
	maker       func(config C) func(name string) (*T, error) // of instances that have one valid Config
	instance    func(*T) instance
	config      func(*T) C
	reconfigure func(*T, C) error
	disable     func(*C)
	fixed       func(old, new C) error // why an instance with old cannot get new; nil: there is no reason ever
}

// A store holds the instances of one policy by their names. The maps are guarded by the runtime's mutex.
type store[T, C any] struct {
	traits[T, C]
	runtime        *Runtime
	configurations map[string][]func(*C) // the named configurations
	coded          map[string][]func(*C) // code options, by the instance's name
	entries        map[string]*entry[T, C]
	recent         []*terms[T, C] // see termsOf; good for as long as configurations and coded do not change
}

// An entry is an instance with where its settings come from. While wrappers are bound to it, it outlives the removal of
// the instance: those wrappers, and what they say, are there when the name gets an instance again.
type entry[T, C any] struct {
	current  slot[T] // what the wrappers use, never nil; the only field that is read without the mutex
	terms    *terms[T, C]
	forward  func() // ends the forwarding of events; nil while nobody listens to the runtime
	removed  bool   // current was removed, and is closed
	seen     bool   // somebody was given the instance: it must live on when a wrapper binds its name
	pending  bool   // current does not have the Config of terms yet
	applying bool   // somebody is about to give it to it
}

// newStore returns the store of a policy that has a Config.
func newStore[T any, C interface{ Validate() error }, O ~func(*C), P configurable[T, C]](
	rt *Runtime, kind policy.Kind, builtin func() C, create func(string, ...O) (*T, error), disable func(*C),
) *store[T, C] {
	return storeOf(rt, traits[T, C]{
		kind:     kind,
		builtin:  builtin,
		validate: C.Validate,
		maker: func(config C) func(string) (*T, error) {
			return func(name string) (*T, error) { return create(name, func(c *C) { *c = config }) }
		},
		instance:    func(p *T) instance { return P(p) },
		config:      func(p *T) C { return P(p).Config() },
		reconfigure: func(p *T, config C) error { return P(p).Reconfigure(config) },
		disable:     disable,
	})
}

// noConfig is the Config of a policy that has nothing to configure.
type noConfig struct{}

// newPlainStore returns the store of a policy that has no Config.
func newPlainStore[T any, P interface {
	*T
	instance
}](rt *Runtime, kind policy.Kind, create func(string) (*T, error)) *store[T, noConfig] {
	return storeOf(rt, traits[T, noConfig]{
		kind:        kind,
		builtin:     func() noConfig { return noConfig{} },
		validate:    func(noConfig) error { return nil },
		maker:       func(noConfig) func(string) (*T, error) { return create },
		instance:    func(p *T) instance { return P(p) },
		config:      func(*T) noConfig { return noConfig{} },
		reconfigure: func(*T, noConfig) error { return nil },
		disable:     func(*noConfig) {},
	})
}

func storeOf[T, C any](rt *Runtime, of traits[T, C]) *store[T, C] {
	return &store[T, C]{
		traits:         of,
		runtime:        rt,
		configurations: map[string][]func(*C){defaultConfiguration: nil},
		coded:          map[string][]func(*C){},
		entries:        map[string]*entry[T, C]{},
	}
}

// configOf returns what the layers come to for an instance, weakest first. It is the one place that knows their order.
func (s *store[T, C]) configOf(name string, agreed agreement) C {
	config := s.builtin()
	if s.runtime.passthrough {
		s.disable(&config)
		return config
	}
	apply(&config, s.configurations[defaultConfiguration])
	if named := agreed.configuration.value; named != defaultConfiguration {
		apply(&config, s.configurations[named])
	}
	agreed.settings.apply(&config)
	apply(&config, s.coded[name])
	return config
}

func apply[C any](config *C, options []func(*C)) {
	for _, option := range options {
		option(config)
	}
}

// checkConfigurations validates each named configuration on top of the defaults.
func (s *store[T, C]) checkConfigurations() []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(s.configurations)) {
		config := s.configOf("", agreement{configuration: statement{value: name}})
		errs = append(errs, prefixed(s.validate(config), "%s configuration %q", s.kind, name)...)
	}
	return errs
}

// living returns the entry of that name if it has an instance. The runtime's mutex is held.
func (s *store[T, C]) living(name string) (*entry[T, C], bool) {
	e, ok := s.entries[name]
	return e, ok && !e.removed
}

// find returns the instance of that name and whether there is one.
func (s *store[T, C]) find(name string) (*T, bool) {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	e, ok := s.living(name)
	if !ok {
		return nil, false
	}
	e.seen = true
	return e.current.load(), true
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
	instances := make([]*T, 0, len(s.entries))
	for _, name := range slices.Sorted(maps.Keys(s.entries)) {
		if e, ok := s.living(name); ok {
			e.seen = true
			instances = append(instances, e.current.load())
		}
	}
	return instances
}

// tags returns the tags of the instance of that name: the runtime's, and its own, which win.
func (s *store[T, C]) tags(name string) map[string]string {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	e, ok := s.living(name)
	if !ok {
		return nil
	}
	tags := make(map[string]string, len(s.runtime.tags)+len(e.terms.agreed.tags))
	maps.Copy(tags, s.runtime.tags)
	for key, tag := range e.terms.agreed.tags {
		tags[key] = tag.value
	}
	return tags
}

// close closes all instances. The runtime is closed already, so that none is added.
func (s *store[T, C]) close() []error {
	var errs []error
	for current := range s.all() {
		i := s.instance(current)
		errs = append(errs, prefixed(i.Close(), "%s %q", s.kind, i.Name())...)
	}
	return errs
}

// listen starts or ends the forwarding of events of all instances. The runtime's mutex is held.
func (s *store[T, C]) listen(on bool) {
	for _, e := range s.entries {
		s.forward(e, on && !e.removed)
	}
}

// forward starts or ends the forwarding of an instance's events to those who listen to the runtime. The runtime's mutex
// is held.
func (s *store[T, C]) forward(e *entry[T, C], on bool) {
	switch {
	case on && e.forward == nil:
		e.forward = s.instance(e.current.load()).Subscribe(s.runtime.listeners.Publish)
	case !on && e.forward != nil:
		e.forward()
		e.forward = nil
	}
}

// put makes current the entry's instance and returns the one that it had, nil if it had none, to be disposed of. The
// wrappers use the new one from now on, and those who listen to the runtime hear of it alone. The runtime's mutex is
// held.
func (s *store[T, C]) put(e *entry[T, C], current *T) *T {
	s.forward(e, false)
	old := e.current.swap(current)
	if e.removed {
		old = nil
	}
	e.removed = false
	s.forward(e, s.runtime.subscribers > 0)
	return old
}

// dispose closes an instance that nobody finds any more, and reports what only a backend has to say about that.
func (s *store[T, C]) dispose(p *T) {
	i := s.instance(p)
	if err := i.Close(); err != nil {
		s.runtime.log().Error("resil: closing an instance failed", "kind", s.kind, "name", i.Name(), "error", err)
	}
}

// update brings a living instance to the Config that its entry says. Reconfigure may publish events, and a listener may
// call back into the runtime, so it is called without the mutex; and while one goroutine is at it, another one leaves
// its change to that one, so that the latest Config wins and a listener that binds a wrapper does not wait for itself.
func (s *store[T, C]) update(e *entry[T, C]) error {
	mu := &s.runtime.mu
	mu.Lock()
	defer mu.Unlock()
	if e.applying {
		return nil
	}
	e.applying = true
	defer func() { e.applying = false }()
	for e.pending {
		e.pending = false
		if err := s.reconfigureUnlocked(e.current.load(), e.terms.config); err != nil {
			return err
		}
	}
	return nil
}

// reconfigureUnlocked calls reconfigure with the runtime's mutex released.
func (s *store[T, C]) reconfigureUnlocked(p *T, config C) error {
	s.runtime.mu.Unlock()
	defer s.runtime.mu.Lock()
	return s.reconfigure(p, config)
}
