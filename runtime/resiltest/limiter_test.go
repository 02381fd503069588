package resiltest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/resiltest"
)

func TestExhaustedLimiterRefusesUntilReleased(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []limiter.Algorithm{limiter.Cycle, limiter.Sliding, limiter.Smooth} {
		for _, taken := range []int{0, 1, 3} {
			t.Run(algorithm.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					rt := resiltest.New(t, resil.WithLimiter("reserve",
						limiter.WithLimitForPeriod(5), limiter.WithLimitRefreshPeriod(time.Second), limiter.WithBurst(4),
						limiter.WithTimeoutDuration(time.Minute), limiter.WithAlgorithm(algorithm)))
					l, _ := rt.Limiter("reserve")
					before := l.Config()
					for range taken {
						require.NoError(t, l.Acquire(t.Context(), 1))
					}
					release := resiltest.Exhaust(t, rt, "reserve")
					for range 3 {
						began := time.Now()
						require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
						require.ErrorIs(t, l.Acquire(t.Context(), 4), limiter.ErrExceeded)
						require.Zero(t, time.Since(began), "a refusal does not wait")
						time.Sleep(24 * time.Hour)
					}
					release()
					release()
					require.Equal(t, before, l.Config())
					time.Sleep(time.Second)
					require.NoError(t, l.Acquire(t.Context(), 1))
					require.NoError(t, l.Acquire(t.Context(), 4))
				})
			})
		}
	}
}

func TestReleasedCycleLacksWhatWasTaken(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.WithLimiter("reserve", limiter.WithLimitForPeriod(5),
		limiter.WithLimitRefreshPeriod(time.Hour), limiter.WithTimeoutDuration(0)))
	l, _ := rt.Limiter("reserve")
	require.NoError(t, l.Acquire(t.Context(), 2))
	resiltest.Exhaust(t, rt, "reserve")()
	require.EqualValues(t, 5-2, l.Metrics().AvailablePermits)
	require.NoError(t, l.Acquire(t.Context(), 3))
	require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
}

func TestCallThatWaitsIsRefusedByExhaust(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := resiltest.New(t, resil.WithLimiter("reserve", limiter.WithLimitForPeriod(1),
			limiter.WithLimitRefreshPeriod(time.Second), limiter.WithTimeoutDuration(time.Minute)))
		l, _ := rt.Limiter("reserve")
		require.NoError(t, l.Acquire(t.Context(), 1))
		answer := make(chan error)
		go func() { answer <- l.Acquire(context.Background(), 1) }()
		synctest.Wait()
		resiltest.Exhaust(t, rt, "reserve")
		require.ErrorIs(t, <-answer, limiter.ErrExceeded)
	})
}

func TestReleaseLeavesSettingsThatSomebodyElseHasMade(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.WithLimiter("reserve"))
	l, _ := rt.Limiter("reserve")
	release := resiltest.Exhaust(t, rt, "reserve")
	other := limiter.DefaultConfig()
	other.LimitForPeriod = 7
	require.NoError(t, l.Reconfigure(other))
	release()
	require.Equal(t, 7, l.Config().LimitForPeriod)
}
