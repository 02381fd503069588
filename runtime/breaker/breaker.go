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
// The first cache line is read by every call and changes only with the state, the configuration and the listeners; the
// second one is written by refusals, by slow calls, and by what is in no window. What every other call writes, the head
// of the window, lies apart from both.
type Breaker struct {
	name      string
	settings  atomic.Pointer[settings]
	current   atomic.Pointer[generation]
	listeners policy.Listeners
	mu        sync.Mutex // serialises the changes of settings and current; no user code runs under it
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
	s := &settings{Config: DefaultConfig(), created: policy.Now()}
	for _, opt := range opts {
		opt(&s.Config)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.minimum = s.Config.minimum()
	b := &Breaker{name: name}
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
	return b, nil
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
	return b.listeners.Subscribe(receive)
}

// SetLogger sets where panics of listeners are reported; nil means slog.Default.
func (b *Breaker) SetLogger(logger *slog.Logger) { b.listeners.SetLogger(logger) }

// Close stops the timer, if one runs, and starts none any more. It may be called more than once, and returns nil. Calls
// are judged as before; what a timer would have done is done by the next call.
func (b *Breaker) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := *b.settings.Load()
	s.closed = true
	b.settings.Store(&s)
	b.arm(b.current.Load(), &s)
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
