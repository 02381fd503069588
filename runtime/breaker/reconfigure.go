package breaker

import "github.com/resilgen/resilgen/runtime/policy"

// Reconfigure puts another configuration in force, for calls in flight too. The error is that of [Config.Validate], and
// then nothing is changed.
//
// The state stays, and OPEN ends when it would have ended; InitialState has no effect any more. A window whose type stays
// keeps its outcomes, in another size the newest ones that fit; an outcome that is being recorded at that very moment
// may be kept as a success. HALF_OPEN gets another number of probes at once. What the window or the probes have brought
// is judged by the new thresholds at once.
func (b *Breaker) Reconfigure(c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	g, s, v := b.reconfigure(c)
	if !s.Enabled {
		return nil
	}
	switch v {
	case judge:
		b.judge(g, s, policy.Event{})
	case decided:
		b.decide(g, s, policy.Event{})
	}
	return nil
}

func (b *Breaker) reconfigure(c Config) (*generation, *settings, verdict) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &settings{c, c.minimum()}
	b.admitting.Store(nil) // until refresh, calls look at the settings themselves
	b.settings.Store(s)
	g := b.current.Load()
	b.arm(g, s)
	defer b.refresh()
	return g, s, b.fit(g, s)
}

// fit gives g a window, or as many probes, as s asks for. It is called under mu.
func (b *Breaker) fit(g *generation, s *settings) verdict {
	switch g.state {
	case Closed, MetricsOnly:
		b.rebuild(g, s)
		return judge
	case HalfOpen:
		return g.stay.probes.resize(s.PermittedNumberOfCallsInHalfOpenState)
	}
	return unchanged
}

// rebuild gives g a window of the type and size that s asks for. The old window is sealed first: a call that meets the
// seal waits for mu and then finds the new one. What the new one does not carry on is added to the lifetime, before the
// first call can reach it.
func (b *Breaker) rebuild(g *generation, s *settings) {
	count, seconds := g.window()
	if count != nil {
		if s.SlidingWindowType == CountBased && uint64(s.SlidingWindowSize) == count.size {
			return
		}
		last, given := count.head.seal()
		if s.SlidingWindowType == TimeBased {
			b.lifetime.add(given)
			g.setWindow(s, b.created)
			g.count.Store(nil)
			return
		}
		w := count.resized(s.SlidingWindowSize, last)
		b.lifetime.add(given.minus(w.head.given()))
		g.count.Store(w)
		return
	}
	if s.SlidingWindowType == TimeBased && uint64(s.SlidingWindowSize) == seconds.size {
		return
	}
	last, given := seconds.head.seal()
	if s.SlidingWindowType == CountBased {
		b.lifetime.add(given)
		g.setWindow(s, b.created)
		g.time.Store(nil)
		return
	}
	w := seconds.resized(s.SlidingWindowSize, last, policy.Now())
	b.lifetime.add(given.minus(w.head.given()))
	g.time.Store(w)
}
