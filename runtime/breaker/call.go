package breaker

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Call is the permission to make one call. It is settled exactly once, by the first of End, EndResult and Abort; what
// comes after that changes nothing. It belongs to one goroutine, and is passed by pointer: a copy would be settled on
// its own account. The zero Call counts nowhere.
//
// It has four words, not more: the compiler passes such a struct in registers.
type Call struct {
	breaker    *Breaker
	generation *generation
	began      policy.Instant
	marks      marks
}

// marks are a call's ticket of HALF_OPEN, in the high half, and two bits.
type marks uint64

const (
	pending marks = 1 << iota // the call is to be settled
	timed                     // began is set
)

func (m marks) ticket() uint32 { return uint32(m >> 32) }

// Begin asks for the permission to make a call. The error, if there is one, is an [*OpenError]. Otherwise the call must
// be settled, however it ends, or a permit of HALF_OPEN may be missing until its lifetime is over:
//
//	call, err := b.Begin()
//	if err != nil {
//		return err
//	}
//	defer call.Abort() // a panic or runtime.Goexit counts as a failure
//	err = ask(ctx)
//	call.End(ctx, err)
//	return err
func (b *Breaker) Begin() (Call, error) {
	g := b.admitting.Load()
	if g == nil {
		return b.admit()
	}
	if b.untimed.Load() {
		return Call{breaker: b, generation: g, marks: pending}, nil
	}
	return Call{b, g, policy.Now(), pending | timed}, nil
}

// admit is Begin where it has to look at more. A state whose time is over is left first, by this call or by another one.
func (b *Breaker) admit() (Call, error) {
	s := b.settings.Load()
	if !s.Enabled {
		return Call{}, nil
	}
	for {
		g := b.current.Load()
		switch g.state {
		case Closed, MetricsOnly: // only just
			return Call{b, g, policy.Now(), pending | timed}, nil
		case Disabled:
			return Call{}, nil
		case ForcedOpen:
			return Call{}, b.refuse(g)
		}
		now := policy.Now()
		if at, ok := g.deadline(s); ok && now >= at {
			b.leave(g, s)
			continue
		}
		if g.state == Open {
			return Call{}, b.refuse(g)
		}
		var lifetime time.Duration
		if s.MaxWaitDurationInHalfOpenState == 0 {
			lifetime = s.WaitDurationInOpenState
		}
		ticket, ok, retired := g.stay.probes.admit(now, lifetime)
		switch {
		case ok:
			return Call{b, g, now, marks(ticket)<<32 | pending | timed}, nil
		case !retired:
			return Call{}, b.refuse(g)
		}
	}
}

func (b *Breaker) refuse(g *generation) error {
	b.lifetime.notPermitted.Add(1)
	if b.listeners.Any() {
		b.publish(policy.Event{Type: policy.NotPermitted, Err: g.stay.refusal})
	}
	return g.stay.refusal
}

// Began returns the instant at which the call began, for others that need it too. Where the circuit breaker had no need
// of the clock (no slow call rule, no listener, not HALF_OPEN), it reads it now.
func (c *Call) Began() policy.Instant {
	if c.marks&timed != 0 {
		return c.began
	}
	return policy.Now()
}

// End settles the call by the error that it returned. ctx is the caller's own context. In this order:
//
//   - nil is a success;
//   - a refusal by an inner layer of the same chain (see [policy.MarkInner]) counts neither way, unless RecordErrors has it;
//   - an error while the caller has cancelled ctx counts neither way; an expired deadline is no cancellation;
//   - an error of IgnoreErrors counts neither way;
//   - every other error is a failure; where there are RecordErrors, those are, and the rest are successes.
//
// A rule that panics settles nothing: the panic goes on, and the deferred Abort counts a failure.
func (c *Call) End(ctx context.Context, err error) {
	if err != nil {
		c.settle(ctx, err, returned)
		return
	}
	if c.marks&pending == 0 {
		return
	}
	w := c.generation.count.Load()
	if w == nil {
		c.succeed()
		return
	}
	// The outcome gets its number before the clock is read: what follows the reading, down to the caller, then runs while
	// the processor is still at it, and would have to wait for the addition otherwise.
	n := w.head.next(succeeded)
	o := succeeded
	var now policy.Instant
	if c.marks&timed != 0 {
		now = policy.Now()
		if c.breaker.settings.Load().slow(now.Sub(c.began)) {
			o = slow
		}
	}
	c.marks &^= pending
	if o != succeeded || !w.head.spotless(n) || c.breaker.listeners.Any() {
		c.place(w, n, o, now)
	}
}

// EndResult is [Call.End] for calls whose result may be a failure: with failedResult true and no error, the call is one.
func (c *Call) EndResult(ctx context.Context, err error, failedResult bool) {
	if failedResult {
		c.settle(ctx, err, returnedFailure)
		return
	}
	c.End(ctx, err)
}

// Abort counts a failure unless the call is settled. It is meant to be deferred, so that a call that panics or ends its
// goroutine is settled too. It does not panic, whatever the functions of the configuration do.
func (c *Call) Abort() {
	if c.marks&pending != 0 {
		c.abort()
	}
}

func (c *Call) abort() {
	defer func() { _ = recover() }() // only of what the next line does: a panic that is under way goes on
	c.settle(context.Background(), nil, aborted)
}

// classify returns what the end of a call counts as, and the error for its event. If it counts neither way, the call is
// settled.
func (c *Call) classify(ctx context.Context, err error, how manner) (o outcome, cause error, counts bool) {
	switch {
	case how == aborted:
		return failed, ErrAborted, true
	case err == nil:
		return failed, ErrFailedResult, true
	}
	s, total := c.breaker.settings.Load(), &c.breaker.lifetime
	inner := policy.Marked(err)
	err = policy.Unmark(err)
	listed := inner && s.RecordErrors.Matches(err)
	switch {
	case inner && !listed:
		c.release(&total.refused, err)
	case policy.Cancelled(ctx):
		c.release(&total.cancelled, err)
	case s.IgnoreErrors.Matches(err):
		c.release(&total.ignored, err)
	case listed || s.RecordErrors.IsZero() || s.RecordErrors.Matches(err):
		return failed, err, true
	default:
		return succeeded, err, true
	}
	return succeeded, err, false
}

// release settles a call that counts neither way, except in its own counter.
func (c *Call) release(counter *atomic.Uint64, err error) {
	c.marks &^= pending
	counter.Add(1)
	b, g := c.breaker, c.generation
	if g.state == HalfOpen {
		g.stay.probes.release(c.marks.ticket())
	}
	if b.listeners.Any() {
		b.publishCall(policy.Event{Type: policy.IgnoredError, Duration: c.took(), Err: err})
	}
}

func (c *Call) took() time.Duration {
	if c.marks&timed == 0 {
		return 0
	}
	return policy.Now().Sub(c.began)
}
