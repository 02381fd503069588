package timelimiter

import (
	"context"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Call is one call with its limit. It is used by one goroutine, as in
//
//	ctx, call := l.Begin(ctx)
//	defer call.Stop()
//	n, err := do(ctx)
//	return n, call.End(err)
//
// and is settled, that is counted, exactly once: by End, or by Stop if the call never came to it.
type Call struct {
	limiter  *TimeLimiter // nil once settled
	settings *settings
	caller   context.Context
	limited  context.Context
	cancel   context.CancelFunc // nil where limited is the caller's
	begun    policy.Instant     // set where timed
	timed    bool
	kept     bool // the context is a body's, which ends it: see KeepUntilClose
}

// Begin starts a call and returns the context to make it with. That is the caller's own, and no timer is started, where
// the caller's deadline is not later than the limit or the context has ended.
func (l *TimeLimiter) Begin(ctx context.Context) (context.Context, Call) {
	s := l.settings.Load()
	if !s.Enabled {
		return ctx, Call{}
	}
	return l.begin(ctx, s)
}

func (l *TimeLimiter) begin(ctx context.Context, s *settings) (context.Context, Call) {
	c := Call{limiter: l, settings: s, caller: ctx, limited: ctx}
	if !endsWithin(ctx, s.TimeoutDuration) {
		c.limited, c.cancel = context.WithTimeoutCause(ctx, s.TimeoutDuration, s.cause)
	}
	if l.listeners.Any() {
		c.begun, c.timed = policy.Now(), true
	}
	return c.limited, c
}

func endsWithin(ctx context.Context, limit time.Duration) bool {
	if ctx.Err() != nil {
		return true
	}
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) <= limit
}

// End settles the call with the error that it returned, and returns what the caller gets: a [*TimeoutError] around it
// if the limit has run out and the caller's context is alive, else the error as it is. A call without an error is a
// success however late it is. It leaves the context alone, so that a result may be read before Stop.
func (c *Call) End(err error) error {
	return c.end(err, err != nil && c.ranOut())
}

func (c *Call) end(err error, ranOut bool) error {
	l := c.limiter
	if l == nil {
		return err
	}
	c.limiter = nil
	switch {
	case err == nil:
		l.counters.successful.Add(1)
		c.publish(l, policy.Success, nil)
	case ranOut:
		timeout := c.settings.cause
		if policy.Unmark(err) != error(timeout) { // it is where the call returned the cause of its context
			timeout = l.timeout(c.settings.Config, policy.Unmark(err))
		}
		l.counters.timedOut.Add(1)
		c.publish(l, policy.Timeout, timeout)
		if policy.Marked(err) {
			return policy.MarkInner(timeout)
		}
		return timeout
	case policy.Cancelled(c.caller):
		l.counters.cancelled.Add(1)
		c.publish(l, policy.IgnoredError, policy.Unmark(err))
	case policy.Marked(err):
		l.counters.refused.Add(1)
		c.publish(l, policy.IgnoredError, policy.Unmark(err))
	default:
		l.counters.failed.Add(1)
		c.publish(l, policy.Error, err)
	}
	return err
}

// Stop releases the context of the call, which ends whatever is still read through it, except for a body that
// [Call.KeepUntilClose] was given. Deferred, it also settles a call that panicked or left by runtime.Goexit, as a
// failure. Calling it twice is harmless.
func (c *Call) Stop() {
	if c.cancel != nil && !c.kept {
		c.cancel()
	}
	if l := c.limiter; l != nil {
		c.limiter = nil
		l.counters.failed.Add(1)
		c.publish(l, policy.Error, errAborted)
	}
}

// ranOut reports whether the call's own limit is over, and the caller would still take an answer.
func (c *Call) ranOut() bool {
	if c.cancel == nil {
		return false
	}
	if c.limited.Err() == nil {
		// Who watches the context's deadline with a timer of its own, as connections do, may be ahead of the context's.
		if deadline, _ := c.limited.Deadline(); time.Now().Before(deadline) {
			return false
		}
	}
	return c.caller.Err() == nil // asked last: as long as the caller is alive, only the limit ends the limited context
}

func (c *Call) publish(l *TimeLimiter, event policy.EventType, err error) {
	if !l.listeners.Any() {
		return
	}
	e := policy.Event{Kind: policy.TimeLimiter, Name: l.name, Type: event, Err: err}
	if c.timed {
		e.Duration = policy.Now().Sub(c.begun)
	}
	l.listeners.Publish(e)
}
