package breaker

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
)

var background = context.Background()

// A book keeps what was admitted by one generation and how it ended.
type book struct {
	out      atomic.Int64 // between Begin and the end, without those that hang
	outcomes atomic.Int64
}

// A hammer makes calls of all kinds from many goroutines and keeps the books.
type hammer struct {
	t                              *testing.T
	b                              *Breaker
	mu                             sync.Mutex
	books                          map[*generation]*book
	counted, neutral, failed, made atomic.Uint64
}

func (h *hammer) book(g *generation) *book {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.books[g] == nil {
		h.books[g] = new(book)
	}
	return h.books[g]
}

// call makes one call; the service is ill in one second and well in the next.
func (h *hammer) call(random *rand.Rand, wait time.Duration) {
	c, err := h.b.Begin()
	if err != nil {
		time.Sleep(time.Duration(random.IntN(5)) * time.Millisecond)
		return
	}
	h.made.Add(1)
	defer c.Abort()
	g, kind := c.generation, random.IntN(100)
	page, hangs := h.book(g), kind < 2
	out := !hangs
	if out {
		if n := page.out.Add(1); g.state == HalfOpen && n > int64(g.stay.probes.limit) {
			h.t.Errorf("%d probes are out", n)
		}
	}
	leave := func() { // before the call leaves the breaker, so that the book never counts one too many
		if out {
			out = false
			page.out.Add(-1)
		}
	}
	defer leave()
	settled := func(failed bool) {
		h.counted.Add(1)
		page.outcomes.Add(1)
		if failed {
			h.failed.Add(1)
		}
	}
	switch {
	case hangs:
		time.Sleep(3 * wait)
	case kind < 30:
		time.Sleep(time.Duration(random.IntN(int(time.Millisecond))))
	}
	end := func(ctx context.Context, err error) {
		leave()
		c.End(ctx, err)
		c.End(ctx, err) // changes nothing
	}
	ill := time.Now().Unix()%2 == 0
	switch {
	case kind < 6:
		settled(true)
		panic("boom")
	case kind < 10:
		settled(true)
		runtime.Goexit()
	case kind < 16:
		h.neutral.Add(1)
		gone, cancel := context.WithCancel(background)
		cancel()
		end(gone, errors.New("gone"))
	case kind < 22:
		h.neutral.Add(1)
		end(background, policy.MarkInner(errors.New("inner")))
	case ill:
		settled(true)
		end(background, errors.New("ill"))
	default:
		settled(false)
		end(background, nil)
	}
}

// TestHammer is to be run with -race.
func TestHammer(t *testing.T) {
	for _, kind := range []SlidingWindowType{CountBased, TimeBased} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { pound(t, kind) })
		})
	}
}

func pound(t *testing.T, kind SlidingWindowType) {
	const wait = 100 * time.Millisecond
	b, err := New("hammer", WithSlidingWindowType(kind), WithSlidingWindowSize(20), WithMinimumNumberOfCalls(20),
		WithPermittedNumberOfCallsInHalfOpenState(3), WithWaitDurationInOpenState(wait),
		WithSlowCallRateThreshold(90), WithSlowCallDurationThreshold(time.Millisecond/2))
	require.NoError(t, err)
	h := &hammer{t: t, b: b, books: map[*generation]*book{}}
	transitions := map[string]int{}
	var mu sync.Mutex
	b.Subscribe(func(e policy.Event) {
		if e.Type == policy.StateTransition {
			mu.Lock()
			defer mu.Unlock()
			transitions[e.From+">"+e.To]++
		}
	})
	var all sync.WaitGroup
	for worker := range uint64(8) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(worker, 7))
			for range 20_000 / 8 {
				var one sync.WaitGroup
				one.Go(func() { // Goexit ends this one only
					defer func() { _ = recover() }()
					h.call(random, wait)
				})
				one.Wait()
			}
		})
	}
	all.Wait()

	require.Greater(t, transitions["CLOSED>OPEN"], 3)
	require.Greater(t, transitions["HALF_OPEN>OPEN"], 3)
	require.Greater(t, transitions["HALF_OPEN>CLOSED"], 3)
	m := b.Metrics()
	require.Equal(t, h.counted.Load(), m.Lifetime.Successful+m.Lifetime.Failed)
	require.Equal(t, h.failed.Load(), m.Lifetime.Failed)
	require.Equal(t, h.neutral.Load(), m.Lifetime.Cancelled+m.Lifetime.Refused)
	require.Equal(t, h.made.Load(), h.counted.Load()+h.neutral.Load())
	require.Equal(t, uint64(20_000), h.made.Load()+m.Lifetime.NotPermitted)
	for g, page := range h.books {
		require.Zero(t, page.out.Load())
		if g.state == HalfOpen {
			results := g.stay.probes.tally()
			require.LessOrEqual(t, results.total, uint64(3))
			require.LessOrEqual(t, results.total, uint64(page.outcomes.Load()))
		} else if given := g.tally(b.settings.Load()).total; g == b.current.Load() && kind == CountBased {
			require.Equal(t, min(uint64(page.outcomes.Load()), 20), given)
		}
	}
	closeByProbes(t, b, wait)
}

