package limiter_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

func TestALimiterIsFreshWhenItIsFull(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []limiter.Algorithm{limiter.Cycle, limiter.Sliding, limiter.Smooth} {
		synctest.Test(t, func(t *testing.T) {
			l, err := limiter.New("fresh", limiter.WithAlgorithm(algorithm), limiter.WithLimitForPeriod(2),
				limiter.WithLimitRefreshPeriod(10*time.Second), limiter.WithTimeoutDuration(time.Minute))
			require.NoError(t, err)
			require.True(t, l.Fresh(time.Hour), "%v: it is new", algorithm)
			require.False(t, l.Fresh(10*time.Second), "%v: idle for no longer than its period", algorithm)
			require.NoError(t, l.Acquire(t.Context(), 1))
			require.False(t, l.Fresh(time.Hour), algorithm)
			time.Sleep(11 * time.Second)
			require.True(t, l.Fresh(11*time.Second), algorithm)

			for range 2 {
				require.NoError(t, l.Acquire(t.Context(), 1))
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- l.Acquire(ctx, 1) }()
			synctest.Wait()
			require.False(t, l.Fresh(time.Hour), "%v: a call waits", algorithm)
			cancel()
			require.Error(t, <-done)
			time.Sleep(30 * time.Second)
			unsubscribe := l.Subscribe(func(policy.Event) {})
			require.False(t, l.Fresh(time.Hour), "%v: somebody listens", algorithm)
			unsubscribe()
			require.True(t, l.Fresh(time.Hour), algorithm)
		})
	}
}

func TestLimitersOfOneTemplateShareNothingButTheirConfig(t *testing.T) {
	t.Parallel()
	config := limiter.DefaultConfig()
	config.LimitForPeriod, config.LimitRefreshPeriod, config.TimeoutDuration = 1, time.Hour, 0
	template, err := limiter.NewTemplate(config, nil)
	require.NoError(t, err)
	a, err := template.New("a")
	require.NoError(t, err)
	b, err := template.New("b")
	require.NoError(t, err)
	require.NoError(t, a.Acquire(t.Context(), 1))
	require.ErrorContains(t, a.Acquire(t.Context(), 1), `ratelimiter "a"`)
	require.NoError(t, b.Acquire(t.Context(), 1))
	changed := config
	changed.LimitForPeriod = 5
	require.NoError(t, a.Reconfigure(changed))
	require.Equal(t, changed, a.Config())
	require.Equal(t, config, b.Config())

	config.Backend = "redis"
	_, err = limiter.NewTemplate(config, nil)
	require.ErrorContains(t, err, `backend is "redis"`)
	_, err = limiter.NewTemplate(limiter.Config{}, nil)
	require.ErrorContains(t, err, "limitForPeriod is 0")
}
