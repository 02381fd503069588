package breaker

import (
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Metrics are the numbers of a circuit breaker at one moment. Those of the state begin anew with each state; in OPEN they
// are those that led to it, and no late result changes them.
type Metrics struct {
	State State

	// Buffered is how many outcomes the window holds, or how many probes of HALF_OPEN have brought a result. It is the sum
	// of Failed and Successful. SlowFailed are those that are both Failed and Slow.
	Buffered, Failed, Successful, Slow, SlowFailed int

	// NotPermitted is how many calls this state has refused.
	NotPermitted int

	// OpenFor is how long OPEN lasts from now. It is 0 in every other state, and where the next call will be a probe.
	OpenFor time.Duration

	// Lifetime counts since the circuit breaker was made, whatever the state.
	Lifetime Lifetime

	failureRate, slowCallRate float64
}

// A Lifetime counts what has happened since a circuit breaker was made. No number ever decreases.
type Lifetime struct {
	Successful   uint64
	Failed       uint64
	Slow         uint64 // of the two above
	Late         uint64 // of Successful and Failed: results that came after the state had been left, or the permit lost
	Ignored      uint64 // errors of IgnoreErrors
	Cancelled    uint64 // calls whose caller had gone
	Refused      uint64 // refusals by an inner layer of the same chain
	NotPermitted uint64 // calls that were not made
}

// FailureRate returns the share of failures in percent. It is -1, as in Resilience4j, while there are fewer outcomes than
// the minimum, or than HALF_OPEN waits for: the rate means nothing then.
func (m Metrics) FailureRate() float64 { return m.failureRate }

// SlowCallRate returns the share of slow calls in percent. It is -1 where [Metrics.FailureRate] is.
func (m Metrics) SlowCallRate() float64 { return m.slowCallRate }

// Metrics returns the numbers of this moment. Calls that are being settled at the same time may be in some of them only.
func (b *Breaker) Metrics() Metrics {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, g := b.settings.Load(), b.current.Load()
	t := g.tally(s)
	m := Metrics{
		State:        g.state,
		Buffered:     int(t.total),
		Failed:       int(t.failed),
		Successful:   int(t.total - t.failed),
		Slow:         int(t.slow),
		SlowFailed:   int(t.slowFailed),
		Lifetime:     b.lifetime.read(g),
		failureRate:  t.rate(t.failed),
		slowCallRate: t.rate(t.slow),
	}
	if g.stay != nil {
		m.NotPermitted = int(m.Lifetime.NotPermitted - g.stay.refusedBefore)
	}
	if g.state == Open {
		m.OpenFor = max(0, g.stay.until.Sub(policy.Now()))
	}
	return m
}

// read returns the counters, with what the window of the current generation was given.
func (l *lifetime) read(current *generation) Lifetime {
	var given totals
	if current.state.windowed() {
		if count, seconds := current.window(); count != nil {
			given = count.head.given()
		} else {
			given = seconds.head.given()
		}
	}
	return Lifetime{
		Successful:   l.succeeded.Load() + given.outcomes - given.failed,
		Failed:       l.failed.Load() + given.failed,
		Slow:         l.slow.Load(),
		Late:         l.late.Load(),
		Ignored:      l.ignored.Load(),
		Cancelled:    l.cancelled.Load(),
		Refused:      l.refused.Load(),
		NotPermitted: l.notPermitted.Load(),
	}
}
