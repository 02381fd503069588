package breaker_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

// TestConformanceOfWindowsAndSettings goes on with TestConformance.
func TestConformanceOfWindowsAndSettings(t *testing.T) {
	inBubble(t, "25 rates mean nothing below the minimum", func(t *testing.T) {
		b := counting(t, 10, breaker.WithInitialState(breaker.MetricsOnly))
		j := listen(b)
		calls(t, b, "SSEE")
		requireCounts(t, b, 4, 2, 0, 0)
		require.Equal(t, -1.0, b.Metrics().FailureRate())
		require.Zero(t, j.count(policy.FailureRateExceeded))
		calls(t, b, "EEEESSSS")
		requireCounts(t, b, 10, 6, 0, 0)
		require.Equal(t, 60.0, b.Metrics().FailureRate())
		require.Equal(t, 1, j.count(policy.FailureRateExceeded))
		calls(t, b, "SSS")
		require.Equal(t, 30.0, b.Metrics().FailureRate())
	})
	inBubble(t, "26 the oldest outcome leaves a full window", func(t *testing.T) {
		b := counting(t, 4, breaker.WithInitialState(breaker.MetricsOnly), breaker.WithMinimumNumberOfCalls(1))
		for i, rate := range []float64{100, 50, 100.0 / 3, 25, 0} {
			calls(t, b, "ESSSS"[i:i+1])
			require.Equal(t, rate, b.Metrics().FailureRate())
		}
	})
	inBubble(t, "27 failed and slow outcomes leave together", func(t *testing.T) {
		b := counting(t, 2, breaker.WithInitialState(breaker.MetricsOnly), breaker.WithSlowCallDurationThreshold(time.Second))
		for i, err := range []error{errFailed, nil, nil, nil} {
			call(t, b, []time.Duration{2, 2, 1, 1}[i]*time.Second, err)
			m := b.Metrics()
			require.Equal(t, [][]int{{1, 1}, {2, 1}, {1, 0}, {0, 0}}[i], []int{m.Slow, m.Failed})
		}
	})
	inBubble(t, "28 the slow call rate counts successes and failures", func(t *testing.T) {
		b := counting(t, 5, breaker.WithInitialState(breaker.MetricsOnly), breaker.WithSlowCallDurationThreshold(time.Second))
		call(t, b, 10*time.Second, nil)
		call(t, b, 10*time.Second, errFailed)
		for range 3 {
			call(t, b, 100*time.Millisecond, nil)
		}
		require.Equal(t, 40.0, b.Metrics().SlowCallRate())
		require.Equal(t, 1, b.Metrics().SlowFailed)
	})
	inBubble(t, "29 a second leaves the window as a whole", func(t *testing.T) {
		b := seconds(t, 5)
		slow := begin(t, b)
		calls(t, b, "E")
		time.Sleep(100 * time.Millisecond)
		calls(t, b, "S")
		time.Sleep(700 * time.Millisecond)
		slow.End(background, errFailed)
		requireCounts(t, b, 3, 2, 1, 0)
		time.Sleep(4 * time.Second)
		requireCounts(t, b, 3, 2, 1, 0)
		time.Sleep(time.Second)
		requireCounts(t, b, 0, 0, 0, 0)
	})
	inBubble(t, "30 the window slides by the second", func(t *testing.T) {
		b := seconds(t, 5)
		calls(t, b, "ESS")
		for _, o := range []string{"S", "S", "E", "S"} {
			time.Sleep(time.Second)
			calls(t, b, o)
		}
		requireCounts(t, b, 7, 2, 0, 0)
		for _, want := range []struct {
			after         time.Duration
			total, failed int
		}{{1, 5, 1}, {1, 5, 1}, {5, 1, 0}} {
			time.Sleep(want.after * time.Second)
			calls(t, b, "S")
			requireCounts(t, b, want.total, want.failed, 0, 0)
		}
	})
	inBubble(t, "31 an error that is not recorded is a success", func(t *testing.T) {
		b := newBreaker(t, breaker.WithRecordErrors(func(err error) bool { return errors.Is(err, io.EOF) }))
		call(t, b, 0, io.EOF)
		call(t, b, 0, errFailed)
		requireCounts(t, b, 2, 1, 0, 0)
	})
	inBubble(t, "32 a predicate records by the text", func(t *testing.T) {
		b := newBreaker(t, breaker.WithRecordErrors(func(err error) bool { return err.Error() == "record" }))
		call(t, b, 0, errors.New("record"))
		call(t, b, 0, errors.New("bla"))
		requireCounts(t, b, 2, 1, 0, 0)
	})
	inBubble(t, "33 an ignored error counts nowhere", func(t *testing.T) {
		b := newBreaker(t, breaker.WithIgnoreErrors(isNotFound))
		calls(t, b, "EI")
		requireCounts(t, b, 1, 1, 0, 0)
		require.EqualValues(t, 1, b.Metrics().Lifetime.Ignored)
	})
	inBubble(t, "34 a result may be a failure", func(t *testing.T) {
		b := newBreaker(t, breaker.WithRecordResult(func(result any) bool { return result == "failure" }))
		for _, want := range []string{"failure", "fine"} {
			got, err := breaker.Do(background, b, func(context.Context) (string, error) { return want, nil })
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		requireCounts(t, b, 2, 1, 0, 0)
	})
	inBubble(t, "35 ignoring goes before recording", func(t *testing.T) {
		b := newBreaker(t, breaker.WithRecordErrors(func(error) bool { return true }), breaker.WithIgnoreErrors(isNotFound))
		calls(t, b, "EI")
		requireCounts(t, b, 1, 1, 0, 0)
	})
	inBubble(t, "36 ranges", func(t *testing.T) {
		count := breaker.DefaultConfig()
		count.SlidingWindowSize, count.MinimumNumberOfCalls = 5, 100
		require.NoError(t, count.Validate())
		b := newBreaker(t, func(c *breaker.Config) { *c = count })
		calls(t, b, "EEEEE")
		requireState(t, breaker.Open, b)

		b = newBreaker(t, breaker.WithSlidingWindowType(breaker.TimeBased), breaker.WithSlidingWindowSize(10))
		calls(t, b, "EEEEEEEEEE")
		requireState(t, breaker.Closed, b)

		for _, right := range []breaker.Option{
			breaker.WithFailureRateThreshold(0.001), breaker.WithMaxWaitDurationInHalfOpenState(0),
		} {
			newBreaker(t, right)
		}
		for _, wrong := range []breaker.Option{
			breaker.WithFailureRateThreshold(0), breaker.WithFailureRateThreshold(101),
			breaker.WithWaitDurationInOpenState(0), breaker.WithMaxWaitDurationInHalfOpenState(-1),
			breaker.WithTransitionToStateAfterWaitDuration(breaker.HalfOpen),
		} {
			_, err := breaker.New("testName", wrong)
			require.Error(t, err)
		}
	})
	inBubble(t, "37 a timer may end open", func(t *testing.T) {
		b := fixture(t, breaker.WithWaitDurationInOpenState(2*time.Second),
			breaker.WithAutomaticTransitionFromOpenToHalfOpenEnabled(true))
		j := listen(b)
		transition(t, b, breaker.Open)
		time.Sleep(2*time.Second - 1)
		settle(t)
		requireState(t, breaker.Open, b)
		time.Sleep(time.Nanosecond)
		settle(t)
		requireState(t, breaker.HalfOpen, b)
		require.Equal(t, []string{"CLOSED>OPEN", "OPEN>HALF_OPEN"}, j.transitions())

		transition(t, b, breaker.Open, breaker.ForcedOpen)
		time.Sleep(time.Hour)
		settle(t)
		requireState(t, breaker.ForcedOpen, b)
	})
	inBubble(t, "38 a derived configuration overrides what it sets", func(t *testing.T) {
		interval := func(wait time.Duration) func(int) time.Duration {
			return func(int) time.Duration { return wait }
		}
		base := fixture(t, breaker.WithWaitIntervalFunctionInOpenState(interval(1234*time.Millisecond))).Config()
		derived := newBreaker(t, func(c *breaker.Config) { *c = base },
			breaker.WithWaitIntervalFunctionInOpenState(interval(23434*time.Millisecond))).Config()
		require.Equal(t, 1234*time.Millisecond, base.WaitIntervalFunctionInOpenState(1))
		require.Equal(t, 23434*time.Millisecond, derived.WaitIntervalFunctionInOpenState(1))
		require.Equal(t, base.SlidingWindowSize, derived.SlidingWindowSize)
	})
	inBubble(t, "39 a result may open at once", func(t *testing.T) {
		banned := errors.New("banned")
		b := newBreaker(t, breaker.WithTransitionOnResult(func(_ any, err error) breaker.Transition {
			if errors.Is(err, banned) {
				return breaker.ToOpenFor(2 * time.Hour)
			}
			return breaker.Stay
		}))
		require.ErrorIs(t, breaker.Run(background, b, func(context.Context) error { return errFailed }), errFailed)
		requireState(t, breaker.Closed, b)
		require.ErrorIs(t, breaker.Run(background, b, func(context.Context) error { return banned }), banned)
		requireState(t, breaker.Open, b)
		require.Equal(t, 2*time.Hour, b.Metrics().OpenFor)
	})
	inBubble(t, "40 disabled is silent and ignored errors are published", func(t *testing.T) {
		b := fixture(t)
		j := listen(b)
		calls(t, b, "I")
		require.Equal(t, []policy.EventType{policy.IgnoredError}, j.types())
		transition(t, b, breaker.Disabled)
		calls(t, b, "SEI")
		require.Equal(t, []policy.EventType{policy.IgnoredError, policy.StateTransition}, j.types())
	})
}
