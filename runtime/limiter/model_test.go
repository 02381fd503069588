package limiter_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/resilgen/resilgen/runtime/limiter"
)

// A model is a plain limiter: it keeps whatever it wants to know in the form that is easiest to believe. Times are
// nanoseconds since it was made. It knows one way to plan, which is to ask book for one call after the other.
type model struct {
	rule    rule
	granted rule // as it was before the first in the queue
	queue   []request
}

// A rule is an algorithm without a queue.
type rule interface {
	// book books n permits at now, behind what is booked, and returns when they go, or -1 if never.
	book(now, n int64) (rule, int64)
	// free is what is left at now, in case that n permits are queued.
	free(now, queued int64) int64
	// limited returns the rule with another limit.
	limited(now int64, limit int64) rule
	// drained takes n permits at now.
	drained(now, n int64) rule
}

type request struct {
	id     int
	n      int64
	due    int64
	latest int64
	before rule // what it was booked in
}

// forward lets go who is due.
func (m *model) forward(now int64, result map[int]int64) {
	for len(m.queue) > 0 && m.queue[0].due <= now {
		first := m.queue[0]
		result[first.id] = first.due
		m.granted, _ = first.before.book(first.due, first.n)
		m.queue = m.queue[1:]
		if len(m.queue) > 0 {
			m.granted = m.queue[0].before
		}
	}
	if len(m.queue) == 0 {
		m.granted = m.rule
	}
}

func (m *model) ask(now int64, id int, n, timeout int64, result map[int]int64) {
	next, due := m.rule.book(now, n)
	switch {
	case due < 0 || due > now+timeout:
		result[id] = refusal
	case due <= now:
		m.rule, m.granted = next, next
		result[id] = now
	default:
		m.queue = append(m.queue, request{id, n, due, now + timeout, m.rule})
		m.rule = next
	}
}

// again books everything from the queue's i-th place on, in the rule from.
func (m *model) again(now int64, i int, from rule, result map[int]int64) {
	rest := slices.Clone(m.queue[i:])
	m.queue, m.rule = m.queue[:i], from
	if i == 0 {
		m.granted = from
	}
	for _, r := range rest {
		next, due := m.rule.book(now, r.n)
		if due < 0 || due > r.latest {
			result[r.id] = refusal
			continue
		}
		r.due, r.before = due, m.rule
		m.queue, m.rule = append(m.queue, r), next
	}
	m.forward(now, result)
}

func (m *model) cancel(now int64, id int, result map[int]int64) {
	i := slices.IndexFunc(m.queue, func(r request) bool { return r.id == id })
	if i < 0 {
		return
	}
	result[id] = cancelled
	before := m.queue[i].before
	m.queue = slices.Delete(m.queue, i, i+1)
	m.again(now, i, before, result)
}

func (m *model) queued() (n int64) {
	for _, r := range m.queue {
		n += r.n
	}
	return n
}

func (m *model) free(now int64) int64 { return m.granted.free(now, m.queued()) }

const (
	refusal   = -1
	cancelled = -2
)

// cycles is Resilience4j's AtomicRateLimiter, word for word.
type cycles struct{ limit, period, cycle, permissions, excess int64 }

func (c cycles) at(now int64) cycles {
	if cycle := now / c.period; cycle > c.cycle {
		c.permissions = min(c.permissions+(cycle-c.cycle)*c.limit, c.limit)
		c.cycle, c.excess = cycle, 0
	}
	return c
}

func (c cycles) book(now, n int64) (rule, int64) {
	c = c.at(now)
	due := now
	if c.permissions < n {
		due = (c.cycle + 1) * c.period
		if missing := n - c.permissions - c.limit; missing > 0 {
			due += (missing + c.limit - 1) / c.limit * c.period
		}
	}
	c.permissions -= n
	return c, due
}

func (c cycles) free(now, queued int64) int64 {
	return c.at(now).permissions - queued
}

func (c cycles) limited(now, limit int64) rule {
	c = c.at(now)
	taken := c.limit - c.permissions + c.excess
	return cycles{limit, c.period, c.cycle, max(limit-taken, 0), max(taken-limit, 0)}
}

func (c cycles) drained(now, n int64) rule { r, _ := c.book(now, n); return r }

// windows counts, at every moment that may be the right one, what went in the period before.
type windows struct {
	limit, period int64
	grants        []grant
}

type grant struct{ at, n int64 }

