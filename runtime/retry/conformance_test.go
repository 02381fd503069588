package retry_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

// The facts are those of Resilience4j's own tests: IntervalFunctionTest (62, 63), SupplierRetryTest,
// CompletionStageRetryTest, EventPublisherTest and RetryConfigBuilderTest (64 to 73).

const ms = time.Millisecond

// pauses returns the waits of the RETRY events of a call that always fails.
func pauses(t *testing.T, r *retry.Retry) []time.Duration {
	events := record(r)
	err := retry.Run(t.Context(), r, failing(errBoom).run)
	require.Equal(t, errBoom, err)
	var waits []time.Duration
	for _, e := range *events {
		if e.Type == policy.RetryScheduled {
			waits = append(waits, e.Wait)
		}
	}
	return waits
}

func TestFact62ValuesOutOfRangeAreNamed(t *testing.T) {
	t.Parallel()
	interval := retry.WithIntervalFunction(func(int) time.Duration { return 0 })
	biInterval := retry.WithIntervalBiFunction(func(int, any, error) time.Duration { return 0 })
	growing, random := retry.WithEnableExponentialBackoff(true), retry.WithEnableRandomizedWait(true)
	multiplier, factor := retry.WithExponentialBackoffMultiplier, retry.WithRandomizedWaitFactor
	tests := map[string]retry.Option{
		"maxAttempts is 0; it must be at least 1, which is the first call": retry.WithMaxAttempts(0),

		"waitDuration is -1ns; it must not be negative":                                retry.WithWaitDuration(-1),
		"maxDuration is -1ns; it must not be negative, and 0 means none":               retry.WithMaxDuration(-1),
		"exponentialMaxWaitDuration is -1s; it must not be negative, and 0 means none": retry.WithExponentialMaxWaitDuration(-time.Second),

		"exponentialBackoffMultiplier is 0.5; it must be at least 1":  multiplier(0.5),
		"exponentialBackoffMultiplier is NaN; it must be at least 1":  multiplier(math.NaN()),
		"exponentialBackoffMultiplier is +Inf; it must be at least 1": multiplier(math.Inf(1)),
		"randomizedWaitFactor is -0.0001; it must be from 0 to 1":     factor(-0.0001),
		"randomizedWaitFactor is 1.0001; it must be from 0 to 1":      factor(1.0001),
		"randomizedWaitFactor is NaN; it must be from 0 to 1":         factor(math.NaN()),

		"intervalFunction is set beside intervalBiFunction; one of them must be left out":         both(interval, biInterval),
		"enableExponentialBackoff is set beside intervalFunction; one of them must be left out":   both(interval, growing),
		"enableExponentialBackoff is set beside intervalBiFunction; one of them must be left out": both(biInterval, growing),
		"enableRandomizedWait is set beside intervalFunction; one of them must be left out":       both(interval, random),
	}
	for want, option := range tests {
		_, err := retry.New("test", option)
		require.EqualError(t, err, `retry "test": `+want)
		config := retry.DefaultConfig()
		option(&config)
		require.EqualError(t, config.Validate(), want)
	}
	for _, option := range []retry.Option{
		retry.WithMaxAttempts(1), retry.WithWaitDuration(0), factor(0), factor(1), multiplier(1), interval, biInterval,
		both(growing, random),
	} {
		_, err := retry.New("test", option)
		require.NoError(t, err)
	}
}

func both(options ...retry.Option) retry.Option {
	return func(c *retry.Config) {
		for _, option := range options {
			option(c)
		}
	}
}

func TestEveryWrongFieldIsReportedInOneGo(t *testing.T) {
	t.Parallel()
	_, err := retry.New("test", retry.WithMaxAttempts(-1), retry.WithWaitDuration(-1))
	require.EqualError(t, err, "retry \"test\": maxAttempts is -1; it must be at least 1, which is the first call\n"+
		"waitDuration is -1ns; it must not be negative")
	_, err = retry.New("")
	require.EqualError(t, err, "retry: the name is empty; an instance needs one")
}

func TestDefaultsAreThoseOfResilience4j(t *testing.T) {
	t.Parallel()
	config := newRetry(t).Config()
	require.Equal(t, retry.DefaultConfig(), config)
	require.Equal(t, 3, config.MaxAttempts)
	require.Equal(t, 500*ms, config.WaitDuration)
	require.False(t, config.FailAfterMaxAttempts)
	require.True(t, config.Enabled)
}

