package breaker

import (
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A generation is one stay in one state. A call belongs to the generation that admitted it, and its outcome can reach no
// other one. The circuit breaker points to the current generation; a transition puts another one in its place.
//
// A generation in CLOSED or METRICS_ONLY has one window; the pointers change only when a new configuration changes the
// window's type or size. All other states have a stay.
type generation struct {
	state     State
	announced atomic.Uint32 // METRICS_ONLY: the rates whose excess was published
	count     atomic.Pointer[countWindow]
	time      atomic.Pointer[timeWindow]
	stay      *stay
}

// A stay is what a generation needs beside a window.
type stay struct {
	began   policy.Instant
	until   policy.Instant // OPEN: when it ends
	attempt int            // how many times OPEN was entered since the state was last CLOSED
	refusal *OpenError     // what refused calls get
	shown   tally          // OPEN: what led to it
	probes  *probes        // HALF_OPEN
	timer   *time.Timer    // guarded by Breaker.mu
	// refusedBefore is how many calls the circuit breaker had refused before this stay.
	refusedBefore uint64
}

// newGeneration returns a generation in any state but OPEN.
func (b *Breaker) newGeneration(s *settings, state State, attempt int) *generation {
	g := &generation{state: state}
	if state.windowed() {
		g.setWindow(s, b.created)
		return g
	}
	g.stay = &stay{began: policy.Now(), refusedBefore: b.lifetime.notPermitted.Load()}
	switch state {
	case HalfOpen:
		g.stay.probes = newProbes(s.PermittedNumberOfCallsInHalfOpenState)
		g.stay.attempt = attempt
		g.stay.refusal = newOpenError(b.name, state, 0)
	case ForcedOpen:
		g.stay.attempt = attempt
		g.stay.refusal = newOpenError(b.name, state, 0)
	}
	return g
}

// newOpenGeneration returns a generation in OPEN that begins now and lasts for wait.
func (b *Breaker) newOpenGeneration(attempt int, wait time.Duration, shown tally) *generation {
	now := policy.Now()
	until := now.Add(min(max(0, wait), longestWait))
	return &generation{state: Open, stay: &stay{
		began:         now,
		until:         until,
		attempt:       attempt,
		refusal:       newOpenError(b.name, Open, until),
		shown:         shown,
		refusedBefore: b.lifetime.notPermitted.Load(),
	}}
}

// setWindow gives the generation an empty window. A window of seconds counts them from origin.
func (g *generation) setWindow(s *settings, origin policy.Instant) {
	if s.SlidingWindowType == TimeBased {
		g.time.Store(newTimeWindow(s.SlidingWindowSize, origin))
		return
	}
	g.count.Store(newCountWindow(s.SlidingWindowSize))
}

// attempt returns how many times OPEN was entered since the state was last CLOSED, DISABLED or METRICS_ONLY.
func (g *generation) attempt() int {
	if g.stay == nil {
		return 0
	}
	return g.stay.attempt
}

// window returns the window of a state that has one: the one or the other. For a moment, while a new configuration
// changes the window's type, both pointers are set.
func (g *generation) window() (*countWindow, *timeWindow) {
	for {
		if w := g.count.Load(); w != nil {
			return w, nil
		}
		if w := g.time.Load(); w != nil {
			return nil, w
		}
	}
}

// record gives the window an outcome that arrived at now, which is read here if it is not known and needed.
func (g *generation) record(o outcome, s *settings, now policy.Instant, known bool) verdict {
	count, seconds := g.window()
	if count != nil {
		return count.record(o, s.minimum)
	}
	if !known {
		now = policy.Now()
	}
	return seconds.record(o, now)
}

// judged returns what the window holds, for a comparison with the thresholds.
func (g *generation) judged(s *settings) tally {
	count, seconds := g.window()
	if count != nil {
		return count.tally(s.minimum)
	}
	return seconds.judged(s.minimum, policy.Now())
}

// tally returns what the state shows: its window, the results of its probes, or what led to it.
func (g *generation) tally(s *settings) tally {
	switch g.state {
	case Open:
		return g.stay.shown
	case HalfOpen:
		return g.stay.probes.tally()
	case Closed, MetricsOnly:
		count, seconds := g.window()
		if count == nil {
			return seconds.tally(s.minimum, policy.Now())
		}
		return count.complete(count.tally(s.minimum))
	}
	return tally{}
}

// deadline returns when the state ends by itself, if it does.
func (g *generation) deadline(s *settings) (policy.Instant, bool) {
	switch {
	case g.state == Open:
		return g.stay.until, true
	case g.state == HalfOpen && s.MaxWaitDurationInHalfOpenState > 0:
		return g.stay.began.Add(min(s.MaxWaitDurationInHalfOpenState, longestWait)), true
	}
	return 0, false
}

// retire ends the generation and returns all that its window was given.
func (g *generation) retire() (given totals) {
	if g.stay != nil {
		if g.stay.timer != nil {
			g.stay.timer.Stop()
		}
		if g.stay.probes != nil {
			g.stay.probes.retire()
		}
		return totals{}
	}
	count, seconds := g.window()
	if count != nil {
		_, given = count.head.seal()
	} else {
		_, given = seconds.head.seal()
	}
	return given
}