func (w windows) live(t int64) (n int64) {
	for _, g := range w.grants {
		if g.at <= t && g.at+w.period > t {
			n += g.n
		}
	}
	return n
}

func (w windows) book(now, n int64) (rule, int64) {
	if n > w.limit {
		return w, -1
	}
	moments := []int64{now}
	for _, g := range w.grants {
		now = max(now, g.at) // in order
	}
	moments[0] = now
	for _, g := range w.grants {
		if g.at+w.period > now {
			moments = append(moments, g.at+w.period)
		}
	}
	slices.Sort(moments)
	for _, t := range moments {
		if w.live(t)+n <= w.limit {
			w.grants = append(slices.Clone(w.grants), grant{t, n})
			return w, t
		}
	}
	panic("everything lapses")
}

func (w windows) free(now, queued int64) int64 { return w.limit - w.live(now) - queued }

func (w windows) limited(_, limit int64) rule { w.limit = limit; return w }

func (w windows) drained(now, n int64) rule { r, _ := w.book(now, n); return r }

// spaced is the generic cell rate algorithm; tat is in limit-ths of a nanosecond, so that an interval is the period.
type spaced struct{ limit, period, burst, tat int64 }

func (s spaced) book(now, n int64) (rule, int64) {
	s.tat = max(s.tat, now*s.limit) + n*s.period
	due := s.tat - s.burst*s.period
	return s, max(now, (due+s.limit-1)/s.limit)
}

func (s spaced) free(now, queued int64) int64 {
	debt := max(s.tat-now*s.limit, 0)
	return s.burst - (debt+s.period-1)/s.period - queued
}

func (s spaced) limited(now, limit int64) rule {
	taken := s.burst - max(s.free(now, 0), 0)
	return spaced{limit, s.period, s.burst, now*limit + taken*s.period}
}

func (s spaced) drained(now, n int64) rule { r, _ := s.book(now, n); return r }

// A step is something that happens after a pause.
type step struct {
	pause   time.Duration
	do      string
	permits int
	which   int // of the calls so far
}

func steps(period time.Duration, most int) *rapid.Generator[[]step] {
	pauses := rapid.OneOf(
		rapid.Just(time.Duration(1)),
		rapid.Just(period),
		rapid.Map(rapid.IntRange(1, int(2*period)), func(n int) time.Duration { return time.Duration(n) }),
		rapid.Map(rapid.IntRange(1, 10), func(n int) time.Duration { return period * time.Duration(n) / 10 }),
	)
	kinds := rapid.SampledFrom([]string{
		"acquire", "acquire", "acquire", "acquire", "try", "try", "reserve", "cancel", "cancel", "drain", "limit",
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			pause: pauses.Draw(t, "pause"), do: kinds.Draw(t, "do"),
			permits: rapid.IntRange(0, most).Draw(t, "permits"), which: rapid.IntRange(0, 30).Draw(t, "which"),
		}
	}), 8, 60)
}

// TestLimiterDoesWhatAPlainModelDoes compares every admission, refusal and wait with the model's, to the nanosecond.
func TestLimiterDoesWhatAPlainModelDoes(t *testing.T) {
	for _, algorithm := range algorithms {
		t.Run(algorithm.String(), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				limit := rapid.IntRange(1, 7).Draw(rt, "limit")
				burst := rapid.IntRange(1, 4).Draw(rt, "burst")
				period := rapid.SampledFrom([]time.Duration{7, 10 * time.Millisecond}).Draw(rt, "period")
				timeout := rapid.SampledFrom([]time.Duration{0, period / 2, period, 4 * period}).Draw(rt, "timeout")
				plan := steps(period, 2*limit).Draw(rt, "steps")
				config := limiter.DefaultConfig()
				config.LimitForPeriod, config.LimitRefreshPeriod, config.TimeoutDuration = limit, period, timeout
				config.Algorithm, config.Burst = algorithm, burst
				var difference error
				synctest.Test(t, func(*testing.T) { difference = compare(config, plan) })
				if difference != nil {
					rt.Fatal(difference)
				}
			})
		})
	}
}