// closeByProbes finds that no permit was lost: with all calls back, successes close the breaker.
func closeByProbes(t *testing.T, b *Breaker, wait time.Duration) {
	require.NoError(t, b.TransitionTo(Open))
	time.Sleep(wait)
	for range 3 {
		c, err := b.Begin()
		require.NoError(t, err)
		c.End(background, nil)
	}
	require.Equal(t, Closed, b.State())
}

func TestRetiredProbesSendTheCallOn(t *testing.T) {
	p := newProbes(1)
	p.retire()
	_, ok, retired := p.admit(policy.Now(), 0)
	require.False(t, ok)
	require.True(t, retired)
}

// TestCountsEqualTheRingAtRest records from many goroutines and compares what was kept up with what is there.
func TestCountsEqualTheRingAtRest(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 31, 32, 33, 100} {
		w := newCountWindow(size)
		var all sync.WaitGroup
		for worker := range uint64(8) {
			all.Go(func() {
				random := rand.New(rand.NewPCG(worker, 3))
				for range 2000 {
					w.record(outcome(random.IntN(4)), 1)
				}
			})
		}
		all.Wait()
		var want tally
		for slot := range size {
			want.add(outcome(w.ring[slot>>5].Load() >> (slot & 31 * 2) & 3))
		}
		want.minimum = 1
		require.Equal(t, want, w.complete(w.tally(1)), "size %d", size)
	}
}

// TestFailuresNeverExceedTheTotal reads a window of seconds while others record, and misses none of them at the end.
func TestFailuresNeverExceedTheTotal(t *testing.T) {
	t.Parallel()
	origin := policy.Now()
	w := newTimeWindow(3, origin)
	var all sync.WaitGroup
	var second atomic.Int64
	for range 4 {
		all.Go(func() {
			for range 5000 {
				now := origin.Add(time.Duration(second.Load()) * time.Second)
				if w.record(failed|slow, now) == judge {
					got := w.judged(1, now)
					if got.failed > got.total || got.slow > got.total {
						t.Errorf("%+v", got)
					}
				}
				if rand.IntN(500) == 0 {
					second.Add(1)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, totals{20000, 20000}, w.head.given())
	_, given := w.head.seal()
	require.Equal(t, totals{20000, 20000}, given)
	require.Equal(t, sealed, w.record(succeeded, origin))
}

// TestAHeadDoesNotOverflow starts just below the brim.
func TestAHeadDoesNotOverflow(t *testing.T) {
	const start = halfFailures - 5*oneFailure + halfOutcomes - 5
	w := newCountWindow(10)
	w.head.n.Store(start)
	for range 20 {
		require.Equal(t, judge, w.record(failed, 1))
	}
	require.Equal(t, tally{total: 10, failed: 10, minimum: 1}, w.complete(w.tally(1)))
	want := totals{halfOutcomes - 5 + 20, halfFailures/oneFailure - 5 + 20}
	require.Equal(t, want, w.head.given())
	require.Zero(t, w.head.n.Load()&brim)
	require.Equal(t, uint64(start&outcomes+20)%10, w.head.n.Load()&outcomes%10)
	_, given := w.head.seal()
	require.Equal(t, want, given)
	require.Equal(t, sealed, w.record(failed, 1))

	origin := policy.Now()
	s := newTimeWindow(10, origin)
	s.head.n.Store(start)
	for range 20 {
		require.Equal(t, judge, s.record(failed, origin))
	}
	require.Equal(t, tally{total: 20, failed: 20, minimum: 1}, s.judged(1, origin))
	require.Equal(t, want, s.head.given())
}
