package breaker_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

// fixture is the circuit breaker that most of Resilience4j's own tests share.
func fixture(t *testing.T, opts ...breaker.Option) *breaker.Breaker {
	t.Helper()
	return newBreaker(t, append([]breaker.Option{
		breaker.WithFailureRateThreshold(50),
		breaker.WithSlowCallRateThreshold(50),
		breaker.WithSlowCallDurationThreshold(4 * time.Second),
		breaker.WithPermittedNumberOfCallsInHalfOpenState(4),
		breaker.WithSlidingWindowType(breaker.TimeBased),
		breaker.WithSlidingWindowSize(20),
		breaker.WithMinimumNumberOfCalls(5),
		breaker.WithWaitDurationInOpenState(5 * time.Second),
		breaker.WithIgnoreErrors(isNotFound),
	}, opts...)...)
}

// halfOpen is fixture in HALF_OPEN.
func halfOpen(t *testing.T, opts ...breaker.Option) *breaker.Breaker {
	t.Helper()
	b := fixture(t, opts...)
	transition(t, b, breaker.Open, breaker.HalfOpen)
	return b
}

// TestConformance holds what Resilience4j's own tests say about its circuit breaker, one subtest for each. Where we
// differ, the subtest says so, and TestDifferences has the row of the package comment.
func TestConformance(t *testing.T) {
	inBubble(t, "01 open and forced open refuse", func(t *testing.T) {
		for _, state := range []breaker.State{breaker.Open, breaker.ForcedOpen} {
			b := fixture(t)
			transition(t, b, state)
			require.Equal(t, state, requireRefused(t, b).State())
			requireCounts(t, b, 0, 0, 0, 1)
		}
	})
	inBubble(t, "02 half open admits four and takes a permit back", func(t *testing.T) {
		b := halfOpen(t)
		first := begin(t, b)
		for range 3 {
			begin(t, b)
		}
		requireRefused(t, b)
		requireRefused(t, b)
		first.End(background, errNotFound)
		begin(t, b)
		requireRefused(t, b)
	})
	inBubble(t, "03 half open exhausted refuses", func(t *testing.T) {
		b := halfOpen(t)
		for range 4 {
			begin(t, b)
		}
		require.Equal(t, breaker.HalfOpen, requireRefused(t, b).State())
		requireCounts(t, b, 0, 0, 0, 1)
	})
	inBubble(t, "04 half open anew has new permits", func(t *testing.T) {
		b := halfOpen(t)
		for range 2 {
			for range 4 {
				begin(t, b)
			}
			requireRefused(t, b)
			transition(t, b, breaker.Open, breaker.HalfOpen)
		}
	})
	inBubble(t, "05 the rate that reaches the threshold opens", func(t *testing.T) {
		b := fixture(t)
		for _, o := range []string{"S", "S", "S", "E", "E"} {
			calls(t, b, o)
			time.Sleep(time.Second)
		}
		requireState(t, breaker.Closed, b)
		require.Equal(t, 40.0, b.Metrics().FailureRate())
		calls(t, b, "E")
		requireState(t, breaker.Open, b)
		require.Equal(t, 50.0, b.Metrics().FailureRate())
	})
	inBubble(t, "06 a success that reaches the minimum opens", func(t *testing.T) {
		b := fixture(t)
		j := listen(b)
		calls(t, b, "EEES")
		require.Equal(t, -1.0, b.Metrics().FailureRate())
		requireCounts(t, b, 4, 3, 0, 0)
		calls(t, b, "S")
		requireState(t, breaker.Open, b)
		require.Equal(t, 60.0, b.Metrics().FailureRate())
		requireCounts(t, b, 5, 3, 0, 0)
		require.Equal(t, 1, j.count(policy.FailureRateExceeded))
		requireRefused(t, b)
		requireCounts(t, b, 5, 3, 0, 1)
	})
	inBubble(t, "07 slow calls open", func(t *testing.T) {
		b := fixture(t)
		call(t, b, 5*time.Second, errFailed)
		call(t, b, 5*time.Second, nil)
		call(t, b, 100*time.Millisecond, errFailed)
		call(t, b, 100*time.Millisecond, nil)
		requireState(t, breaker.Closed, b)
		call(t, b, 5*time.Second, nil)
		requireState(t, breaker.Open, b)
		requireCounts(t, b, 5, 2, 3, 0)
		require.Equal(t, 60.0, b.Metrics().SlowCallRate())
		require.Equal(t, 1, b.Metrics().SlowFailed)
	})
	inBubble(t, "08 slow calls are measured by the decorator", func(t *testing.T) {
		b := fixture(t)
		var took time.Duration
		ask := breaker.Decorate(b, func(ctx context.Context) (int, error) { time.Sleep(took); return 0, nil })
		for i, slow := range []int{1, 2, 2, 2, 3} {
			took = []time.Duration{5, 5, 1, 1, 5}[i] * time.Second
			_, err := ask(background)
			require.NoError(t, err)
			require.Equal(t, slow, b.Metrics().Slow)
		}
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "09 the call after the wait is a probe", func(t *testing.T) {
		b := fixture(t)
		transition(t, b, breaker.Open)
		time.Sleep(3 * time.Second)
		requireRefused(t, b)
		requireRefused(t, b)
		requireCounts(t, b, 0, 0, 0, 2)
		time.Sleep(3 * time.Second)
		begin(t, b)
		requireState(t, breaker.HalfOpen, b)
		requireCounts(t, b, 0, 0, 0, 0)
	})
	inBubble(t, "10 open for and until a given time", func(t *testing.T) {
		b := fixture(t)
		require.NoError(t, b.OpenFor(2*time.Hour))
		time.Sleep(time.Hour)
		requireRefused(t, b)
		time.Sleep(time.Hour + time.Second)
		begin(t, b)

		b = fixture(t)
		c := begin(t, b)
		c.End(background, errFailed)
		c.Transition(breaker.ToOpenUntil(time.Now().Add(30 * time.Minute)))
		time.Sleep(15 * time.Minute)
		requireRefused(t, b)
		time.Sleep(15*time.Minute + time.Second)
		begin(t, b)
	})
	inBubble(t, "11 the wait grows from one stay to the next", func(t *testing.T) {
		b := fixture(t, breaker.WithEnableExponentialBackoff(true), breaker.WithExponentialBackoffMultiplier(1.5))
		transition(t, b, breaker.Open)
		time.Sleep(6 * time.Second)
		begin(t, b)
		transition(t, b, breaker.Open)
		time.Sleep(6 * time.Second)
		requireRefused(t, b)
		time.Sleep(5 * time.Second)
		begin(t, b)
	})
	inBubble(t, "12 half open opens by failures", func(t *testing.T) {
		b := halfOpen(t)
		calls(t, b, "EES")
		requireState(t, breaker.HalfOpen, b)
		calls(t, b, "E")
		requireState(t, breaker.Open, b)
		requireCounts(t, b, 4, 3, 0, 0)
		require.Equal(t, 75.0, b.Metrics().FailureRate())
	})
	inBubble(t, "13 half open opens by slow calls", func(t *testing.T) {
		b := halfOpen(t)
		for range 3 {
			call(t, b, 4*time.Second+1, nil)
		}
		calls(t, b, "S")
		requireState(t, breaker.Open, b)
		require.Equal(t, 75.0, b.Metrics().SlowCallRate())
		require.Equal(t, 0.0, b.Metrics().FailureRate())
	})
	inBubble(t, "14 half open closes with an empty window", func(t *testing.T) {
		b := halfOpen(t)
		calls(t, b, "ESSS")
		requireState(t, breaker.Closed, b)
		requireCounts(t, b, 0, 0, 0, 0)
		calls(t, b, "S")
		requireCounts(t, b, 1, 0, 0, 0)
		require.Equal(t, -1.0, b.Metrics().FailureRate())
	})
	inBubble(t, "15 reset empties the window", func(t *testing.T) {
		b := fixture(t)
		calls(t, b, "SE")
		requireCounts(t, b, 2, 1, 0, 0)
		b.Reset()
		requireState(t, breaker.Closed, b)
		requireCounts(t, b, 0, 0, 0, 0)
	})
	inBubble(t, "16 disabled admits all and forced open none", func(t *testing.T) {
		b := fixture(t)
		transition(t, b, breaker.Disabled)
		calls(t, b, "SEEEEEE")
		requireState(t, breaker.Disabled, b)
		requireCounts(t, b, 0, 0, 0, 0)
		transition(t, b, breaker.ForcedOpen)
		requireRefused(t, b)
		time.Sleep(time.Hour)
		requireRefused(t, b)
		requireCounts(t, b, 0, 0, 0, 2)
	})
	inBubble(t, "17 an ignored error gives the last permit back", func(t *testing.T) {
		b := halfOpen(t)
		calls(t, b, "SSSI")
		requireState(t, breaker.HalfOpen, b)
		requireCounts(t, b, 3, 0, 0, 0)
		calls(t, b, "E")
		requireState(t, breaker.Closed, b)
	})
	inBubble(t, "18 ignored errors never decide", func(t *testing.T) {
		b := halfOpen(t)
		calls(t, b, "IIII")
		requireState(t, breaker.HalfOpen, b)
		requireCounts(t, b, 0, 0, 0, 0)
		calls(t, b, "SSS")
		requireState(t, breaker.HalfOpen, b)
		calls(t, b, "S")
		requireState(t, breaker.Closed, b)
	})
	inBubble(t, "19 closed does not become half open by hand", func(t *testing.T) {
		b := fixture(t)
		err := b.TransitionTo(breaker.HalfOpen)
		require.ErrorIs(t, err, breaker.ErrIllegalTransition)
		require.ErrorContains(t, err,
			`circuitbreaker "testName" tried an illegal state transition from CLOSED to HALF_OPEN`)
		requireState(t, breaker.Closed, b)
	})
	inBubble(t, "20 metrics only announces once and stays", func(t *testing.T) {
		b := fixture(t)
		transition(t, b, breaker.MetricsOnly)
		j := listen(b)
		calls(t, b, "EEESS")
		require.Equal(t, 60.0, b.Metrics().FailureRate())
		require.Equal(t, 1, j.count(policy.FailureRateExceeded))
		calls(t, b, "E")
		requireState(t, breaker.MetricsOnly, b)
		require.Equal(t, 1, j.count(policy.FailureRateExceeded))
		require.Empty(t, j.transitions())
	})
	inBubble(t, "21 metrics only announces both rates", func(t *testing.T) {
		b := fixture(t, breaker.WithSlidingWindowSize(60))
		transition(t, b, breaker.MetricsOnly)
		j := listen(b)
		for range 5 {
			call(t, b, 5*time.Second, errFailed)
		}
		require.Equal(t, 1, j.count(policy.FailureRateExceeded))
		require.Equal(t, 1, j.count(policy.SlowCallRateExceeded))
	})
	inBubble(t, "22 every state may become metrics only and itself", func(t *testing.T) {
		for _, state := range states {
			b := fixture(t, breaker.WithInitialState(state))
			j := listen(b)
			transition(t, b, state)
			require.Empty(t, j.types(), state)
			transition(t, b, breaker.MetricsOnly)
			if state != breaker.MetricsOnly {
				require.Equal(t, []string{state.String() + ">METRICS_ONLY"}, j.transitions())
			}
		}
	})
	inBubble(t, "23 half open ends after its longest wait", func(t *testing.T) {
		for _, target := range []breaker.State{breaker.Open, breaker.Closed} {
			b := halfOpen(t, breaker.WithMaxWaitDurationInHalfOpenState(time.Second),
				breaker.WithTransitionToStateAfterWaitDuration(target))
			time.Sleep(2 * time.Second)
			requireState(t, target, b)
		}
	})
	inBubble(t, "24 the initial state is honoured", func(t *testing.T) {
		for _, state := range states {
			requireState(t, state, fixture(t, breaker.WithInitialState(state)))
		}
	})
}