// compare takes the steps with a limiter and its model, and returns the first difference.
func compare(config limiter.Config, plan []step) error {
	l, err := limiter.New("model", func(c *limiter.Config) { *c = config })
	if err != nil {
		return err
	}
	limit, period, timeout := int64(config.LimitForPeriod), int64(config.LimitRefreshPeriod), int64(config.TimeoutDuration)
	m := &model{}
	switch config.Algorithm {
	case limiter.Cycle:
		m.rule = cycles{limit: limit, period: period, permissions: limit}
	case limiter.Sliding:
		m.rule = windows{limit: limit, period: period}
	case limiter.Smooth:
		m.rule = spaced{limit: limit, period: period, burst: int64(config.Burst)}
	}
	m.granted = m.rule

	type call struct {
		cancel context.CancelFunc
		end    chan int64
	}
	start := time.Now()
	var calls []call
	defer func() {
		for _, c := range calls {
			c.cancel()
		}
		synctest.Wait()
	}()
	want := map[int]int64{}
	reservations := map[int]limiter.Reservation{}
	for i, s := range plan {
		time.Sleep(s.pause)
		synctest.Wait()
		now := int64(time.Since(start))
		m.forward(now, want)
		id := len(calls)
		if s.permits == 0 && s.do != "cancel" && s.do != "drain" {
			s.permits = 1
		}
		switch s.do {
		case "acquire":
			ctx, cancel := context.WithCancel(context.Background())
			end := make(chan int64, 1)
			calls = append(calls, call{cancel, end})
			go func() {
				err := l.Acquire(ctx, s.permits)
				switch at := int64(time.Since(start)); {
				case err == nil:
					end <- at
				case errors.Is(err, limiter.ErrExceeded):
					end <- refusal
				default:
					end <- cancelled
				}
			}()
			synctest.Wait()
			m.ask(now, id, int64(s.permits), timeout, want)
		case "try":
			got := l.TryAcquire(s.permits)
			result := map[int]int64{}
			m.ask(now, 0, int64(s.permits), 0, result)
			if got != (result[0] == now) {
				return fmt.Errorf("step %d %+v: got %v", i, s, got)
			}
		case "reserve":
			r, err := l.Reserve(s.permits)
			calls = append(calls, call{func() { r.Cancel() }, nil})
			m.ask(now, id, int64(s.permits), timeout, want)
			if (err != nil) != (want[id] == refusal) {
				return fmt.Errorf("step %d %+v: error %v", i, s, err)
			}
			if err == nil {
				reservations[id] = r
			}
		case "cancel":
			if id > 0 {
				calls[s.which%id].cancel()
				m.cancel(now, s.which%id, want)
			}
		case "drain":
			l.Drain()
			if left := m.free(now); left > 0 && len(m.queue) == 0 {
				m.rule = m.rule.drained(now, left)
				m.granted = m.rule
			}
		case "limit":
			// A reservation stays where it is, however long it takes; the model has no such requests. And a change that is
			// none plans nothing anew.
			if len(reservations) > 0 || int64(s.permits) == limit {
				continue
			}
			limit = int64(s.permits)
			next := l.Config()
			next.LimitForPeriod = s.permits
			if err := l.Reconfigure(next); err != nil {
				return err
			}
			m.again(now, 0, m.granted.limited(now, limit), want)
		}
		synctest.Wait()
		if got := l.Metrics().WaitingCalls; got != m.calls(reservations) {
			return fmt.Errorf("step %d %+v at %d: %d calls wait, want %d", i, s, now, got, m.calls(reservations))
		}
		if got := l.Metrics().AvailablePermits; got != m.available(now) {
			return fmt.Errorf("step %d %+v at %d: %d permits available, want %d", i, s, now, got, m.available(now))
		}
		for id, r := range reservations {
			if got := int64(r.Wait()); got != m.wait(now, id) {
				return fmt.Errorf("step %d %+v at %d: reservation %d has to wait %d, want %d", i, s, now, id, got, m.wait(now, id))
			}
		}
	}
	time.Sleep(time.Duration(period) * 1000)
	synctest.Wait()
	m.forward(int64(time.Since(start)), want)
	for id, c := range calls {
		if c.end == nil {
			continue
		}
		if got := <-c.end; got != want[id] {
			return fmt.Errorf("call %d ended at %d, want %d", id, got, want[id])
		}
	}
	return nil
}

func (m *model) calls(reservations map[int]limiter.Reservation) (n int) {
	for _, r := range m.queue {
		if _, reserved := reservations[r.id]; !reserved {
			n++
		}
	}
	return n
}

func (m *model) wait(now int64, id int) int64 {
	for _, r := range m.queue {
		if r.id == id {
			return r.due - now
		}
	}
	return 0
}

// available is what is left for those behind the queue.
func (m *model) available(now int64) int64 {
	if c, ok := m.rule.(cycles); ok {
		return c.at(now).permissions // reservations included
	}
	return m.free(now)
}