func TestFact63RandomisedWaitsStayInTheirNeighbourhood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithMaxAttempts(51), retry.WithWaitDuration(100*ms), retry.WithEnableRandomizedWait(true))
		waits := pauses(t, r)
		require.Len(t, waits, 50)
		for _, wait := range waits {
			require.GreaterOrEqual(t, wait, 50*ms)
			require.LessOrEqual(t, wait, 150*ms)
		}
	})
}

func TestFact63GrowingWaitsStopAtTheirLongest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithMaxAttempts(14), retry.WithWaitDuration(100*ms), retry.WithEnableExponentialBackoff(true),
			retry.WithExponentialBackoffMultiplier(2), retry.WithExponentialMaxWaitDuration(100*time.Second))
		waits := pauses(t, r)
		require.Equal(t, 51200*ms, waits[9])
		require.Equal(t, []time.Duration{100 * time.Second, 100 * time.Second}, waits[11:13])
	})
}

func TestFact64FirstSuccessWaitsForNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t)
		events := record(r)
		start := time.Now()
		ok := failing(nil)
		_, err := retry.Do(t.Context(), r, ok.do)
		require.NoError(t, err)
		require.Equal(t, 1, ok.calls)
		require.Zero(t, elapsed(start))
		require.Empty(t, *events)
		require.Equal(t, retry.Metrics{SuccessfulCallsWithoutRetry: 1, Attempts: 1}, r.Metrics())
	})
}

func TestFact64SecondAttemptSucceeds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t)
		for range 2 {
			start := time.Now()
			second := failing(errBoom, nil)
			n, err := retry.Do(t.Context(), r, second.do)
			require.NoError(t, err)
			require.Equal(t, 2, n)
			require.Equal(t, 500*ms, elapsed(start))
		}
		require.Equal(t, retry.Metrics{SuccessfulCallsWithRetry: 2, Attempts: 4, Retries: 2}, r.Metrics())
	})
}

func TestFact65LastErrorItselfIsReturned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t)
		start := time.Now()
		always := failing(errOther, errOther, errBoom)
		n, err := retry.Do(t.Context(), r, always.do)
		require.True(t, err == errBoom, "the very value, not a wrapper: %v", err)
		require.Equal(t, 3, n, "the result comes with it")
		require.Equal(t, 3, always.calls)
		require.Equal(t, 1000*ms, elapsed(start))
		require.Equal(t, retry.Metrics{FailedCallsWithRetry: 1, Attempts: 3, Retries: 2}, r.Metrics())
	})
}

func TestFact65OneAttemptIsNoRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithMaxAttempts(1))
		start := time.Now()
		once := failing(errBoom)
		require.True(t, retry.Run(t.Context(), r, once.run) == errBoom)
		require.Equal(t, 1, once.calls)
		require.Zero(t, elapsed(start))
		require.Equal(t, retry.Metrics{FailedCallsWithRetry: 1, Attempts: 1}, r.Metrics())
	})
}

func TestFact65ErrorThatTheRuleExcludesIsNotRetried(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithRetryErrors(is(errOther)))
	once := failing(errBoom)
	require.True(t, retry.Run(t.Context(), r, once.run) == errBoom)
	require.Equal(t, 1, once.calls)
	require.Equal(t, retry.Metrics{FailedCallsWithoutRetry: 1, Attempts: 1}, r.Metrics())
}

func TestFact66WaitsGrow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithEnableExponentialBackoff(true), retry.WithExponentialBackoffMultiplier(2))
		require.Equal(t, []time.Duration{500 * ms, 1000 * ms}, pauses(t, r))
	})
}

func TestFact67LastBadResultIsReturned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithMaxAttempts(2), retry.WithRetryResult(bad))
		events := record(r)
		calls := &results{}
		n, err := retry.Do(t.Context(), r, calls.do)
		require.NoError(t, err)
		require.Equal(t, 2, n)
		require.Equal(t, []policy.EventType{policy.RetryScheduled, policy.Error}, types(*events))
		require.ErrorIs(t, (*events)[1].Err, retry.ErrExhausted)
		require.Equal(t, retry.Metrics{FailedCallsWithRetry: 1, Attempts: 2, Retries: 1}, r.Metrics())
	})
}

