package limiter_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
)

func TestTwoPerSecondAndATaskEvery300Milliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 2, time.Second, limiter.WithTimeoutDuration(500*time.Millisecond))
		start := time.Now()
		type end struct {
			ran   time.Duration
			err   error
			at    time.Duration
			retry time.Duration
		}
		ends := make(chan end, 5)
		for range 5 {
			go func() {
				e := end{ran: -1}
				e.err = limiter.Run(t.Context(), l, func(context.Context) error {
					e.ran = time.Since(start)
					return nil
				})
				e.at = time.Since(start)
				if refusal, ok := e.err.(*limiter.ExceededError); ok {
					e.retry, _ = refusal.RetryAfter()
				}
				ends <- e
			}()
			time.Sleep(300 * time.Millisecond)
		}
		for _, at := range []time.Duration{0, 300, 1000, 1000} {
			at *= time.Millisecond
			require.Equal(t, end{ran: at, at: at}, <-ends)
		}
		refused := <-ends
		require.ErrorIs(t, refused.err, limiter.ErrExceeded)
		require.Equal(t, 1200*time.Millisecond, refused.at, "at once")
		require.Equal(t, 800*time.Millisecond, refused.retry, "the next permit is that of 2000 ms")
	})
}

func TestThirdCallWaitsExactlyForTheNextCycleAndIdlePeriodsSaveNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 2, time.Second, limiter.WithTimeoutDuration(500*time.Millisecond))
		start := time.Now()
		for i, at := range []time.Duration{100, 700, 900} {
			time.Sleep(at*time.Millisecond - time.Since(start))
			before := time.Now()
			require.NoError(t, l.Acquire(t.Context(), 1))
			require.Equal(t, []time.Duration{0, 0, 100 * time.Millisecond}[i], time.Since(before))
		}
		time.Sleep(10 * time.Second)
		require.EqualValues(t, 2, l.Metrics().AvailablePermits)
		require.True(t, l.TryAcquire(1))
		require.True(t, l.TryAcquire(1))
		require.False(t, l.TryAcquire(1))
	})
}

func TestSmoothSpacesCallsEvenly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 3, time.Second, limiter.WithAlgorithm(limiter.Smooth))
		time.Sleep(time.Minute) // saves nothing up
		start := time.Now()
		for _, at := range []time.Duration{0, 333333334, 666666667, 1000000000} {
			require.NoError(t, l.Acquire(t.Context(), 1))
			require.Equal(t, at, time.Since(start), "the third of a second is kept exactly")
		}
	})
}

func TestSmoothLetsABurstPassAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 10, time.Second, limiter.WithAlgorithm(limiter.Smooth), limiter.WithBurst(3))
		start := time.Now()
		for _, at := range []time.Duration{0, 0, 0, 100, 200} {
			require.NoError(t, l.Acquire(t.Context(), 1))
			require.Equal(t, at*time.Millisecond, time.Since(start))
		}
		require.NoError(t, l.Acquire(t.Context(), 5), "more than the burst is saved up")
		require.Equal(t, 700*time.Millisecond, time.Since(start))
	})
}

func TestSlidingGivesEachPermitBackOnePeriodAfterItWasTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 2, 5*time.Second, limiter.WithAlgorithm(limiter.Sliding), limiter.WithTimeoutDuration(0))
		require.True(t, l.TryAcquire(1))
		time.Sleep(4 * time.Second)
		require.True(t, l.TryAcquire(1))
		time.Sleep(time.Second - 1)
		require.False(t, l.TryAcquire(1))
		time.Sleep(time.Nanosecond)
		require.True(t, l.TryAcquire(1), "to the nanosecond")
		require.False(t, l.TryAcquire(1))
		require.False(t, l.TryAcquire(3), "more than the limit never passes")
	})
}

func TestSlidingCountsACallThatMovedUpFromWhenItWent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 2, 7*time.Second, limiter.WithAlgorithm(limiter.Sliding), limiter.WithTimeoutDuration(time.Minute))
		require.True(t, l.TryAcquire(1)) // 0 s
		big, err := l.Reserve(2)
		require.NoError(t, err)
		require.Equal(t, 7*time.Second, big.Wait())
		small := acquiring(t.Context(), l, 1)
		time.Sleep(4 * time.Second)
		big.Cancel()
		require.Equal(t, outcome{nil, 4 * time.Second}, <-small)
		time.Sleep(7*time.Second - 1)
		require.EqualValues(t, 1, l.Metrics().AvailablePermits)
		time.Sleep(time.Nanosecond)
		require.EqualValues(t, 2, l.Metrics().AvailablePermits)
	})
}

// The table in the package's doc.
func TestTimingOfTheDoc(t *testing.T) {
	for algorithm, want := range map[limiter.Algorithm][]int{
		limiter.Cycle:   {0, 300, 1000, 1000, -1, 2000, 2000, -1},
		limiter.Sliding: {0, 300, 1000, 1300, -1, 2000, 2300, -1},
		limiter.Smooth:  {0, 500, 1000, -1, 1500, 2000, -1, 2500},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 2, time.Second, limiter.WithTimeoutDuration(500*time.Millisecond), limiter.WithAlgorithm(algorithm))
			var ends []<-chan outcome
			for range want {
				ends = append(ends, acquiring(t.Context(), l, 1))
				time.Sleep(300 * time.Millisecond)
			}
			var got []int
			for i, end := range ends {
				o := <-end
				at := int((time.Duration(i)*300*time.Millisecond + o.after) / time.Millisecond)
				if o.err != nil {
					at = -1
				}
				got = append(got, at)
			}
			require.Equal(t, want, got, algorithm)
		})
	}
}
