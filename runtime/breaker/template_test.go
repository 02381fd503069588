package breaker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

func TestBreakersOfOneTemplateShareNothingButTheirConfig(t *testing.T) {
	t.Parallel()
	config := breaker.DefaultConfig()
	config.SlidingWindowSize = 1
	template, err := breaker.NewTemplate(config)
	require.NoError(t, err)
	a, b := template.New("a"), template.New("b")
	require.Equal(t, "a", a.Name())
	require.Equal(t, config, b.Config())

	require.Error(t, breaker.Run(context.Background(), a, func(context.Context) error { return errors.New("ill") }))
	require.Equal(t, breaker.Open, a.State())
	require.Equal(t, breaker.Closed, b.State())

	changed := config
	changed.SlidingWindowSize = 3
	require.NoError(t, a.Reconfigure(changed))
	require.NoError(t, a.Close())
	require.Equal(t, changed, a.Config())
	require.Equal(t, config, b.Config())
	require.Equal(t, config, template.New("c").Config())
}

func TestATemplateIsValid(t *testing.T) {
	t.Parallel()
	_, err := breaker.NewTemplate(breaker.Config{})
	require.ErrorContains(t, err, "failureRateThreshold is 0; it must be above 0 and at most 100")
}

// TestSecondsOfAnEarlierLapAreForgotten lets the tags of a bucket's counts come round to where they were.
func TestSecondsOfAnEarlierLapAreForgotten(t *testing.T) {
	t.Parallel()
	for _, seconds := range []int{1, 255, 256, 257, 4095, 4096, 4097, 1 << 20} {
		for _, busy := range []bool{false, true} {
			if busy && seconds > 5000 {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				b, err := breaker.New("laps", breaker.WithSlidingWindowType(breaker.TimeBased),
					breaker.WithSlidingWindowSize(1), breaker.WithMinimumNumberOfCalls(1000),
					breaker.WithSlowCallDurationThreshold(time.Millisecond))
				require.NoError(t, err)
				call := func(took time.Duration, end error) {
					c, err := b.Begin()
					require.NoError(t, err)
					time.Sleep(took)
					c.End(context.Background(), end)
				}
				call(2*time.Millisecond, errors.New("ill"))
				m := b.Metrics()
				require.Equal(t, [4]int{1, 1, 1, 1}, [4]int{m.Buffered, m.Failed, m.Slow, m.SlowFailed})
				if busy {
					for range seconds - 1 {
						time.Sleep(time.Second)
						call(0, nil)
					}
					time.Sleep(time.Second)
				} else {
					time.Sleep(time.Duration(seconds) * time.Second)
				}
				call(0, nil)
				m = b.Metrics()
				require.Equal(t, [4]int{1, 0, 0, 0}, [4]int{m.Buffered, m.Failed, m.Slow, m.SlowFailed}, "%d s", seconds)
				call(2*time.Millisecond, errors.New("ill"))
				m = b.Metrics()
				require.Equal(t, [4]int{2, 1, 1, 1}, [4]int{m.Buffered, m.Failed, m.Slow, m.SlowFailed}, "%d s", seconds)
			})
		}
	}
}

// TestACallIsTimedAsLongAsSomebodyListens: what Begin goes by follows every change.
func TestACallIsTimedAsLongAsSomebodyListens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, err := breaker.New("timed", breaker.WithSlowCallDurationThreshold(0))
		require.NoError(t, err)
		call := func() {
			c, err := b.Begin()
			require.NoError(t, err)
			time.Sleep(time.Minute)
			c.End(context.Background(), nil)
		}
		var durations []time.Duration
		listen := func(e policy.Event) { durations = append(durations, e.Duration) }
		call()
		remove := b.Subscribe(listen)
		call()
		remove()
		call()
		remove = b.Subscribe(listen)
		call()
		require.NoError(t, b.TransitionTo(breaker.MetricsOnly))
		call()
		remove()
		remove()
		require.Equal(t, []time.Duration{time.Minute, time.Minute, 0, time.Minute}, durations, "the third is the transition")

		config := b.Config()
		config.SlowCallDurationThreshold = time.Second
		require.NoError(t, b.Reconfigure(config))
		call()
		require.EqualValues(t, 1, b.Metrics().Slow)
		config.Enabled = false
		require.NoError(t, b.Reconfigure(config))
		call()
		require.EqualValues(t, 1, b.Metrics().Slow)
		config.Enabled = true
		require.NoError(t, b.Reconfigure(config))
		call()
		require.EqualValues(t, 2, b.Metrics().Slow)
	})
}
