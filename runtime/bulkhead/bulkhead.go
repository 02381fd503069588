package bulkhead

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Bulkhead bounds how many calls are under way at once. It may be used by several goroutines at once, for calls of
// any kind. Make one with [New]; most callers then want [Do], and generated code uses [Bulkhead.Begin].
//
// A call that need not wait touches one word and takes no lock.
type Bulkhead struct {
	config    atomic.Pointer[Config]
	listeners policy.Listeners
	name      string
	full      *FullError

	_     [64]byte // what a call writes stands apart from what it only reads
	slots slots
	_     [40]byte

	rejected    atomic.Uint64
	interrupted atomic.Uint64

	mu     sync.Mutex
	queue  line[waiter, *waiter] // of the calls that wait for a slot
	closed bool
}

// New returns a Bulkhead with the defaults, changed by the options. It fails if the name is empty or a field is out
// of range; the error names each such field.
func New(name string, options ...Option) (*Bulkhead, error) {
	if name == "" {
		return nil, errors.New("bulkhead: the name is empty; an instance needs one")
	}
	config := DefaultConfig()
	for _, option := range options {
		option(&config)
	}
	t, err := NewTemplate(config)
	if err != nil {
		return nil, fmt.Errorf("bulkhead %q: %w", name, err)
	}
	return t.New(name), nil
}

// A Template is a Config that is known to be valid. The bulkheads that are made from one share it for as long as they are
// not reconfigured, so that a great many of them, as where each tenant has its own, take less memory. It may be used by
// several goroutines at once.
type Template struct{ config Config }

// NewTemplate returns a template with that Config. The error is that of [Config.Validate].
func NewTemplate(config Config) (*Template, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return &Template{config}, nil
}

// New returns a Bulkhead of that name, which is not empty.
func (t *Template) New(name string) *Bulkhead {
	b := &Bulkhead{name: name, full: newFullError(name)}
	b.configure(&t.config)
	return b
}

// Name returns the name of the instance.
func (b *Bulkhead) Name() string { return b.name }

// Config returns the settings in force.
func (b *Bulkhead) Config() Config { return *b.config.Load() }

// Subscribe adds a listener for the events CALL_PERMITTED, CALL_REJECTED and CALL_FINISHED, as [policy.Listeners]
// describes it, and returns what takes it off again.
func (b *Bulkhead) Subscribe(receive func(policy.Event)) (unsubscribe func()) {
	return b.listeners.Subscribe(receive)
}

// SetLogger sets where panics of listeners are reported; nil means slog.Default.
func (b *Bulkhead) SetLogger(logger *slog.Logger) { b.listeners.SetLogger(logger) }

// Reconfigure replaces the settings and never blocks. With a lower limit nobody is let in until enough calls have
// ended; with a higher one, those who wait are let in at once. They keep the time that they had when they came.
func (b *Bulkhead) Reconfigure(config Config) error {
	if err := config.Validate(); err != nil {
		return fmt.Errorf("bulkhead %q: %w", b.name, err)
	}
	b.configure(&config)
	return nil
}

// configure puts a valid Config in force, which nobody changes any more.
func (b *Bulkhead) configure(config *Config) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.config.Store(config)
	b.slots.set(config.MaxConcurrentCalls)
	b.serve()
}

// Close wakes the calls that wait; they end in an error that is [policy.ErrClosed]. Later calls are judged, but never
// wait. Close is idempotent and its error always nil.
func (b *Bulkhead) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for w := b.queue.first; w != nil; w = b.queue.first {
		b.dismiss(w, closed)
	}
	return nil
}

// A Call is a slot in a bulkhead. It belongs to one goroutine and must not be copied once it is used.
type Call struct{ bulkhead *Bulkhead }

// Begin lets a call in, and waits up to maxWaitDuration if need be. It returns a [*FullError] if there is no slot in
// that time, and an [*InterruptedError] if ctx ends during the wait or the bulkhead is closed. The call must be ended
// by End, deferred before anything else is done.
//
// Whether ctx has ended is looked at only where there is no slot at once.
func (b *Bulkhead) Begin(ctx context.Context) (Call, error) {
	if !b.slots.enter() {
		return b.beginSlow(ctx)
	}
	if b.listeners.Any() {
		b.announce()
	}
	return Call{b}, nil
}

// End gives the slot back. Calling it again does nothing.
func (c *Call) End() {
	b := c.bulkhead
	if b == nil {
		return
	}
	c.bulkhead = nil
	b.leave()
	if b.listeners.Any() {
		b.publish(policy.CallFinished, nil)
	}
}

// leave gives a slot back, to the head of the queue if there is one.
func (b *Bulkhead) leave() {
	if b.slots.leave() {
		b.serveUnlocked()
	}
}

// announce publishes that a call was let in. If a listener ends the goroutine, the slot is given back.
func (b *Bulkhead) announce() {
	announced := false
	defer func() {
		if !announced {
			b.leave()
		}
	}()
	b.publish(policy.CallPermitted, nil)
	announced = true
}

// publish is kept out of Begin and End: an event is large, and so would their stack frames be.
//
//go:noinline
func (b *Bulkhead) publish(kind policy.EventType, err error) {
	b.listeners.Publish(policy.Event{Kind: policy.Bulkhead, Name: b.name, Type: kind, Err: err})
}

// beginSlow is Begin where there is no slot at once, or the bulkhead is switched off.
func (b *Bulkhead) beginSlow(ctx context.Context) (Call, error) {
	fate, err := b.wait(ctx)
	switch {
	case fate == passed:
		return Call{}, nil
	case fate == admitted:
		if b.listeners.Any() {
			b.announce()
		}
		return Call{b}, nil
	case errors.Is(err, ErrFull):
		b.rejected.Add(1)
	default:
		b.interrupted.Add(1)
	}
	if b.listeners.Any() {
		b.publish(policy.CallRejected, err)
	}
	return Call{}, err
}

// wait waits for a slot.
func (b *Bulkhead) wait(ctx context.Context) (fate, error) {
	config := b.config.Load()
	if !config.Enabled {
		return passed, nil
	}
	if ctx.Err() != nil {
		return withdrawn, &InterruptedError{name: b.name, reason: policy.Ended(ctx)}
	}
	if config.MaxWaitDuration == 0 {
		return withdrawn, b.full
	}
	w := b.enqueue()
	timer := time.NewTimer(config.MaxWaitDuration)
	defer timer.Stop()
	err := error(b.full)
	select {
	case <-w.done:
	case <-timer.C:
		b.withdraw(w)
	case <-ctx.Done():
		b.withdraw(w)
		err = &InterruptedError{name: b.name, reason: policy.Ended(ctx)}
	}
	switch w.fate {
	case admitted, passed:
		return w.fate, nil
	case closed:
		err = &InterruptedError{name: b.name, reason: policy.ErrClosed}
	}
	return w.fate, err
}
