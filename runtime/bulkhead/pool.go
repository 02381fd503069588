package bulkhead

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Pool bounds how many calls are under way at once by running them on goroutines of its own, with a queue before
// them. It is for work that does not stop when its context ends: a caller gets away from such work, and the place
// that it takes up is not given to anybody else until it is over. For all other work a [Bulkhead] does the same at a
// hundredth of the cost.
//
// A Pool may be used by several goroutines at once, for calls of any kind. Make one with [NewPool] and call through
// [Submit]. A pool that is not closed keeps the goroutines of its core.
type Pool struct {
	listeners policy.Listeners
	name      string
	full      *FullError
	enabled   atomic.Bool

	admitted, rejected, interrupted, panicked atomic.Uint64

	mu      sync.Mutex
	config  PoolConfig
	closed  bool
	workers int       // goroutines, the idle ones included
	idle    []*worker // those that have waited for the longest first
	queue   jobs      // empty while somebody is idle
}

// NewPool returns a Pool with the defaults, changed by the options. It fails if the name is empty or a field is out
// of range; the error names each such field.
func NewPool(name string, options ...PoolOption) (*Pool, error) {
	if name == "" {
		return nil, errors.New("bulkhead: the name is empty; an instance needs one")
	}
	config := DefaultPoolConfig()
	for _, option := range options {
		option(&config)
	}
	p := &Pool{name: name, full: newFullError(name)}
	if err := p.Reconfigure(config); err != nil {
		return nil, err
	}
	return p, nil
}

// Name returns the name of the instance.
func (p *Pool) Name() string { return p.name }

// Config returns the settings in force.
func (p *Pool) Config() PoolConfig {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.config
}

// Subscribe adds a listener for the events CALL_PERMITTED (a goroutine has taken the call up), CALL_REJECTED,
// CALL_FINISHED and PANIC, as [policy.Listeners] describes it, and returns what takes it off again. They are
// published on the caller's goroutine or, once the caller has left, on one that is not of the pool.
func (p *Pool) Subscribe(receive func(policy.Event)) (unsubscribe func()) {
	return p.listeners.Subscribe(receive)
}

// SetLogger sets where panics of listeners are reported; nil means slog.Default.
func (p *Pool) SetLogger(logger *slog.Logger) { p.listeners.SetLogger(logger) }

// Reconfigure replaces the settings and never blocks. With fewer goroutines no call is taken up until enough of them
// have ended; those in the queue stay there.
func (p *Pool) Reconfigure(config PoolConfig) error {
	if err := config.Validate(); err != nil {
		return fmt.Errorf("bulkhead %q: %w", p.name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.config = config
	p.enabled.Store(config.Enabled)
	p.dismissIdle()
	for p.queue.first != nil && (p.workers < config.core() ||
		p.workers < config.MaxThreadPoolSize && p.queue.length > config.QueueCapacity) {
		p.hire(p.shift())
	}
	return nil
}

// Close dismisses the calls in the queue, which end in an error that is [policy.ErrClosed], and ends the goroutines:
// those that have work, after it. Later calls are run on a goroutine of their own if not too many are under way, and
// never queued. Close is idempotent, does not wait, and its error is always nil.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for j := p.queue.first; j != nil; j = p.queue.first {
		p.queue.remove(j)
		j.outcome.dismissed = true
		j.claimed.Store(true)
		close(j.done)
	}
	p.dismissIdle()
	return nil
}

// Refused reports whether err is a refusal that this pool itself returned from [Submit]. Generated code asks it,
// because the error of Submit may be the call's as well.
func (p *Pool) Refused(err error) bool {
	switch e := err.(type) {
	case *FullError:
		return e == p.full
	case *InterruptedError:
		return e.pool == p && e.Rejected()
	}
	return false
}

// passes reports whether the pool is switched off.
func (p *Pool) passes() bool { return !p.enabled.Load() }

