package breaker

import (
	"context"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A manner is how a call ended.
type manner uint8

const (
	returned        manner = iota
	returnedFailure        // with a result that counts as one
	aborted
)

// succeed is End where there is no error, and no window of calls.
func (c *Call) succeed() {
	w := c.generation.time.Load()
	if w == nil || c.marks&timed == 0 {
		c.settle(context.Background(), nil, returned)
		return
	}
	now, o := policy.Now(), succeeded
	if c.breaker.settings.Load().slow(now.Sub(c.began)) {
		o = slow
	}
	c.marks &^= pending
	if v := w.record(o, now); v != unchanged || c.breaker.listeners.Any() {
		c.finish(c.breaker.settings.Load(), now, o, v, nil)
	}
}

// place is what is left of End where the outcome with that number is more than one of many successes.
func (c *Call) place(w *countWindow, n uint64, o outcome, now policy.Instant) {
	s := c.breaker.settings.Load()
	v := w.place(n, o, s.minimum)
	if v != unchanged || o != succeeded || c.breaker.listeners.Any() {
		c.finish(s, now, o, v, nil)
	}
}

// settle classifies and records the end of a call. Without a listener a success in CLOSED returns after one addition and
// two loads; everything else is for finish.
func (c *Call) settle(ctx context.Context, err error, how manner) {
	if c.marks&pending == 0 {
		return
	}
	o := succeeded
	if err != nil || how != returned {
		var counts bool
		if o, err, counts = c.classify(ctx, err, how); !counts {
			return
		}
	}
	var now policy.Instant
	if c.marks&timed != 0 {
		now = policy.Now()
	}
	c.marks &^= pending
	b, g := c.breaker, c.generation
	s := b.settings.Load()
	if c.marks&timed != 0 && s.slow(now.Sub(c.began)) {
		o |= slow
	}
	v := unchanged
	switch w := g.count.Load(); {
	case w != nil:
		v = w.record(o, s.minimum)
	case g.state == HalfOpen:
		v = g.stay.probes.settle(c.marks.ticket(), o)
	default:
		v = g.record(o, s, now, c.marks&timed != 0)
	}
	if v != unchanged || o != succeeded || g.state == HalfOpen || b.listeners.Any() {
		c.finish(s, now, o, v, err)
	}
}

// finish does what follows from an outcome that was recorded, or was not.
func (c *Call) finish(s *settings, now policy.Instant, o outcome, v verdict, err error) {
	b, g := c.breaker, c.generation
	known := c.marks&timed != 0
	for v == sealed && b.isCurrent(g) {
		v = g.record(o, s, now, known) // a new configuration has put another window in place
	}
	var took time.Duration
	if known {
		took = now.Sub(c.began)
	}
	b.conclude(g, s, o, v, took, err)
}

// isCurrent reports whether g is still the current generation, after any change that is under way.
func (b *Breaker) isCurrent(g *generation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current.Load() == g
}

// conclude counts the outcome for the lifetime of the circuit breaker, draws the conclusion of the verdict, and publishes
// both: the call first, although the change is already made.
func (b *Breaker) conclude(g *generation, s *settings, o outcome, v verdict, took time.Duration, err error) {
	switch {
	case v == sealed || v == late:
		b.lifetime.late.Add(1)
		b.lifetime.count(o)
	case g.state == HalfOpen:
		b.lifetime.count(o)
	}
	if o&slow != 0 {
		b.lifetime.slow.Add(1)
	}
	var call policy.Event
	if b.listeners.Any() {
		call = policy.Event{Type: policy.Success, Duration: took}
		if o&failed != 0 {
			call.Type, call.Err = policy.Error, err
		}
	}
	switch v {
	case judge:
		b.judge(g, s, call)
	case decided:
		b.decide(g, s, call)
	default:
		b.publishCall(call)
	}
}

// judge compares the rates of g's window with their thresholds: CLOSED opens, METRICS_ONLY tells once of each.
func (b *Breaker) judge(g *generation, s *settings, call policy.Event) {
	t := g.judged(s)
	failure, slowCall := t.exceeded(&s.Config)
	why := reason{call: call, failureRate: failure, slowCallRate: slowCall, tally: t}
	switch {
	case !failure && !slowCall:
		b.publishCall(call)
	case g.state == MetricsOnly:
		why.failureRate = failure && g.announce(1)
		why.slowCallRate = slowCall && g.announce(2)
		b.publishReason(why)
	default:
		if count, _ := g.window(); count != nil {
			why.tally = count.complete(t)
		}
		b.open(g, s, why)
	}
}

// announce reports whether it is the first time that the rate is announced.
func (g *generation) announce(rate uint32) bool { return g.announced.Or(rate)&rate == 0 }

// decide ends HALF_OPEN by the results of its probes.
func (b *Breaker) decide(g *generation, s *settings, call policy.Event) {
	why := reason{call: call, tally: g.stay.probes.tally()}
	if failure, slowCall := why.tally.exceeded(&s.Config); failure || slowCall {
		b.open(g, s, why)
		return
	}
	b.move(g, b.newGeneration(s, Closed, 0), why)
}

// leave ends a state whose time is over.
func (b *Breaker) leave(g *generation, s *settings) {
	switch {
	case g.state == Open:
		b.move(g, b.newGeneration(s, HalfOpen, g.attempt()), reason{})
	case s.TransitionToStateAfterWaitDuration == Closed:
		b.move(g, b.newGeneration(s, Closed, 0), reason{})
	default:
		b.open(g, s, reason{tally: g.stay.probes.tally()})
	}
}
