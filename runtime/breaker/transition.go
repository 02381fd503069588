package breaker

import (
	"runtime/debug"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Transition is the answer of a TransitionOnResult: whether one call opens the circuit breaker by itself, and for how
// long. The zero value is [Stay].
type Transition int64 // nanoseconds, or one of these

const (
	// Stay leaves the state to the window.
	Stay Transition = 0
	// ToOpen opens the circuit breaker as an exceeded rate would.
	ToOpen Transition = -1
)

// ToOpenFor opens the circuit breaker for d. It is [Stay] if d is not above 0.
func ToOpenFor(d time.Duration) Transition { return Transition(max(0, d)) }

// ToOpenUntil opens the circuit breaker until t. It is [Stay] if that is not in the future.
func ToOpenUntil(t time.Time) Transition { return ToOpenFor(time.Until(t)) }

// Transition opens the circuit breaker as t says, if the call was admitted by a stay in CLOSED that still lasts. It comes
// after [Call.End], which may have opened it already.
func (c *Call) Transition(t Transition) {
	if t == Stay || c.generation == nil || c.generation.state != Closed || c.breaker.current.Load() != c.generation {
		return
	}
	b, g := c.breaker, c.generation
	s := b.settings.Load()
	why := reason{tally: g.tally(s)}
	if t == ToOpen {
		b.open(g, s, why)
		return
	}
	b.move(g, b.newOpenGeneration(g.attempt(), time.Duration(t), why.tally), why)
}

// TransitionTo puts the circuit breaker into a state by hand. From CLOSED it can go everywhere but to HALF_OPEN, from
// METRICS_ONLY not to OPEN and HALF_OPEN, and from the others everywhere; otherwise the error is a [*TransitionError].
// Into its own state it goes silently, but that state starts anew, with its metrics, permits and wait. DISABLED,
// FORCED_OPEN and METRICS_ONLY are left by hand only.
//
// Of several that ask at once for the same state one makes the transition, and the others find it made.
func (b *Breaker) TransitionTo(state State) error {
	return b.transition(state, func(g *generation, s *settings) bool {
		switch state {
		case Open:
			return b.open(g, s, reason{tally: g.tally(s)})
		case ForcedOpen:
			return b.move(g, b.newGeneration(s, state, g.attempt()+1), reason{})
		case HalfOpen:
			return b.move(g, b.newGeneration(s, state, g.attempt()), reason{})
		}
		return b.move(g, b.newGeneration(s, state, 0), reason{})
	})
}

// OpenFor opens the circuit breaker for d, at least 0, as TransitionTo(Open) does. This stay does not count as an
// attempt, and no wait is asked for.
func (b *Breaker) OpenFor(d time.Duration) error {
	return b.transition(Open, func(g *generation, s *settings) bool {
		why := reason{tally: g.tally(s)}
		return b.move(g, b.newOpenGeneration(g.attempt(), d, why.tally), why)
	})
}

// transition makes a transition by hand: until it has succeeded, or another one has led to the same state.
func (b *Breaker) transition(to State, try func(*generation, *settings) bool) error {
	for {
		g := b.current.Load()
		if !g.state.mayBecome(to) {
			return &TransitionError{name: b.name, from: g.state, to: to}
		}
		if try(g, b.settings.Load()) || b.State() == to {
			return nil
		}
	}
}

// Reset sets the circuit breaker back to CLOSED with an empty window. Lifetime counters stay.
func (b *Breaker) Reset() {
	_ = b.TransitionTo(Closed) // allowed from everywhere
	b.publish(policy.Event{Type: policy.Reset})
}

// A reason is what led to a transition, and is published before it.
type reason struct {
	call                      policy.Event // of the deciding call; without a type there was none
	failureRate, slowCallRate bool         // the rates to announce
	tally                     tally        // what was judged
}

func (b *Breaker) publishReason(why reason) {
	b.publishCall(why.call)
	if why.failureRate {
		b.publish(policy.Event{Type: policy.FailureRateExceeded, Rate: why.tally.rate(why.tally.failed)})
	}
	if why.slowCallRate {
		b.publish(policy.Event{Type: policy.SlowCallRateExceeded, Rate: why.tally.rate(why.tally.slow)})
	}
}

// open makes the transition from a generation to OPEN and reports whether it did. The transition is deferred: it is made
// also if the user's interval function panics, and then lasts for WaitDurationInOpenState.
func (b *Breaker) open(from *generation, s *settings, why reason) (opened bool) {
	attempt, wait := from.attempt()+1, s.WaitDurationInOpenState
	defer func() { opened = b.move(from, b.newOpenGeneration(attempt, wait, why.tally), why) }()
	wait = s.waitInOpen(attempt)
	return
}

// move makes next the current generation in place of from, and publishes why. If another transition was faster, it
// changes nothing, publishes the call alone, and reports false.
func (b *Breaker) move(from, next *generation, why reason) bool {
	if !b.replace(from, next) {
		b.publishCall(why.call)
		return false
	}
	b.publishReason(why)
	if from.state != next.state {
		b.publish(policy.Event{Type: policy.StateTransition, From: from.state.String(), To: next.state.String()})
	}
	return true
}

// replace makes next the current generation if from is. From then on the window of from takes no more outcomes; those
// that it was given are added to the lifetime at the same moment for all who ask under mu.
func (b *Breaker) replace(from, next *generation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current.Load() != from {
		return false
	}
	s := b.settings.Load()
	b.fit(next, s) // s may have come after next was made
	b.admitting.Store(nil)
	b.current.Store(next)
	b.lifetime.add(from.retire())
	b.arm(next, s)
	b.refresh()
	return true
}

// arm starts the timer that ends g by itself, if there is one to be. The timer carries its generation, so that it can
// leave no other one. It is called under mu.
func (b *Breaker) arm(g *generation, s *settings) {
	if g.stay == nil {
		return
	}
	if g.stay.timer != nil {
		g.stay.timer.Stop()
		g.stay.timer = nil
	}
	at, ok := g.deadline(s)
	if !ok || b.closed || g.state == Open && !s.AutomaticTransitionFromOpenToHalfOpenEnabled {
		return
	}
	g.stay.timer = time.AfterFunc(at.Sub(policy.Now()), func() { b.expire(g) })
}

// expire is what the timer does. A panic of the interval function would end the process here; it is published instead.
func (b *Breaker) expire(g *generation) {
	defer func() {
		if p := recover(); p != nil {
			b.publish(policy.Event{Type: policy.Panicked, Panic: p, Stack: debug.Stack()})
		}
	}()
	s := b.settings.Load()
	if at, ok := g.deadline(s); ok && policy.Now() >= at {
		b.leave(g, s)
	}
}
