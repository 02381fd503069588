package redislimiter_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// A model remembers each acquisition, at the microsecond or at its millisecond.
type model struct {
	rate     int64
	interval time.Duration
	grain    time.Duration
	taken    []taken
}

type taken struct {
	at time.Time
	n  int64
}

func (m *model) used(now time.Time) (used int64) {
	for _, t := range m.taken {
		if now.Sub(t.at) < m.interval {
			used += t.n
		}
	}
	return used
}

// wait returns how long it takes until n permits are there.
func (m *model) wait(now time.Time, n int64) time.Duration {
	lacks := m.used(now) + n - m.rate
	if lacks <= 0 {
		return 0
	}
	for _, t := range m.taken {
		if now.Sub(t.at) < m.interval {
			if lacks -= t.n; lacks <= 0 {
				return m.interval - now.Sub(t.at)
			}
		}
	}
	panic("unreachable")
}

func (m *model) take(now time.Time, n int64) {
	m.taken = slices.DeleteFunc(m.taken, func(t taken) bool { return now.Sub(t.at) >= m.interval })
	m.taken = append(m.taken, taken{now.Truncate(m.grain), n})
}

// release gives back the newest.
func (m *model) release(now time.Time, n int64) {
	for i := len(m.taken) - 1; i >= 0 && n > 0; i-- {
		if now.Sub(m.taken[i].at) < m.interval {
			part := min(n, m.taken[i].n)
			m.taken[i].n -= part
			n -= part
		}
	}
}

func TestNoDecisionDiffersFromAPlainModelWhereStampsAreExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		rate     int64
		interval time.Duration
	}{
		{"few permits", 7, 50 * time.Millisecond},
		{"a long interval", 900, time.Hour},
		{"many permits", 1_000_000, time.Second},
		{"the longest exact interval", 50_000, 1024 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(c.rate)))
			d := dialled()
			l := made(t, client(t), named(t), rate(int(c.rate), c.interval, d.option())...)
			m := &model{rate: c.rate, interval: c.interval, grain: time.Millisecond}
			most := max(c.rate/10, 3)
			for step := range 1500 {
				switch random.IntN(20) {
				case 0:
					d.add(time.Duration(random.Int64N(int64(c.interval) * 3 / 2)))
				case 1, 2, 3, 4, 5, 6:
					d.add(time.Duration(random.Int64N(int64(c.interval)/20 + 1)))
				case 7:
					n := random.Int64N(most)
					require.NoError(t, l.Release(t.Context(), int(n)))
					m.release(d.read(), n)
				case 8:
					left, err := l.AvailablePermits(t.Context())
					require.NoError(t, err)
					require.Equal(t, max(m.rate-m.used(d.read()), 0), left, step)
				case 9:
					if random.IntN(5) == 0 {
						m.rate = 1 + random.Int64N(c.rate)
						require.NoError(t, l.SetRate(t.Context(), redislimiter.Config{Rate: m.rate, Interval: m.interval},
							redislimiter.KeepState))
					}
				}
				n := 1 + random.Int64N(most)
				if random.IntN(20) == 0 {
					n = 1 + random.Int64N(m.rate)
				}
				n = min(n, m.rate)
				granted, wait, err := redislimiter.Ask(t.Context(), l, n)
				require.NoError(t, err)
				expected := m.wait(d.read(), n)
				require.Equal(t, expected == 0, granted, "step %d: %d permits, wait %v", step, n, expected)
				if granted {
					m.take(d.read(), n)
					continue
				}
				require.Equal(t, expected, wait, "step %d", step)
				if random.IntN(4) == 0 {
					d.add(wait)
				}
			}
		})
	}
}

func TestCoarseStampsNeverGrantTooMuchAndDelayByOneBucketAtMost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		rate     int64
		interval time.Duration
	}{
		{"a minute", 100_000, time.Minute},
		{"just beyond exact", 1025, 1025 * time.Millisecond},
		{"an odd interval", 5_000_000, 12347 * time.Millisecond},
		{"a day", 1_000_000_000, 24 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(2, uint64(c.rate)))
			d := dialled()
			l := made(t, client(t), named(t), rate(int(c.rate), c.interval, d.option())...)
			m := &model{rate: c.rate, interval: c.interval, grain: time.Microsecond}
			bucket := (c.interval/1024 + time.Microsecond).Truncate(time.Microsecond)
			for step := range 1500 {
				if random.IntN(3) > 0 {
					d.add(time.Duration(random.Int64N(int64(c.interval) / 300)))
				}
				n := 1 + random.Int64N(c.rate/100)
				granted, wait, err := redislimiter.Ask(t.Context(), l, n)
				require.NoError(t, err)
				expected := m.wait(d.read(), n)
				if granted {
					require.Zero(t, expected, "step %d: granted too early", step)
					m.take(d.read(), n)
					continue
				}
				require.GreaterOrEqual(t, wait, expected, "step %d", step)
				require.LessOrEqual(t, wait, expected+bucket, "step %d", step)
				if random.IntN(3) == 0 {
					d.add(wait)
					granted, _, err := redislimiter.Ask(t.Context(), l, n)
					require.NoError(t, err)
					require.True(t, granted, "step %d: the wait was exact", step)
					m.take(d.read(), n)
				}
			}
		})
	}
}
