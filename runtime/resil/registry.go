package resil

import (
	"iter"
	"log/slog"
	"maps"
	"slices"

	"github.com/resilgen/resilgen/runtime/policy"
)

// An instance is what a registry asks of the instances of a policy.
type instance interface {
	Name() string
	Subscribe(receive func(policy.Event)) (unsubscribe func())
	SetLogger(*slog.Logger)
	Close() error
}

// A configurable instance takes a new Config while it lives.
type configurable[C any] interface {
	instance
	Reconfigure(C) error
}

// A registry holds the instances of one policy by their names: P is the pointer to the policy's type, C its Config. The
// first group of fields says what the policy is; the others are guarded by the runtime's mutex.
type registry[P instance, C any] struct {
	runtime     *Runtime
	kind        policy.Kind
	builtin     func() C
	validate    func(C) error
	create      func(name string, config C) (P, error)
	reconfigure func(P, C) error
	disable     func(*C)

	configurations map[string][]func(*C) // the named configurations
	coded          map[string][]func(*C) // code options, by the instance's name
	entries        map[string]*entry[P, C]
}

// An entry is an instance with where its settings come from.
type entry[P instance, C any] struct {
	instance P
	bound    annotations
	seen     bool   // somebody was given the instance: it must live on when a wrapper binds its name
	forward  func() // ends the forwarding of events; nil while nobody listens to the runtime

	config   C // what the instance should be configured with
	pending  bool
	applying bool
}

// annotations are what the wrappers that share an instance say about it.
type annotations struct {
	places        []string // the wrappers, in the order in which they bound
	owner         string   // import path of the wrapper whose default name this is; empty where it is nobody's
	configuration string   // the named configuration; empty where none is named
	configuredAt  string   // the wrapper that names it
	settings      settings
}

func (a annotations) clone() annotations {
	a.places = slices.Clone(a.places)
	a.settings = maps.Clone(a.settings)
	return a
}

// newRegistry returns the registry of a policy that has a Config.
func newRegistry[P configurable[C], C interface{ Validate() error }, O ~func(*C)](
	rt *Runtime, kind policy.Kind, builtin func() C, create func(string, ...O) (P, error), disable func(*C),
) *registry[P, C] {
	return &registry[P, C]{
		runtime:  rt,
		kind:     kind,
		builtin:  builtin,
		validate: C.Validate,
		create: func(name string, config C) (P, error) {
			return create(name, func(c *C) { *c = config })
		},
		reconfigure:    P.Reconfigure,
		disable:        disable,
		configurations: map[string][]func(*C){defaultConfiguration: nil},
		coded:          map[string][]func(*C){},
		entries:        map[string]*entry[P, C]{},
	}
}

// noConfig is the Config of a policy that has nothing to configure.
type noConfig struct{}

// newPlainRegistry returns the registry of a policy that has no Config.
func newPlainRegistry[P instance](
	rt *Runtime, kind policy.Kind, create func(string) (P, error),
) *registry[P, noConfig] {
	return &registry[P, noConfig]{
		runtime:        rt,
		kind:           kind,
		builtin:        func() noConfig { return noConfig{} },
		validate:       func(noConfig) error { return nil },
		create:         func(name string, _ noConfig) (P, error) { return create(name) },
		reconfigure:    func(P, noConfig) error { return nil },
		disable:        func(*noConfig) {},
		configurations: map[string][]func(*noConfig){defaultConfiguration: nil},
		coded:          map[string][]func(*noConfig){},
		entries:        map[string]*entry[P, noConfig]{},
	}
}

// configOf returns what the layers come to for an instance, weakest first. It is the one place that knows their order.
func (r *registry[P, C]) configOf(name string, bound annotations) C {
	config := r.builtin()
	if r.runtime.passthrough {
		r.disable(&config)
		return config
	}
	apply(&config, r.configurations[defaultConfiguration])
	if bound.configuration != defaultConfiguration {
		apply(&config, r.configurations[bound.configuration])
	}
	bound.settings.apply(&config)
	apply(&config, r.coded[name])
	return config
}

func apply[C any](config *C, options []func(*C)) {
	for _, option := range options {
		option(config)
	}
}

// checkConfigurations validates each named configuration on top of the defaults.
func (r *registry[P, C]) checkConfigurations() []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(r.configurations)) {
		config := r.configOf("", annotations{configuration: name})
		errs = append(errs, prefixed(r.validate(config), "%s configuration %q", r.kind, name)...)
	}
	return errs
}

// find returns the instance of that name and whether there is one.
func (r *registry[P, C]) find(name string) (P, bool) {
	r.runtime.mu.Lock()
	defer r.runtime.mu.Unlock()
	e, ok := r.entries[name]
	if !ok {
		var none P
		return none, false
	}
	e.seen = true
	return e.instance, true
}

// all iterates over the instances that there are when the iteration starts, in the order of their names.
func (r *registry[P, C]) all() iter.Seq[P] {
	return func(yield func(P) bool) {
		r.runtime.mu.Lock()
		instances := make([]P, 0, len(r.entries))
		for _, name := range slices.Sorted(maps.Keys(r.entries)) {
			e := r.entries[name]
			e.seen = true
			instances = append(instances, e.instance)
		}
		r.runtime.mu.Unlock()
		for _, instance := range instances {
			if !yield(instance) {
				return
			}
		}
	}
}

// close closes all instances. The runtime is closed already, so that none is added.
func (r *registry[P, C]) close() []error {
	var errs []error
	for instance := range r.all() {
		errs = append(errs, prefixed(instance.Close(), "%s %q", r.kind, instance.Name())...)
	}
	return errs
}

// listen starts or ends the forwarding of events of all instances. The runtime's mutex is held.
func (r *registry[P, C]) listen(on bool) {
	for _, e := range r.entries {
		e.listen(on, r.runtime)
	}
}

func (e *entry[P, C]) listen(on bool, rt *Runtime) {
	switch {
	case on && e.forward == nil:
		e.forward = e.instance.Subscribe(rt.listeners.Publish)
	case !on && e.forward != nil:
		e.forward()
		e.forward = nil
	}
}

// update brings a living instance to the Config that its entry says. Reconfigure may publish events, and a listener may
// call back into the runtime, so it is called without the mutex; and while one goroutine is at it, another one leaves
// its change to that one, so that the latest Config wins and a listener that binds a wrapper does not wait for itself.
func (r *registry[P, C]) update(e *entry[P, C]) error {
	mu := &r.runtime.mu
	mu.Lock()
	defer mu.Unlock()
	if e.applying {
		return nil
	}
	e.applying = true
	defer func() { e.applying = false }()
	for e.pending {
		e.pending = false
		if err := r.reconfigureUnlocked(e.instance, e.config); err != nil {
			return err
		}
	}
	return nil
}

// reconfigureUnlocked calls Reconfigure with the runtime's mutex released.
func (r *registry[P, C]) reconfigureUnlocked(instance P, config C) error {
	r.runtime.mu.Unlock()
	defer r.runtime.mu.Lock()
	return r.reconfigure(instance, config)
}
