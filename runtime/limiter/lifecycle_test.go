package limiter_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

func TestCloseWakesWaitersAndLaterCallsNeverWait(t *testing.T) {
	forEach(t, 1, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 1, time.Second, options...)
			require.True(t, l.TryAcquire(1))
			first := acquiring(t.Context(), l, 1)
			synctest.Wait()
			reserved, err := l.Reserve(1)
			require.NoError(t, err)
			last := acquiring(t.Context(), l, 1)
			synctest.Wait()
			time.Sleep(time.Second / 4)
			require.NoError(t, l.Close())
			require.NoError(t, l.Close())
			for _, waiting := range []<-chan outcome{first, last} {
				end := <-waiting
				require.ErrorIs(t, end.err, policy.ErrClosed)
				require.Equal(t, time.Second/4, end.after)
			}
			require.Equal(t, 3*time.Second/4, reserved.Wait(), "it has moved up")
			require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
			time.Sleep(2 * time.Second)
			require.NoError(t, l.Acquire(t.Context(), 1))
			require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
		})
	})
}

func TestSwitchedOffLimiterPassesEverythingUncounted(t *testing.T) {
	forEach(t, 1, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 1, time.Hour, append(options, limiter.WithTimeoutDuration(2*time.Hour))...)
			require.True(t, l.TryAcquire(1))
			waiting := acquiring(t.Context(), l, 1)
			synctest.Wait()
			change(t, l, limiter.WithEnabled(false))
			require.Equal(t, outcome{}, <-waiting, "those who wait are let go")
			admitted, seen := l.Metrics().AdmittedCalls, events(l)
			for range 3 {
				require.NoError(t, l.Acquire(t.Context(), 1))
				require.True(t, l.TryAcquire(1))
				l.Drain()
			}
			require.Empty(t, *seen)
			require.Equal(t, admitted, l.Metrics().AdmittedCalls)
			change(t, l, limiter.WithEnabled(true))
			require.False(t, l.TryAcquire(1), "what was taken before counts again")
		})
	})
}

func TestReservationCountsDownAndCanBeGivenBack(t *testing.T) {
	forEach(t, 2, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 2, time.Second, options...)
			now, err := l.Reserve(2)
			require.NoError(t, err)
			require.Zero(t, now.Wait())
			require.False(t, now.Cancel(), "its time has come: used")
			require.False(t, l.TryAcquire(1))

			ahead, err := l.Reserve(2)
			require.NoError(t, err)
			behind, err := l.Reserve(2)
			require.NoError(t, err)
			require.Equal(t, time.Second, ahead.Wait())
			require.Equal(t, 2*time.Second, behind.Wait())
			time.Sleep(time.Second / 2)
			require.Equal(t, 3*time.Second/2, behind.Wait())
			require.True(t, ahead.Cancel())
			require.True(t, ahead.Cancel())
			require.Equal(t, time.Second/2, behind.Wait())
			time.Sleep(time.Second / 2)
			require.Zero(t, behind.Wait())
			require.False(t, behind.Cancel())
			require.False(t, l.TryAcquire(1))
			time.Sleep(time.Second)
			require.True(t, l.TryAcquire(2))
			require.Zero(t, limiter.Reservation{}.Wait())
			require.False(t, limiter.Reservation{}.Cancel())
		})
	})
}

func TestReservationThatASmallerLimitForbidsNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 2, time.Second, limiter.WithAlgorithm(limiter.Sliding))
		require.True(t, l.TryAcquire(2))
		r, err := l.Reserve(2)
		require.NoError(t, err)
		change(t, l, limiter.WithLimitForPeriod(1))
		require.EqualValues(t, math.MaxInt64, r.Wait())
		time.Sleep(time.Minute)
		require.EqualValues(t, math.MaxInt64, r.Wait())
	})
}

func TestChangeOfTheAlgorithmKeepsWhatIsTaken(t *testing.T) {
	for _, from := range algorithms {
		for _, to := range algorithms {
			synctest.Test(t, func(t *testing.T) {
				l := made(t, 4, time.Second, limiter.WithAlgorithm(from), limiter.WithBurst(4), limiter.WithTimeoutDuration(0))
				require.True(t, l.TryAcquire(3))
				change(t, l, limiter.WithAlgorithm(to))
				require.EqualValues(t, 1, l.Metrics().AvailablePermits, "%v to %v", from, to)
				require.False(t, l.TryAcquire(2))
				require.True(t, l.TryAcquire(1))
				time.Sleep(time.Second)
				require.True(t, l.TryAcquire(4))
				require.EqualValues(t, 3, l.Metrics().AdmittedCalls)
			})
		}
	}
}

