package breaker_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

func reconfigure(t *testing.T, b *breaker.Breaker, opts ...breaker.Option) {
	t.Helper()
	c := b.Config()
	for _, opt := range opts {
		opt(&c)
	}
	require.NoError(t, b.Reconfigure(c))
}

func TestReconfigure(t *testing.T) {
	inBubble(t, "a wrong configuration changes nothing", func(t *testing.T) {
		b := counting(t, 4)
		c := b.Config()
		c.SlidingWindowSize, c.FailureRateThreshold = 2, 0
		require.ErrorContains(t, b.Reconfigure(c), "failureRateThreshold is 0")
		require.Equal(t, 4, b.Config().SlidingWindowSize)
	})
	inBubble(t, "a lowered threshold is judged at once", func(t *testing.T) {
		b := counting(t, 4)
		j := listen(b)
		calls(t, b, "SSSE")
		requireState(t, breaker.Closed, b)
		reconfigure(t, b, breaker.WithFailureRateThreshold(25))
		requireState(t, breaker.Open, b)
		require.Equal(t, []policy.EventType{policy.FailureRateExceeded, policy.StateTransition}, j.types()[4:])
	})
	inBubble(t, "a lowered minimum is judged at once", func(t *testing.T) {
		for _, kind := range []breaker.SlidingWindowType{breaker.CountBased, breaker.TimeBased} {
			b := counting(t, 10, breaker.WithSlidingWindowType(kind))
			calls(t, b, "EEE")
			requireState(t, breaker.Closed, b)
			reconfigure(t, b, breaker.WithMinimumNumberOfCalls(3))
			requireState(t, breaker.Open, b)
		}
	})
	inBubble(t, "a raised minimum waits for the success that reaches it", func(t *testing.T) {
		for _, kind := range []breaker.SlidingWindowType{breaker.CountBased, breaker.TimeBased} {
			b := counting(t, 10, breaker.WithSlidingWindowType(kind), breaker.WithMinimumNumberOfCalls(4))
			calls(t, b, "EEE")
			reconfigure(t, b, breaker.WithMinimumNumberOfCalls(5))
			calls(t, b, "S")
			requireState(t, breaker.Closed, b)
			calls(t, b, "S")
			requireState(t, breaker.Open, b)
		}
	})
	inBubble(t, "a smaller window keeps the newest calls", func(t *testing.T) {
		b := counting(t, 40, breaker.WithFailureRateThreshold(100))
		for range 10 {
			calls(t, b, "EEEEES")
		}
		requireCounts(t, b, 40, 33, 0, 0)
		reconfigure(t, b, breaker.WithSlidingWindowSize(3))
		requireCounts(t, b, 3, 2, 0, 0)
		calls(t, b, "S")
		requireCounts(t, b, 3, 1, 0, 0)
		require.EqualValues(t, 11, b.Metrics().Lifetime.Successful)
		require.EqualValues(t, 50, b.Metrics().Lifetime.Failed)
	})
	inBubble(t, "a larger window keeps all calls", func(t *testing.T) {
		b := counting(t, 3, breaker.WithFailureRateThreshold(100))
		calls(t, b, "ESSES")
		reconfigure(t, b, breaker.WithSlidingWindowSize(70))
		requireCounts(t, b, 3, 1, 0, 0)
		calls(t, b, "SS")
		requireCounts(t, b, 5, 1, 0, 0)
		require.EqualValues(t, 7, b.Metrics().Lifetime.Failed+b.Metrics().Lifetime.Successful)
	})
	inBubble(t, "another number of seconds keeps the newest", func(t *testing.T) {
		b := seconds(t, 5)
		for _, o := range []string{"EE", "S", "E", "SSS", "E"} {
			time.Sleep(time.Second)
			calls(t, b, o)
		}
		requireCounts(t, b, 8, 4, 0, 0)
		reconfigure(t, b, breaker.WithSlidingWindowSize(3))
		requireCounts(t, b, 5, 2, 0, 0)
		reconfigure(t, b, breaker.WithSlidingWindowSize(60))
		requireCounts(t, b, 5, 2, 0, 0)
		time.Sleep(57 * time.Second)
		requireCounts(t, b, 5, 2, 0, 0)
		time.Sleep(time.Second)
		requireCounts(t, b, 4, 1, 0, 0)
		require.EqualValues(t, 4, b.Metrics().Lifetime.Successful)
	})
	inBubble(t, "another type begins with an empty window", func(t *testing.T) {
		b := counting(t, 4)
		inFlight := begin(t, b)
		calls(t, b, "SSE")
		reconfigure(t, b, breaker.WithSlidingWindowType(breaker.TimeBased))
		requireCounts(t, b, 0, 0, 0, 0)
		inFlight.End(background, errFailed)
		requireCounts(t, b, 1, 1, 0, 0)
		reconfigure(t, b, breaker.WithSlidingWindowType(breaker.CountBased))
		requireCounts(t, b, 0, 0, 0, 0)
		require.Equal(t, breaker.Lifetime{Successful: 2, Failed: 2}, b.Metrics().Lifetime)
	})
	inBubble(t, "half open takes another number of probes", func(t *testing.T) {
		b := halfOpen(t)
		calls(t, b, "SS")
		first := begin(t, b)
		begin(t, b)
		requireRefused(t, b)
		reconfigure(t, b, breaker.WithPermittedNumberOfCallsInHalfOpenState(5))
		begin(t, b)
		requireRefused(t, b)
		first.End(background, nil)
		requireState(t, breaker.HalfOpen, b)
		reconfigure(t, b, breaker.WithPermittedNumberOfCallsInHalfOpenState(3))
		requireState(t, breaker.Closed, b)
	})
	inBubble(t, "open ends when it would have ended", func(t *testing.T) {
		b := fixture(t)
		transition(t, b, breaker.Open)
		reconfigure(t, b, breaker.WithWaitDurationInOpenState(time.Hour),
			breaker.WithAutomaticTransitionFromOpenToHalfOpenEnabled(true))
		time.Sleep(5 * time.Second)
		settle(t)
		requireState(t, breaker.HalfOpen, b)
		transition(t, b, breaker.Open)
		require.Equal(t, time.Hour, b.Metrics().OpenFor)
	})
	inBubble(t, "the longest wait in half open counts from its beginning", func(t *testing.T) {
		b := halfOpen(t)
		time.Sleep(time.Second)
		reconfigure(t, b, breaker.WithMaxWaitDurationInHalfOpenState(3*time.Second))
		time.Sleep(2*time.Second - 1)
		settle(t)
		requireState(t, breaker.HalfOpen, b)
		time.Sleep(time.Nanosecond)
		settle(t)
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "the off switch lets calls pass and keeps the state", func(t *testing.T) {
		b := fixture(t)
		transition(t, b, breaker.Open)
		reconfigure(t, b, breaker.WithEnabled(false))
		calls(t, b, "SEI")
		require.Zero(t, b.Metrics().Lifetime)
		requireState(t, breaker.Open, b)
		reconfigure(t, b, breaker.WithEnabled(true))
		requireRefused(t, b)
	})
	inBubble(t, "nothing is judged while it is off", func(t *testing.T) {
		b := counting(t, 4)
		calls(t, b, "SSSE")
		reconfigure(t, b, breaker.WithEnabled(false), breaker.WithFailureRateThreshold(25))
		requireState(t, breaker.Closed, b)
		reconfigure(t, b, breaker.WithEnabled(true))
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "the slow call rule can be turned on and off", func(t *testing.T) {
		b := seconds(t, 60)
		call(t, b, time.Second, nil)
		reconfigure(t, b, breaker.WithSlowCallDurationThreshold(0))
		call(t, b, time.Second, nil)
		requireCounts(t, b, 2, 0, 1, 0)
		reconfigure(t, b, breaker.WithSlowCallDurationThreshold(time.Millisecond))
		call(t, b, time.Second, nil)
		requireCounts(t, b, 3, 0, 2, 0)
	})
}

// TestNoResultIsLostWhileTheWindowChanges changes size and type all the time while calls end.
func TestNoResultIsLostWhileTheWindowChanges(t *testing.T) {
	t.Parallel()
	b := counting(t, 10, breaker.WithInitialState(breaker.MetricsOnly))
	const workers, each = 4, 9000
	done := make(chan struct{})
	go func() {
		defer close(done)
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for n := range each {
					_ = breaker.Run(background, b, func(context.Context) error {
						if n%3 == 0 {
							return errFailed
						}
						return nil
					})
				}
			})
		}
		all.Wait()
	}()
	var before breaker.Lifetime
	for n := 0; ; n++ {
		select {
		case <-done:
			require.Equal(t, breaker.Lifetime{Failed: workers * each / 3, Successful: workers * each * 2 / 3},
				b.Metrics().Lifetime, "none is late")
			return
		default:
			reconfigure(t, b, breaker.WithSlidingWindowSize(1+n%400),
				breaker.WithSlidingWindowType(breaker.SlidingWindowType(n/7%2)))
			now := b.Metrics().Lifetime
			require.GreaterOrEqual(t, now.Successful, before.Successful)
			require.GreaterOrEqual(t, now.Failed, before.Failed)
			before = now
		}
	}
}