func TestFact67BadResultFailsWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithFailAfterMaxAttempts(true), retry.WithRetryResult(bad))
		n, err := retry.Do(t.Context(), r, (&results{}).do)
		require.EqualError(t, err, `retry "test" has exhausted all attempts (3)`)
		require.ErrorIs(t, err, retry.ErrExhausted)
		var exhausted *retry.ExhaustedError
		require.ErrorAs(t, err, &exhausted)
		require.Equal(t, "test", exhausted.Name())
		require.Equal(t, 3, exhausted.Attempts())
		require.Equal(t, 3, n)

		require.True(t, retry.Run(t.Context(), r, failing(errBoom).run) == errBoom, "an error stays what it is")
	})
}

func TestFact68IntervalByResultAndConsumedResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type seen struct{ attempt, result int }
		var consumed, asked []seen
		r := newRetry(t, retry.WithRetryResult(bad),
			retry.WithIntervalBiFunction(func(attempt int, result any, err error) time.Duration {
				require.NoError(t, err)
				asked = append(asked, seen{attempt, result.(int)})
				return time.Duration(result.(int)) * 100 * ms
			}),
			retry.WithConsumeResultBeforeRetryAttempt(func(attempt int, result any) {
				consumed = append(consumed, seen{attempt, result.(int)})
			}))
		start := time.Now()
		n, err := retry.Do(t.Context(), r, (&results{}).do)
		require.NoError(t, err)
		require.Equal(t, 3, n)
		require.Equal(t, 300*ms, elapsed(start))
		require.Equal(t, []seen{{1, 1}, {2, 2}}, asked)
		require.Equal(t, []seen{{1, 1}, {2, 2}}, consumed, "not the last one, which goes to the caller")
	})
}

func TestFact69CancelledWaitKeepsTheErrorAndTheCause(t *testing.T) {
	t.Parallel()
	errLeft := errors.New("client left")
	for name, test := range map[string]struct {
		call func(context.Context, *retry.Retry) error
		last error
	}{
		"error": {func(ctx context.Context, r *retry.Retry) error {
			return retry.Run(ctx, r, failing(errBoom).run)
		}, errBoom},
		"result": {func(ctx context.Context, r *retry.Retry) error {
			_, err := retry.Do(ctx, r, (&results{}).do)
			return err
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRetry(t, retry.WithRetryResult(bad))
				events := record(r)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(100*ms, func() { cancel(errLeft) })
				start := time.Now()
				err := test.call(ctx, r)
				require.Equal(t, 100*ms, elapsed(start))
				require.ErrorIs(t, err, errLeft)
				require.ErrorIs(t, err, context.Canceled)
				if test.last != nil {
					require.ErrorIs(t, err, test.last)
					require.EqualError(t, err, `retry "test" was interrupted after attempt 1: context canceled: client left; its error: boom`)
				} else {
					require.EqualError(t, err, `retry "test" was interrupted after attempt 1: context canceled: client left`)
				}
				var interrupted *retry.InterruptedError
				require.ErrorAs(t, err, &interrupted)
				require.Equal(t, "test", interrupted.Name())
				require.Equal(t, 1, interrupted.Attempts())
				require.Equal(t, []policy.EventType{policy.RetryScheduled, policy.IgnoredError}, types(*events))
				require.Equal(t, retry.Metrics{CancelledCalls: 1, Attempts: 1}, r.Metrics())
			})
		})
	}
}

func TestFact70EventsOfACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		event := func(kind policy.EventType, attempt int, wait, duration time.Duration, err error) policy.Event {
			return policy.Event{Kind: policy.Retry, Name: "test", Type: kind, Attempt: attempt, Wait: wait, Duration: duration, Err: err}
		}
		r := newRetry(t, retry.WithIgnoreErrors(is(errOther)))
		events := record(r)
		_ = retry.Run(t.Context(), r, failing(errBoom).run)
		require.Equal(t, []policy.Event{
			event(policy.RetryScheduled, 1, 500*ms, 0, errBoom),
			event(policy.RetryScheduled, 2, 500*ms, 500*ms, errBoom),
			event(policy.Error, 3, 0, 1000*ms, errBoom),
		}, *events)

		*events = nil
		require.NoError(t, retry.Run(t.Context(), r, failing(errBoom, nil).run))
		require.Equal(t, []policy.Event{
			event(policy.RetryScheduled, 1, 500*ms, 0, errBoom),
			event(policy.Success, 2, 0, 500*ms, nil),
		}, *events)

		*events = nil
		_ = retry.Run(t.Context(), r, failing(errOther).run)
		require.Equal(t, []policy.Event{event(policy.IgnoredError, 1, 0, 0, errOther)}, *events)
	})
}

