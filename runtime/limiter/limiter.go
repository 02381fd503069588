package limiter

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Limiter lets calls pass at a limited rate. It may be used by several goroutines at once, for calls of any kind.
// Make one with [New]; most callers then want [Do], generated code uses [Limiter.Acquire], and whoever wants to do
// something else while permits come uses [Limiter.Reserve].
//
// With the algorithm Cycle, a call whose permits are free touches one word and takes no lock.
type Limiter struct {
	fast      atomic.Pointer[cycle] // the ledger, where it admits without a lock; else nil
	config    atomic.Pointer[Config]
	listeners policy.Listeners
	name      string
	decider   Decider // nil: ledger decides

	refusal  *ExceededError                // of calls for one permit
	weighted atomic.Pointer[ExceededError] // of the latest other number
	counters counters
	asking   atomic.Int64 // calls inside decider.Acquire
	closed   atomic.Bool
	changing sync.Mutex // held by Reconfigure and Close, which may call decider

	mu     sync.Mutex
	ledger ledger
	queue  queue
	timer  *time.Timer    // for the head of the queue; nil while that is empty
	newest policy.Instant // at which ledger was read last
	shown  int64          // AdmittedCalls that Metrics has returned last
}

// New returns a Limiter that decides in this process, with the defaults, changed by the options. It fails if the name
// is empty or a field is out of range; the error names each such field.
func New(name string, options ...Option) (*Limiter, error) {
	return NewWithBackend(name, nil, options...)
}

// NewWithBackend is [New] with a backend that makes the decisions. With a nil backend it is New. What the settings
// mean for a backend is said there; the field Backend is but a name for people.
func NewWithBackend(name string, backend Backend, options ...Option) (*Limiter, error) {
	if name == "" {
		return nil, errors.New("ratelimiter: the name is empty; an instance needs one")
	}
	config := DefaultConfig()
	for _, option := range options {
		option(&config)
	}
	t, err := NewTemplate(config, backend)
	if err != nil {
		return nil, fmt.Errorf("ratelimiter %q: %w", name, err)
	}
	return t.New(name)
}

// A Template is a Config that is known to be valid, and the backend for it. The limiters that are made from one share
// them; the Config for as long as they are not reconfigured, so that a great many of them, as where each tenant has its
// own, take less memory. It may be used by several goroutines at once.
type Template struct {
	config  Config
	backend Backend
}

// NewTemplate returns a template with that Config, whose limiters decide in this process if backend is nil. The error is
// that of [Config.Validate] or, for one that needs a backend and has none, of [Config.CheckBackend].
func NewTemplate(config Config, backend Backend) (*Template, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if backend == nil {
		if config.Backend != "" {
			return nil, fmt.Errorf("backend is %q; New decides in this process only, "+
				"use NewWithBackend or a runtime that knows the backend", config.Backend)
		}
		if err := config.CheckBackend(); err != nil {
			return nil, err
		}
	}
	return &Template{config, backend}, nil
}

// New returns a Limiter of that name, which is not empty. The error is the backend's.
func (t *Template) New(name string) (*Limiter, error) {
	l := &Limiter{name: name}
	l.config.Store(&t.config)
	l.refusal = newExceededError(l, 1)
	if t.backend == nil {
		now := policy.Now()
		l.ledger, l.newest = newLedger(&t.config, &l.queue, now, 0, &l.counters.admitted), now
		l.showFast(&t.config)
		return l, nil
	}
	var err error
	if l.decider, err = t.backend.Decider(name, t.config); err != nil {
		return nil, fmt.Errorf("ratelimiter %q: %w", name, err)
	}
	return l, nil
}

// Name returns the name of the instance.
func (l *Limiter) Name() string { return l.name }

// Config returns the settings in force.
func (l *Limiter) Config() Config { return *l.config.Load() }

// Subscribe adds a listener for the events SUCCESSFUL_ACQUIRE, FAILED_ACQUIRE and DRAINED, as [policy.Listeners]
// describes it, and returns what takes it off again. The first two are published when it is settled whether a call
// gets its permits: for one that waits, at the end of the wait; for a reservation, when it is made.
func (l *Limiter) Subscribe(receive func(policy.Event)) (unsubscribe func()) {
	return l.listeners.Subscribe(receive)
}

// SetLogger sets where panics of listeners are reported; nil means slog.Default.
func (l *Limiter) SetLogger(logger *slog.Logger) { l.listeners.SetLogger(logger) }

// Close wakes the calls that wait for permits; they give them back and end in an error that is [policy.ErrClosed].
// Later calls are judged, but never wait. Close is idempotent; its error is the backend's, if there is one.
func (l *Limiter) Close() error {
	l.changing.Lock()
	defer l.changing.Unlock()
	if l.closed.Swap(true) {
		return nil
	}
	if l.decider != nil {
		return l.decider.Close()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.catchUp()
	var waiting []*ticket
	for t := l.queue.last; t != nil; t = t.prev { // from the back, so that nobody moves up to go
		if t.done != nil {
			waiting = append(waiting, t)
		}
	}
	for _, t := range waiting {
		l.leave(t, closed)
	}
	return nil
}

// publish is kept out of AcquireAt: an event is large, and so would its stack frame be.
//
//go:noinline
func (l *Limiter) publish(kind policy.EventType, permits int64, err error) {
	l.listeners.Publish(policy.Event{
		Kind: policy.RateLimiter, Name: l.name, Type: kind, Permits: int(permits), Err: err,
	})
}
