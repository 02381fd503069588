package breaker_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

// TestDifferences holds the rows of the package comment, by their first words.
func TestDifferences(t *testing.T) {
	inBubble(t, "thresholds", func(t *testing.T) {
		for _, with := range []func(float64) breaker.Option{
			breaker.WithFailureRateThreshold, breaker.WithSlowCallRateThreshold,
		} {
			newBreaker(t, with(0.5))
			for _, wrong := range []float64{math.NaN(), 0, -1, 100.1, math.Inf(1)} {
				_, err := breaker.New("testName", with(wrong))
				require.ErrorContains(t, err, "Threshold is ")
			}
		}
	})
	inBubble(t, "slow threshold", func(t *testing.T) {
		b := counting(t, 1)
		call(t, b, time.Hour, nil)
		requireCounts(t, b, 1, 0, 0, 0)
		requireState(t, breaker.Closed, b)
	})
	inBubble(t, "rates", func(t *testing.T) {
		b := counting(t, 3, breaker.WithFailureRateThreshold(100.0/3))
		calls(t, b, "SSE")
		requireState(t, breaker.Open, b)
		b = counting(t, 3, breaker.WithFailureRateThreshold(33.34))
		calls(t, b, "SSE")
		requireState(t, breaker.Closed, b)
	})
	inBubble(t, "minimum", func(t *testing.T) {
		b := newBreaker(t, breaker.WithSlidingWindowSize(5), breaker.WithMinimumNumberOfCalls(6))
		require.Equal(t, 6, b.Config().MinimumNumberOfCalls)
		calls(t, b, "EEEE")
		requireState(t, breaker.Closed, b)
		calls(t, b, "E")
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "wait functions", func(t *testing.T) {
		wait := breaker.WithWaitIntervalFunctionInOpenState(func(int) time.Duration { return 2 * time.Second })
		b := newBreaker(t, wait, breaker.WithWaitDurationInOpenState(time.Minute))
		transition(t, b, breaker.Open)
		require.Equal(t, 2*time.Second, b.Metrics().OpenFor)
		for _, flag := range []breaker.Option{
			breaker.WithEnableExponentialBackoff(true), breaker.WithEnableRandomizedWait(true),
		} {
			_, err := breaker.New("testName", wait, flag)
			require.ErrorContains(t, err, "waitIntervalFunctionInOpenState is set together with")
		}
		b = newBreaker(t, breaker.WithEnableExponentialBackoff(true), breaker.WithEnableRandomizedWait(true),
			breaker.WithExponentialBackoffMultiplier(10), breaker.WithWaitDurationInOpenState(time.Second))
		transition(t, b, breaker.Open, breaker.Open)
		require.InDelta(t, 10, b.Metrics().OpenFor.Seconds(), 5)
	})
	inBubble(t, "end of OPEN", func(t *testing.T) {
		b := fixture(t)
		transition(t, b, breaker.Open)
		time.Sleep(5*time.Second - 1)
		requireRefused(t, b)
		time.Sleep(time.Nanosecond)
		begin(t, b)
	})
	inBubble(t, "half-open size", func(t *testing.T) {
		b := halfOpen(t, breaker.WithMinimumNumberOfCalls(1))
		calls(t, b, "EEE")
		requireState(t, breaker.HalfOpen, b)
		require.Equal(t, -1.0, b.Metrics().FailureRate())
		calls(t, b, "E")
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "hung probe", func(t *testing.T) {
		b := halfOpen(t, breaker.WithPermittedNumberOfCallsInHalfOpenState(1))
		hung := begin(t, b)
		time.Sleep(5*time.Second - 1)
		requireRefused(t, b)
		time.Sleep(time.Nanosecond)
		probe := begin(t, b)
		hung.End(background, errFailed)
		requireState(t, breaker.HalfOpen, b)
		requireRefused(t, b)
		probe.End(background, nil)
		requireState(t, breaker.Closed, b)
		require.EqualValues(t, 1, b.Metrics().Lifetime.Late)
	})
	inBubble(t, "half-open wait", func(t *testing.T) {
		b := halfOpen(t, breaker.WithMaxWaitDurationInHalfOpenState(time.Microsecond))
		time.Sleep(time.Microsecond)
		settle(t)
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "stale result", func(t *testing.T) {
		b := fixture(t, breaker.WithPermittedNumberOfCallsInHalfOpenState(1))
		stale := begin(t, b)
		transition(t, b, breaker.Open, breaker.HalfOpen)
		j := listen(b)
		stale.End(background, errFailed)
		requireState(t, breaker.HalfOpen, b)
		requireCounts(t, b, 0, 0, 0, 0)
		require.Equal(t, breaker.Lifetime{Failed: 1, Late: 1}, b.Metrics().Lifetime)
		require.Equal(t, []policy.EventType{policy.Error}, j.types())
	})
	inBubble(t, "OPEN's metrics", func(t *testing.T) {
		b := counting(t, 2)
		late := begin(t, b)
		calls(t, b, "EE")
		requireState(t, breaker.Open, b)
		late.End(background, nil)
		require.Equal(t, 100.0, b.Metrics().FailureRate())
		require.EqualValues(t, 1, b.Metrics().Lifetime.Successful)
	})
	inBubble(t, "stale permit", func(t *testing.T) {
		b := fixture(t, breaker.WithPermittedNumberOfCallsInHalfOpenState(2))
		var stale [3]breaker.Call
		for i := range stale {
			stale[i] = begin(t, b)
		}
		transition(t, b, breaker.Open, breaker.HalfOpen)
		begin(t, b)
		begin(t, b)
		for i := range stale {
			stale[i].End(background, errNotFound)
		}
		requireRefused(t, b)
	})
	inBubble(t, "panic", func(t *testing.T) {
		b := halfOpen(t, breaker.WithPermittedNumberOfCallsInHalfOpenState(1))
		require.PanicsWithValue(t, "boom", func() {
			_ = breaker.Run(background, b, func(context.Context) error { panic("boom") })
		})
		requireState(t, breaker.Open, b)
		require.Equal(t, 100.0, b.Metrics().FailureRate())
	})
	inBubble(t, "panicking rule", func(t *testing.T) {
		panics := func(error) bool { panic("rule") }
		for _, rule := range []breaker.Option{
			breaker.WithIgnoreErrors(panics), breaker.WithRecordErrors(panics),
			breaker.WithRecordResult(func(any) bool { panic("rule") }),
		} {
			b := halfOpen(t, rule, breaker.WithPermittedNumberOfCallsInHalfOpenState(2))
			for _, err := range []error{errFailed, nil, errFailed, nil} {
				func() {
					defer func() { _ = recover() }()
					_, _ = breaker.Do(background, b, func(context.Context) (int, error) { return 0, err })
				}()
			}
			requireState(t, breaker.Open, b)
			require.NotZero(t, b.Metrics().Failed)
		}
	})
	inBubble(t, "cancelled call", func(t *testing.T) {
		b := counting(t, 1)
		cancelled, cancel := context.WithCancel(background)
		cancel()
		for _, err := range []error{context.Canceled, errFailed} {
			c := begin(t, b)
			c.End(cancelled, err)
		}
		requireCounts(t, b, 0, 0, 0, 0)
		require.EqualValues(t, 2, b.Metrics().Lifetime.Cancelled)
	})
	inBubble(t, "inner refusal", func(t *testing.T) {
		inner := newBreaker(t, breaker.WithInitialState(breaker.ForcedOpen))
		refused := func(ctx context.Context) error {
			return breaker.Run(ctx, inner, func(context.Context) error { return nil })
		}
		b := counting(t, 1)
		_, err := breaker.Do(background, b, func(ctx context.Context) (int, error) { return 0, refused(ctx) })
		require.IsType(t, (*breaker.OpenError)(nil), err)
		err = breaker.Run(background, b, refused)
		require.IsType(t, (*breaker.OpenError)(nil), err)
		requireState(t, breaker.Closed, b)
		require.EqualValues(t, 2, b.Metrics().Lifetime.Refused)

		b = counting(t, 1, breaker.WithRecordErrors(func(err error) bool { return errors.Is(err, breaker.ErrOpen) }))
		require.ErrorIs(t, breaker.Run(background, b, refused), breaker.ErrOpen)
		requireState(t, breaker.Open, b)

		b = counting(t, 1)
		require.Error(t, breaker.Run(background, b, func(ctx context.Context) error {
			return errors.Join(refused(ctx))
		}))
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "on-result", func(t *testing.T) {
		b := newBreaker(t, breaker.WithRecordResult(func(any) bool { return true }),
			breaker.WithTransitionOnResult(func(any, error) breaker.Transition { return breaker.ToOpenFor(time.Minute) }))
		_, err := breaker.Do(background, b, func(context.Context) (*int, error) { return nil, nil })
		require.NoError(t, err)
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "plain open", func(t *testing.T) {
		b := fixture(t)
		c := begin(t, b)
		c.End(background, nil)
		c.Transition(breaker.ToOpen)
		requireState(t, breaker.Open, b)
		require.Equal(t, 5*time.Second, b.Metrics().OpenFor)
	})
	inBubble(t, "forced open", func(t *testing.T) {
		b := fixture(t)
		late := begin(t, b)
		transition(t, b, breaker.ForcedOpen)
		j := listen(b)
		requireRefused(t, b)
		late.End(background, nil)
		require.Equal(t, []policy.EventType{policy.NotPermitted, policy.Success}, j.types())
	})
	inBubble(t, "transition race", func(t *testing.T) {
		var b *breaker.Breaker
		inside := false
		b = fixture(t, breaker.WithWaitIntervalFunctionInOpenState(func(int) time.Duration {
			if !inside { // another one opens while this one asks how long to
				inside = true
				require.NoError(t, b.OpenFor(time.Hour))
			}
			return time.Second
		}))
		j := listen(b)
		transition(t, b, breaker.Open)
		require.Equal(t, []string{"CLOSED>OPEN"}, j.transitions())
		require.Equal(t, time.Hour, b.Metrics().OpenFor)
	})
	inBubble(t, "time window", func(t *testing.T) {
		time.Sleep(700 * time.Millisecond)
		b := seconds(t, 1)
		calls(t, b, "E")
		time.Sleep(999 * time.Millisecond) // a wall clock second has passed by, ours has not
		requireCounts(t, b, 1, 1, 0, 0)
		time.Sleep(time.Millisecond)
		requireCounts(t, b, 0, 0, 0, 0)
	})
	inBubble(t, "durations", func(t *testing.T) {
		b := seconds(t, 1)
		j := listen(b)
		call(t, b, 250*time.Millisecond, nil)
		require.Equal(t, 250*time.Millisecond, j.events[0].Duration)
	})
	inBubble(t, "counters", func(t *testing.T) {
		b := fixture(t)
		calls(t, b, "SSEI")
		transition(t, b, breaker.Open)
		requireRefused(t, b)
		b.Reset()
		requireCounts(t, b, 0, 0, 0, 0)
		require.Equal(t, breaker.Lifetime{Successful: 2, Failed: 1, Ignored: 1, NotPermitted: 1}, b.Metrics().Lifetime)
	})
	inBubble(t, "precedence flag", func(t *testing.T) {
		all := func(error) bool { return true }
		b := newBreaker(t, breaker.WithRecordErrors(all), breaker.WithIgnoreErrors(all))
		calls(t, b, "E")
		requireCounts(t, b, 0, 0, 0, 0)
	})
	inBubble(t, "texts", func(t *testing.T) {
		b := fixture(t)
		transition(t, b, breaker.Open)
		require.EqualError(t, requireRefused(t, b), `circuitbreaker "testName" is OPEN and does not permit further calls`)
	})
}
