package resil

import (
	"log/slog"
	"maps"
	"time"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

// An instance is what a store asks of the instances of a policy.
type instance interface {
	Name() string
	Subscribe(receive func(policy.Event)) (unsubscribe func())
	SetLogger(*slog.Logger)
	Close() error
	Fresh(idle time.Duration) bool // whether one that nobody has used for idle is like a new one
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
	begin       func(*C, forcing)                     // makes new instances begin in a state; nil: there are no states
	enforce     func(p *T, was, is forcing) error     // nil likewise
	healthy     func(p *T, mayFail bool) HealthStatus // nil: an instance can't be ill
	fixed       func(old, new C) error                // why an instance with old cannot get new; nil: there is no reason ever
	quiet       func(*T) bool                         // whether one is like new but for what it can forget; nil: never
	released    bool                                  // an instance that is taken out has something to release
}

// A store holds the instances of one policy by their names. The maps are guarded by the runtime's mutex.
type store[T, C any] struct {
	traits[T, C]
	runtime *Runtime
	layers[C]
	fields   map[string]int // of C by their keys; nil before a document says something
	entries  map[string]*entry[T, C]
	families map[identity]*family[T, C]
	order    []*family[T, C]   // as they were made
	changes  changes[T, C]     // what the one that holds the mutex leaves to be done
	groups   map[string]*group // by base names
	recent   []*terms[T, C]    // see termsOf; good for as long as layers do not change
}

// An entry is an instance with where its settings come from. While wrappers are bound to it, it outlives the removal of
// the instance: those wrappers, and what they say, are there when the name gets an instance again.
type entry[T, C any] struct {
	current  slot[T] // what the wrappers use, never nil; the only field that is read without the mutex
	terms    *terms[T, C]
	forward  func()    // ends the forwarding of events; nil while nobody listens to the runtime
	recorder *recorder // nil where no events are remembered
	removed  bool      // current was removed, and is closed
	kept     bool      // somebody has asked for this constant name, so that no name with values takes it over
	seen     bool      // somebody was given the instance: it must live on when a wrapper binds its name
	sought   bool      // somebody has asked for the name
	forced   forcing   // the state that current was forced into
	pending  bool      // current does not have what terms say yet
	applying bool      // somebody is about to give it to it
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
		traits:  of,
		runtime: rt,
		layers: layers[C]{
			configurations: map[string][]func(*C){defaultConfiguration: nil},
			coded:          map[string][]func(*C){},
		},
		entries:  map[string]*entry[T, C]{},
		families: map[identity]*family[T, C]{},
		groups:   map[string]*group{},
	}
}

// living returns the entry of that name if it has an instance. The runtime's mutex is held.
func (s *store[T, C]) living(name string) (*entry[T, C], bool) {
	e, ok := s.entries[name]
	return e, ok && !e.removed
}

// tags returns the tags of the instance of that name: the runtime's, and its own, which win.
func (s *store[T, C]) tags(name string) map[string]string {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	e, ok := s.locate(name)
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
	for _, f := range s.order {
		errs = append(errs, prefixed(s.instance(f.spare).Close(), "%s", f.describe())...)
	}
	return errs
}

func (s *store[T, C]) of() policy.Kind { return s.kind }

// listen starts or ends the forwarding of events of all instances. The runtime's mutex is held.
func (s *store[T, C]) listen(on bool) {
	for at := range s.everyone() {
		s.forward(at.entry, on)
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

// attach has the runtime listen to the entry's instance, as far as it has reason to. The runtime's mutex is held.
func (s *store[T, C]) attach(e *entry[T, C]) {
	s.forward(e, s.runtime.subscribers > 0)
	s.record(e)
}

// detach ends what attach has begun.
func (s *store[T, C]) detach(e *entry[T, C]) {
	s.forward(e, false)
	s.stopRecording(e)
}

// put makes current the entry's instance and returns the one that it had, nil if it had none, to be disposed of. The
// wrappers use the new one from now on, and those who listen to the runtime hear of it alone. The runtime's mutex is
// held.
func (s *store[T, C]) put(e *entry[T, C], current *T) *T {
	s.detach(e)
	old := e.current.swap(current)
	if e.removed {
		old = nil
	}
	e.removed, e.forced = false, breaker.Closed
	if e.terms.given == "" {
		e.forced = e.terms.operations.forcing() // in which it was made
	}
	s.attach(e)
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
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	return s.updateLocked(e)
}

// updateLocked is update for those who hold the runtime's mutex, which is released meanwhile.
func (s *store[T, C]) updateLocked(e *entry[T, C]) error {
	if e.applying {
		return nil
	}
	e.applying = true
	defer func() { e.applying = false }()
	for e.pending {
		e.pending = false
		was, is := e.forced, e.terms.operations.forcing()
		if err := s.updateUnlocked(e.current.load(), e.terms.config, was, is); err != nil {
			return err
		}
		e.forced = is
	}
	return nil
}

// updateUnlocked changes an instance with the runtime's mutex released.
func (s *store[T, C]) updateUnlocked(p *T, config C, was, is forcing) error {
	s.runtime.mu.Unlock()
	defer s.runtime.mu.Lock()
	if err := s.reconfigure(p, config); err != nil || s.enforce == nil {
		return err
	}
	return s.enforce(p, was, is)
}