func TestLimiterOfAnotherYearWorksInABubble(t *testing.T) {
	forEach(t, 1, func(t *testing.T, options []limiter.Option) {
		l := made(t, 1, time.Second, options...) // as a package's variable would be
		require.True(t, l.TryAcquire(1))
		synctest.Test(t, func(t *testing.T) {
			require.True(t, l.TryAcquire(1))
			require.Equal(t, outcome{nil, time.Second}, <-acquiring(t.Context(), l, 1))
		})
		require.True(t, l.TryAcquire(1))
	})
}

func TestExtremeSettingsNeitherOverflowNorLetMorePass(t *testing.T) {
	forEach(t, math.MaxInt32, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			most := made(t, math.MaxInt32, 1, append(options, limiter.WithTimeoutDuration(math.MaxInt64))...)
			for range 5 {
				require.NoError(t, most.Acquire(t.Context(), math.MaxInt32))
				require.EqualValues(t, 0, most.Metrics().AvailablePermits)
				time.Sleep(time.Second) // a billion periods
				require.EqualValues(t, math.MaxInt32, most.Metrics().AvailablePermits)
			}
			time.Sleep(1000 * time.Hour)
			require.EqualValues(t, math.MaxInt32, most.Metrics().AvailablePermits)
			require.True(t, most.TryAcquire(math.MaxInt32))
			require.EqualValues(t, 0, most.Metrics().AvailablePermits)
		})
		least := func(t *testing.T) { // of centuries, inside a bubble and outside
			l := made(t, 3, math.MaxInt64/2, append(options, limiter.WithBurst(3), limiter.WithTimeoutDuration(time.Hour))...)
			require.True(t, l.TryAcquire(1))
			require.True(t, l.TryAcquire(2))
			require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
			require.GreaterOrEqual(t, l.Metrics().TimeToWait, time.Duration(0))
			change(t, l, limiter.WithLimitForPeriod(1), limiter.WithBurst(1))
			require.False(t, l.TryAcquire(1))
			if l.Config().Algorithm == limiter.Smooth {
				config := l.Config()
				config.Burst = 2
				require.ErrorContains(t, l.Reconfigure(config), "burst is 2; the time in which it comes back with SMOOTH")
				return
			}
			change(t, l, limiter.WithLimitForPeriod(2), limiter.WithLimitRefreshPeriod(math.MaxInt64))
			require.False(t, l.TryAcquire(1))
		}
		least(t)
		synctest.Test(t, least)
	})
}

func TestCallThatTakesFreePermitsAllocatesNothing(t *testing.T) {
	ctx := context.Background()
	l := made(t, 1<<30, time.Hour)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if l.Acquire(ctx, 1) != nil || l.AcquireAt(ctx, policy.Now(), 3) != nil || !l.TryAcquire(2) {
			t.Error("refused")
		}
	}))
	smooth := made(t, 1<<30, time.Hour, limiter.WithAlgorithm(limiter.Smooth), limiter.WithBurst(1<<30))
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if smooth.Acquire(ctx, 1) != nil {
			t.Error("refused")
		}
	}))
	for _, n := range []int{1, 7} {
		full := made(t, 1, time.Hour, limiter.WithTimeoutDuration(0))
		require.True(t, full.TryAcquire(1))
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if policy.MarkInner(full.Acquire(ctx, n)) == nil {
				t.Error("admitted")
			}
		}), "a refusal, and its mark")
	}
}

func TestDecoratedCallsAreLimited(t *testing.T) {
	t.Parallel()
	l := made(t, 2, time.Hour, limiter.WithTimeoutDuration(0))
	type key struct{}
	f := limiter.Decorate(l, func(ctx context.Context) (any, error) { return ctx.Value(key{}), nil })
	v, err := f(context.WithValue(t.Context(), key{}, "the caller's context"))
	require.NoError(t, err)
	require.Equal(t, "the caller's context", v)
	require.NoError(t, limiter.Run(t.Context(), l, func(context.Context) error { return nil }))
	_, err = f(t.Context())
	require.ErrorIs(t, err, limiter.ErrExceeded)
	require.ErrorIs(t, limiter.Run(t.Context(), l, func(context.Context) error { panic("called") }), limiter.ErrExceeded)
}
