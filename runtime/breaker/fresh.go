package breaker

import (
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Fresh reports whether the circuit breaker is like a new one, so that nothing is lost if a new one takes its place: it is
// in its InitialState, that state is not a kind of OPEN that will pass, its window holds no outcome, and nobody listens.
// A window of seconds holds none when they have passed. How long nobody has used it, idle, does not matter otherwise. The
// counters since it was made, and calls that are under way in CLOSED, are not looked at.
func (b *Breaker) Fresh(time.Duration) bool {
	return b.initial(func(g *generation, s *settings) bool {
		count, seconds := g.window()
		if count != nil {
			return count.tally(s.minimum).total == 0
		}
		return seconds.tally(s.minimum, policy.Now()).total == 0
	})
}

// Quiet reports whether the circuit breaker is like a new one but for outcomes in a window that counts calls, which does
// not forget them by itself. Whoever regards them as too old to matter can put a new one in its place.
func (b *Breaker) Quiet() bool {
	return b.initial(func(g *generation, s *settings) bool {
		count, seconds := g.window()
		return count != nil || seconds.tally(s.minimum, policy.Now()).total == 0
	})
}

// initial reports whether nobody listens and the state is the one that a new circuit breaker of these settings is in, with
// a window of which empty reports true, or none.
func (b *Breaker) initial(empty func(*generation, *settings) bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, g := b.settings.Load(), b.current.Load()
	if g.state != s.InitialState || b.listeners.Any() {
		return false
	}
	switch g.state {
	case Closed, MetricsOnly:
		return empty(g, s)
	case Disabled, ForcedOpen:
		return true
	}
	return false // OPEN and HALF_OPEN are on their way to another state
}