func TestFact71NegativeIntervalStopsAndIsCountedOnce(t *testing.T) {
	t.Parallel()
	interval := func(second time.Duration) retry.Option {
		return retry.WithIntervalFunction(func(attempt int) time.Duration {
			if attempt == 1 {
				return 0
			}
			return second
		})
	}
	for name, run := range map[string]func(*testing.T, *retry.Retry) int{
		"error": func(t *testing.T, r *retry.Retry) int {
			always := failing(errBoom)
			require.True(t, retry.Run(t.Context(), r, always.run) == errBoom)
			return always.calls
		},
		"result": func(t *testing.T, r *retry.Retry) int {
			n, err := retry.Do(t.Context(), r, (&results{}).do)
			require.NoError(t, err)
			return n
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRetry(t, interval(-1), retry.WithRetryResult(bad))
				events := record(r)
				require.Equal(t, 2, run(t, r))
				require.Equal(t, []policy.EventType{policy.RetryScheduled, policy.Error}, types(*events))
				require.Equal(t, retry.Metrics{FailedCallsWithRetry: 1, Attempts: 2, Retries: 1}, r.Metrics())

				r = newRetry(t, interval(1), retry.WithRetryResult(bad))
				events = record(r)
				require.Equal(t, 3, run(t, r))
				require.Equal(t, []policy.EventType{policy.RetryScheduled, policy.RetryScheduled, policy.Error}, types(*events))
			})
		})
	}
}

func TestFact72PanicOfAPredicateReachesTheCallerAfterOneCall(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithRetryErrors(func(error) bool { panic("predicate is broken") }))
	once := failing(errBoom)
	require.PanicsWithValue(t, "predicate is broken", func() { _ = retry.Run(t.Context(), r, once.run) })
	require.Equal(t, 1, once.calls)
}

func TestFact73IgnoreBeatsRetry(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithRetryErrors(every), retry.WithIgnoreErrors(is(errBoom)))
	once := failing(errBoom)
	require.True(t, retry.Run(t.Context(), r, once.run) == errBoom)
	require.Equal(t, 1, once.calls)
	require.Equal(t, retry.Metrics{FailedCallsWithoutRetry: 1, Attempts: 1}, r.Metrics())
}

func TestFact82LongestWaitHoldsForTheFirstOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithWaitDuration(100*ms), retry.WithEnableExponentialBackoff(true),
			retry.WithExponentialBackoffMultiplier(1), retry.WithExponentialMaxWaitDuration(99*ms))
		require.Equal(t, []time.Duration{99 * ms, 99 * ms}, pauses(t, r))
	})
}

func TestFact83GrowingWaitsWithALongest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithMaxAttempts(4), retry.WithWaitDuration(100*ms), retry.WithEnableExponentialBackoff(true),
			retry.WithExponentialBackoffMultiplier(2), retry.WithExponentialMaxWaitDuration(222*ms))
		require.Equal(t, []time.Duration{100 * ms, 200 * ms, 222 * ms}, pauses(t, r))
	})
}

func TestLongestWaitIsNotReadWithoutGrowth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithMaxAttempts(2), retry.WithExponentialMaxWaitDuration(ms))
		require.Equal(t, []time.Duration{500 * ms}, pauses(t, r))
	})
}

func TestGrowthWithoutAWaitStartsFromTheDefault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithMaxAttempts(5), retry.WithEnableExponentialBackoff(true))
		require.Equal(t, []time.Duration{500 * ms, 750 * ms, 1125 * ms, 1687500 * time.Microsecond}, pauses(t, r))
	})
}

func TestIgnoredErrorAfterARetryFailedWithRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithIgnoreErrors(is(errOther)))
		require.True(t, retry.Run(t.Context(), r, failing(errBoom, errOther).run) == errOther)
		require.Equal(t, retry.Metrics{FailedCallsWithRetry: 1, Attempts: 2, Retries: 1}, r.Metrics())
	})
}

func TestResultPredicateIsNotAskedAboutCallsWithoutAResult(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithRetryResult(func(result any) bool { return result == nil }))
	once := failing(nil)
	require.NoError(t, retry.Run(t.Context(), r, once.run))
	require.Equal(t, 1, once.calls)
}