// submit has work done and waits for its end. An error means that its caller has left, or it was never begun.
func (p *Pool) submit(ctx context.Context, work func()) error {
	if ctx.Err() != nil {
		return p.turnAway(&p.interrupted, &InterruptedError{name: p.name, pool: p, reason: policy.Ended(ctx)})
	}
	j := &job{work: work, done: make(chan struct{})}
	if p.listeners.Any() {
		j.started = make(chan struct{})
	}
	if !p.accept(j) {
		return p.turnAway(&p.rejected, p.full)
	}
	p.admitted.Add(1)
	defer p.forsake(j) // does something only where a listener ends the goroutine
	if j.started != nil {
		select {
		case <-j.started:
			p.announce(j)
		case <-j.done:
		case <-ctx.Done():
		}
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if err := p.abandon(ctx, j); err != nil {
			return err
		}
		<-j.done // it has ended in the meantime
	}
	return p.conclude(j)
}

// abandon gives j up, because ctx has ended, and returns nil if j has ended as well.
func (p *Pool) abandon(ctx context.Context, j *job) error {
	err := &InterruptedError{name: p.name, pool: p, reason: policy.Ended(ctx)}
	if p.unqueue(j) {
		j.claimed.Store(true)
		return p.turnAway(&p.interrupted, err)
	}
	p.announce(j)
	if !j.claimed.CompareAndSwap(false, true) {
		return nil
	}
	p.interrupted.Add(1)
	err.started = true
	return err
}

// conclude does for the caller of j, which is done, what j came to.
func (p *Pool) conclude(j *job) error {
	if j.outcome.dismissed {
		return p.turnAway(&p.interrupted, &InterruptedError{name: p.name, pool: p, reason: policy.ErrClosed})
	}
	p.announce(j)
	if p.listeners.Any() {
		p.publish(policy.CallFinished, nil)
	}
	switch {
	case j.outcome.panicked:
		panic(j.outcome.value)
	case j.outcome.exited:
		runtime.Goexit()
	}
	return nil
}

// announce publishes that j was taken up, if it was, somebody listens, and it is not known yet.
func (p *Pool) announce(j *job) {
	if j.started == nil || j.announced {
		return
	}
	select {
	case <-j.started:
		j.announced = true
		p.publish(policy.CallPermitted, nil)
	default: // dismissed
	}
}

// turnAway counts and publishes a call that was not made.
func (p *Pool) turnAway(counter *atomic.Uint64, err error) error {
	counter.Add(1)
	if p.listeners.Any() {
		p.publish(policy.CallRejected, err)
	}
	return err
}

// unqueue takes j out of the queue, if it is there.
func (p *Pool) unqueue(j *job) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !j.queued {
		return false
	}
	p.queue.remove(j)
	return true
}

// forsake gives up j, unless it has ended or was given up already.
func (p *Pool) forsake(j *job) {
	if j.claimed.CompareAndSwap(false, true) {
		p.unqueue(j)
	}
}

// finish tells the caller of j that its work has ended or, if it has left, everybody who listens.
func (p *Pool) finish(j *job) {
	if j.claimed.CompareAndSwap(false, true) {
		close(j.done)
		return
	}
	if j.outcome.panicked {
		p.panicked.Add(1)
	}
	if p.listeners.Any() {
		go p.publishEnd(j.outcome) // a slow listener must not keep a goroutine of the pool
	}
}

func (p *Pool) publishEnd(o outcome) {
	if o.panicked {
		p.listeners.Publish(policy.Event{
			Kind: policy.ThreadPoolBulkhead, Name: p.name, Type: policy.Panicked, Panic: o.value, Stack: o.stack,
		})
	}
	p.publish(policy.CallFinished, nil)
}

func (p *Pool) publish(kind policy.EventType, err error) {
	p.listeners.Publish(policy.Event{Kind: policy.ThreadPoolBulkhead, Name: p.name, Type: kind, Err: err})
}
