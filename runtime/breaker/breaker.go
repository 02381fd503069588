package breaker

import (
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Breaker is a circuit breaker. Make one with [New]; share it by pointer between all calls to the same service. All
// its methods may be called by any number of goroutines at once.
//
// Most programs call [Do], which takes a function. [Breaker.Begin] and [Call.End] are the two halves of it, for code
// that has the call between them, such as generated code.
//
// The first fields are read by every call and change only with the state, the configuration and the listeners; the last
// one is written by refusals, by slow calls, and by what is in no window. What every other call writes, the head of the
// window, lies apart from both.
//
// admitting and untimed spare each call from working them out from current, settings and listeners: they are set, under
// mu, whenever one of these changes. admitting is cleared before a generation stops to be current, and set when another
// one is, so that no call is admitted to a state after somebody could see that it has been left.
type Breaker struct {
	admitting atomic.Pointer[generation] // current, if it admits every call; nil where Begin has to look at more
	untimed   atomic.Bool                // nobody is going to ask how long a call takes
	closed    bool                       // Close was called: no timer is started any more; guarded by mu
	settings  atomic.Pointer[settings]
	listeners policy.Listeners
	current   atomic.Pointer[generation]
	name      string
	created   policy.Instant // the origin of the seconds of its windows
	mu        sync.Mutex     // serialises the changes of settings and current; no user code runs under it
	lifetime  lifetime
}

// lifetime counts what happened since the circuit breaker was made. Successes and failures are those outside of the
// current window: of earlier windows, of probes, and those that came too late.
type lifetime struct {
	succeeded    atomic.Uint64
	failed       atomic.Uint64
	slow         atomic.Uint64
	ignored      atomic.Uint64
	cancelled    atomic.Uint64
	refused      atomic.Uint64
	late         atomic.Uint64
	notPermitted atomic.Uint64
}

// add adds what a window was given that is not the current one any more. It is called under mu, with the change.
func (l *lifetime) add(t totals) {
	l.succeeded.Add(t.outcomes - t.failed)
	l.failed.Add(t.failed)
}

// count adds an outcome that is in no window.
func (l *lifetime) count(o outcome) {
	if o&failed != 0 {
		l.failed.Add(1)
	} else {
		l.succeeded.Add(1)
	}
}

// New returns a circuit breaker in its InitialState, with [DefaultConfig] changed by opts. The name stands in its events
// and refusals. The error is that of [Config.Validate].
func New(name string, opts ...Option) (*Breaker, error) {
	c := DefaultConfig()
	for _, opt := range opts {
		opt(&c)
	}
	t, err := NewTemplate(c)
	if err != nil {
		return nil, err
	}
	return t.New(name), nil
}

// A Template is a Config that is known to be valid. The circuit breakers that are made from one share it for as long as
// they are not reconfigured, so that a great many of them, as where each tenant has its own, take little memory. It may
// be used by several goroutines at once.
type Template struct{ settings settings }

// NewTemplate returns a template with that Config. The error is that of [Config.Validate].
func NewTemplate(c Config) (*Template, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Template{settings{c, c.minimum()}}, nil
}

// New returns a circuit breaker in its InitialState, as the function [New] does.
func (t *Template) New(name string) *Breaker {
	s := &t.settings
	b := &Breaker{name: name, created: policy.Now()}
	b.settings.Store(s)
	var g *generation
	switch s.InitialState {
	case Open:
		g = b.newOpenGeneration(1, s.waitInOpen(1), tally{})
	case ForcedOpen:
		g = b.newGeneration(s, ForcedOpen, 1)
	default:
		g = b.newGeneration(s, s.InitialState, 0)
	}
	b.current.Store(g)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arm(g, s)
	b.refresh()
	return b
}

// refresh works out what Begin goes by. It is called under mu.
func (b *Breaker) refresh() {
	s, g := b.settings.Load(), b.current.Load()
	b.untimed.Store(s.SlowCallDurationThreshold == 0 && !b.listeners.Any())
	if !s.Enabled || !g.state.windowed() {
		g = nil
	}
	b.admitting.Store(g)
}

// Name returns the name given to [New].
func (b *Breaker) Name() string { return b.name }

// Config returns the configuration in force.
func (b *Breaker) Config() Config { return b.settings.Load().Config }

// State returns the current state. It changes nothing: OPEN whose wait has elapsed is reported as OPEN until a call
// arrives, or until the timer of AutomaticTransitionFromOpenToHalfOpenEnabled fires; [Metrics].OpenFor tells.
func (b *Breaker) State() State { return b.current.Load().state }

// Subscribe adds a listener and returns what takes it off again; calling that twice is harmless. See
// [policy.Listeners] for what a listener may do. While somebody listens, the duration of each call is measured. Events
// of transitions that follow each other at once, on different goroutines, may arrive in either order.
func (b *Breaker) Subscribe(receive func(policy.Event)) (unsubscribe func()) {
	remove := b.listeners.Subscribe(receive)
	b.listened()
	return func() {
		remove()
		b.listened()
	}
}

// listened takes note of who has begun or ceased to listen.
func (b *Breaker) listened() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refresh()
}

// SetLogger sets where panics of listeners are reported; nil means slog.Default.
func (b *Breaker) SetLogger(logger *slog.Logger) { b.listeners.SetLogger(logger) }

// Close stops the timer, if one runs, and starts none any more. It may be called more than once, and returns nil. Calls
// are judged as before; what a timer would have done is done by the next call.
func (b *Breaker) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.arm(b.current.Load(), b.settings.Load())
	return nil
}

// publish gives the listeners an event of this circuit breaker.
func (b *Breaker) publish(e policy.Event) {
	if !b.listeners.Any() {
		return
	}
	e.Kind, e.Name = policy.CircuitBreaker, b.name
	b.listeners.Publish(e)
}

// publishCall publishes what happened to a call, unless the state is DISABLED; an event without a type is none.
func (b *Breaker) publishCall(e policy.Event) {
	if e.Type != "" && b.State() != Disabled {
		b.publish(e)
	}
}
