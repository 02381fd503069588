package redislimiter_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

func TestLeasedPermitsAreHandedOutWithoutACall(t *testing.T) {
	t.Parallel()
	c, sent := counted(t)
	l := made(t, c, named(t), rate(100, time.Hour, redislimiter.WithLease(20))...)
	other := made(t, client(t), named(t))
	require.True(t, try(t, l, 1))
	require.Equal(t, 79, left(t, other))
	before := sent.calls.Load()
	require.True(t, try(t, l, 5))
	if sent.calls.Load() == before { // unless the machine was too slow
		require.LessOrEqual(t, left(t, other), 99)
	}
	require.NoError(t, l.Close())
	require.Equal(t, 94, left(t, other), "the rest is given back")
}

func TestLeasedPermitsThatAreNotUsedAreGivenBack(t *testing.T) {
	t.Parallel()
	l := made(t, client(t), named(t), rate(100, time.Hour, redislimiter.WithLease(20))...)
	other := made(t, client(t), named(t))
	require.True(t, try(t, l, 1))
	require.Eventually(t, func() bool { return left(t, other) == 99 }, 20*time.Second, 5*time.Millisecond)
}

// A grant is permits that were granted, and may have been used, at some time from began to ended.
type grant struct {
	began, ended time.Time
	permits      int
}

// mostWithin returns the most permits that were surely granted within some stretch of time of that length.
func mostWithin(all []grant, length time.Duration) (most int) {
	for _, first := range all {
		sum := 0
		for _, g := range all {
			if !g.began.Before(first.began) && g.ended.Before(first.began.Add(length)) {
				sum += g.permits
			}
		}
		most = max(most, sum)
	}
	return most
}

// grants takes permits in several goroutines for a time.
func grants(t *testing.T, limiters []*redislimiter.RateLimiter, most int, length time.Duration) (all []grant) {
	var mu sync.Mutex
	var group sync.WaitGroup
	end := time.Now().Add(length)
	for i := range 8 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			for time.Now().Before(end) {
				n, began := 1+random.IntN(most), time.Now()
				ok, err := limiters[i%len(limiters)].TryAcquire(t.Context(), n)
				if err != nil {
					t.Error(err)
					return
				}
				if ok {
					mu.Lock()
					all = append(all, grant{began, time.Now(), n})
					mu.Unlock()
				} else {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	group.Wait()
	return all
}

func TestLeasesNeverExceedTheLimit(t *testing.T) {
	t.Parallel()
	options := rate(40, 200*time.Millisecond, redislimiter.WithLease(10), redislimiter.WithCallTimeout(10*time.Second))
	a := made(t, client(t), named(t), options...)
	b := made(t, client(t), named(t), options...)
	all := grants(t, []*redislimiter.RateLimiter{a, b}, 3, time.Second)
	require.LessOrEqual(t, mostWithin(all, 199*time.Millisecond), 40)
	require.Greater(t, len(all), 10)
}

func TestLeasedPermitsCountFromWhenTheyCouldBeUsedLast(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), rate(100, 10*time.Second, redislimiter.WithLease(20), d.option())...)
	other := made(t, client(t), named(t), d.option())
	require.True(t, try(t, l, 1))
	d.to(10_000)
	require.LessOrEqual(t, left(t, other), 99)
	d.to(10_099)
	require.LessOrEqual(t, left(t, other), 99)
	d.to(10_100)
	require.Equal(t, 100, left(t, other))
}
