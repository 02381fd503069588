package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

func TestWaitThatWouldPassTheDeadlineIsNotBegun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		deadline time.Duration
		calls    int
	}{
		{500 * ms, 1}, // the second attempt would begin at the deadline
		{501 * ms, 2},
		{1000 * ms, 2},
		{1001 * ms, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRetry(t)
			events := record(r)
			ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
			defer cancel()
			start := time.Now()
			always := failing(errBoom)
			require.True(t, retry.Run(ctx, r, always.run) == errBoom)
			require.Equal(t, test.calls, always.calls, "deadline %v", test.deadline)
			require.Equal(t, time.Duration(test.calls-1)*500*ms, elapsed(start), "nothing is waited for in vain")
			require.Equal(t, policy.Error, (*events)[len(*events)-1].Type)
			require.Equal(t, uint64(1), r.Metrics().FailedCallsWithRetry)
		})
	}
}

func TestMaxDurationCountsFromTheFirstAttempt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit time.Duration
		calls int
	}{
		{599 * ms, 1},
		{600 * ms, 2}, // the second attempt begins exactly then
		{1199 * ms, 2},
		{1200 * ms, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRetry(t, retry.WithMaxDuration(test.limit), retry.WithMaxAttempts(10))
			calls := 0
			err := retry.Run(t.Context(), r, func(context.Context) error {
				if calls++; calls == 4 {
					return nil
				}
				time.Sleep(100 * ms)
				return errBoom
			})
			require.True(t, err == errBoom)
			require.Equal(t, test.calls, calls, "limit %v", test.limit)
		})
	}
}

func TestMaxDurationSurvivesAnAbsurdInterval(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithMaxDuration(time.Minute),
		retry.WithIntervalFunction(func(int) time.Duration { return 1<<63 - 1 }))
	once := failing(errBoom)
	require.True(t, retry.Run(t.Context(), r, once.run) == errBoom)
	require.Equal(t, 1, once.calls)
}

func TestErrorMayAskForALongerWait(t *testing.T) {
	t.Parallel()
	capped := []retry.Option{retry.WithEnableExponentialBackoff(true), retry.WithExponentialMaxWaitDuration(ms)}
	noWait := []retry.Option{retry.WithIntervalFunction(func(int) time.Duration { return 0 })}
	for name, test := range map[string]struct {
		err     error
		options []retry.Option
		want    time.Duration
	}{
		"the plain form":          {throttled{2 * time.Second}, nil, 2 * time.Second},
		"the form of refusals":    {fmt.Errorf("client: %w", refusal{3 * time.Second}), nil, 3 * time.Second},
		"wrapped and joined":      {errors.Join(errBoom, fmt.Errorf("a: %w", throttled{2 * time.Second})), nil, 2 * time.Second},
		"shorter than the wait":   {throttled{ms}, nil, 500 * ms},
		"unknown":                 {fmt.Errorf("client: %w", refusal{}), nil, 500 * ms},
		"unknown, then known":     {errors.Join(refusal{}, throttled{2 * time.Second}), nil, 2 * time.Second},
		"negative":                {throttled{-time.Second}, nil, 500 * ms},
		"beyond the longest wait": {throttled{2 * time.Second}, capped, 2 * time.Second},
		"longer than an interval": {throttled{2 * time.Second}, noWait, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRetry(t, append(test.options, retry.WithMaxAttempts(2))...)
				start := time.Now()
				_ = retry.Run(t.Context(), r, failing(test.err).run)
				require.Equal(t, test.want, elapsed(start))
			})
		})
	}
}

func TestIntervalThatSaysStopBeatsWhatTheErrorAsksFor(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithIntervalBiFunction(func(attempt int, result any, err error) time.Duration {
		require.Equal(t, 1, attempt)
		require.Nil(t, result, "there is none beside an error")
		require.Equal(t, throttled{time.Hour}, err)
		return -1
	}))
	require.Equal(t, throttled{time.Hour}, retry.Run(t.Context(), r, failing(throttled{time.Hour}).run))
}

func TestRefusalOfAnInnerPolicyIsRetriedOnlyIfListed(t *testing.T) {
	t.Parallel()
	listed := retry.WithRetryErrors(func(err error) bool { return err == error(refusal{}) })
	refused := retry.Metrics{RefusedCalls: 1, Attempts: 1}
	failed := retry.Metrics{FailedCallsWithRetry: 1, Attempts: 3, Retries: 2}
	forms := map[string]func(context.Context, *retry.Retry, *call) error{
		"Run": func(ctx context.Context, r *retry.Retry, c *call) error { return retry.Run(ctx, r, c.run) },
		"Do":  func(ctx context.Context, r *retry.Retry, c *call) error { _, err := retry.Do(ctx, r, c.do); return err },
	}
	for name, test := range map[string]struct {
		options []retry.Option
		err     error
		calls   int
		want    retry.Metrics
	}{
		"not listed":             {nil, refusal{}, 1, refused},
		"another one listed":     {[]retry.Option{retry.WithRetryErrors(is(errBoom))}, refusal{}, 1, refused},
		"listed":                 {[]retry.Option{listed}, refusal{}, 3, failed},
		"listed, but ignored":    {[]retry.Option{listed, retry.WithIgnoreErrors(every)}, refusal{}, 1, refused},
		"wrapped by the client":  {nil, fmt.Errorf("client: %w", refusal{}), 3, failed},
		"the client's own error": {nil, errBoom, 3, failed},
	} {
		for form, do := range forms {
			t.Run(name+", "+form, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := newRetry(t, test.options...)
					events := record(r)
					always := failing(test.err)
					require.Equal(t, test.err, do(t.Context(), r, always), "unmarked")
					require.Equal(t, test.calls, always.calls)
					require.Equal(t, test.want, r.Metrics())
					for _, e := range *events {
						require.Equal(t, test.err, e.Err, "unmarked")
					}
				})
			})
		}
	}
}

func every(error) bool { return true }

func TestMarkStaysOnTheErrorForTheLayersFurtherOut(t *testing.T) {
	t.Parallel()
	r := newRetry(t)
	attempts := r.Begin()
	err := policy.MarkInner(errBoom)
	require.False(t, attempts.Again(t.Context(), &err))
	require.True(t, policy.Marked(err))
}

func TestRefusalThatComesOutOfTheWrappedClientIsRetried(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithWaitDuration(0))
	attempts := r.Begin()
	err := error(refusal{}) // not marked: no layer of this chain made it
	require.True(t, attempts.Again(t.Context(), &err))
}

func TestNothingFollowsOnceTheCallerHasGone(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithRetryResult(bad))
	events := record(r)
	ctx, cancel := context.WithCancel(t.Context())
	err := retry.Run(ctx, r, func(context.Context) error { cancel(); return errBoom })
	require.True(t, err == errBoom, "nothing was waited for, so the error stays as it is")
	require.Equal(t, []policy.EventType{policy.IgnoredError}, types(*events))

	n, err := retry.Do(ctx, r, (&results{}).do)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, retry.Metrics{CancelledCalls: 2, Attempts: 2}, r.Metrics())
}

func TestExpiredContextIsAFailure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	r := newRetry(t, retry.WithIntervalFunction(func(int) time.Duration { return 0 }))
	once := failing(errBoom)
	require.True(t, retry.Run(ctx, r, once.run) == errBoom)
	require.Equal(t, 1, once.calls)
	require.Equal(t, retry.Metrics{FailedCallsWithRetry: 1, Attempts: 1}, r.Metrics())
	require.True(t, retry.Run(quietContext{ctx}, r, once.run) == errBoom)
	require.Equal(t, 2, once.calls, "also if the context does not tell its deadline")
}

func TestCancelledAtTheMomentTheWaitEndsMakesNoAttempt(t *testing.T) {
	t.Parallel()
	for range 20 { // both channels are ready; the choice between them must not matter
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(500*ms, cancel)
			always := failing(errBoom)
			err := retry.Run(ctx, newRetry(t), func(ctx context.Context) error {
				require.NoError(t, ctx.Err(), "nobody wants this attempt")
				return always.run(ctx)
			})
			if always.calls == 1 {
				require.ErrorIs(t, err, context.Canceled)
			}
			require.ErrorIs(t, err, errBoom)
		})
	}
}

// quietContext ends without telling beforehand when.
type quietContext struct{ context.Context }

func (quietContext) Deadline() (time.Time, bool) { return time.Time{}, false }

func TestContextThatExpiresDuringTheWaitIsAFailureWithBothErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*ms)
		defer cancel()
		r := newRetry(t)
		err := retry.Run(quietContext{ctx}, r, failing(errBoom).run)
		require.ErrorIs(t, err, errBoom)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, retry.Metrics{FailedCallsWithRetry: 1, Attempts: 1}, r.Metrics())
	})
}

func TestCloseWakesWhoWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t)
		time.AfterFunc(100*ms, func() { _ = r.Close() })
		start := time.Now()
		err := retry.Run(t.Context(), r, failing(errBoom).run)
		require.Equal(t, 100*ms, elapsed(start))
		require.ErrorIs(t, err, policy.ErrClosed)
		require.ErrorIs(t, err, errBoom)
		require.EqualError(t, err, `retry "test" was interrupted after attempt 1: resil: closed; its error: boom`)
		require.Equal(t, uint64(1), r.Metrics().FailedCallsWithRetry)
	})
}

func TestClosedRetryJudgesButNeverWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithRetryResult(bad), retry.WithIgnoreErrors(is(errOther)))
		require.NoError(t, r.Close())
		require.NoError(t, r.Close())
		events := record(r)
		start := time.Now()
		require.NoError(t, retry.Run(t.Context(), r, failing(nil).run))
		require.True(t, retry.Run(t.Context(), r, failing(errOther).run) == errOther)
		err := retry.Run(t.Context(), r, failing(errBoom).run)
		require.ErrorIs(t, err, policy.ErrClosed)
		require.ErrorIs(t, err, errBoom)
		_, err = retry.Do(t.Context(), r, (&results{}).do)
		require.ErrorIs(t, err, policy.ErrClosed)
		require.Equal(t, []policy.EventType{policy.IgnoredError, policy.Error, policy.Error}, types(*events), "no retry is announced")

		config := r.Config()
		config.WaitDuration = 0
		require.NoError(t, r.Reconfigure(config))
		always := failing(errBoom)
		require.True(t, retry.Run(t.Context(), r, always.run) == errBoom, "without a wait there is nothing to refuse")
		require.Equal(t, 3, always.calls)
		require.Zero(t, elapsed(start))
	})
}

func TestReconfiguringReachesTheNextCallOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t)
		config := r.Config()
		config.MaxAttempts, config.MaxDuration = 5, time.Hour
		running := failing(errBoom)
		_ = retry.Run(t.Context(), r, func(ctx context.Context) error {
			if running.calls == 0 {
				require.NoError(t, r.Reconfigure(config))
			}
			return running.run(ctx)
		})
		require.Equal(t, 3, running.calls, "a call keeps the settings that it began with")
		next := failing(errBoom)
		_ = retry.Run(t.Context(), r, next.run)
		require.Equal(t, 5, next.calls)
		require.Equal(t, uint64(8), r.Metrics().Attempts, "counters stay")

		config.MaxAttempts = 0
		require.Error(t, r.Reconfigure(config))
		require.Equal(t, 5, r.Config().MaxAttempts)
	})
}

func TestSwitchedOffRetryPassesCallsUncounted(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithEnabled(false), retry.WithRetryResult(func(any) bool { t.Error("asked"); return true }))
	events := record(r)
	once := failing(errBoom)
	require.True(t, retry.Run(t.Context(), r, once.run) == errBoom)
	_, err := retry.Do(t.Context(), r, failing(nil).do)
	require.NoError(t, err)
	require.Equal(t, 1, once.calls)
	attempts := r.Begin()
	attempts.Succeed()
	require.Equal(t, 1, attempts.Number())
	require.Empty(t, *events)
	require.Zero(t, r.Metrics())
}

func TestExpectedErrorIsASuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t)
		events := record(r)
		attempts := r.Begin()
		attempts.Succeed()
		require.Equal(t, retry.Metrics{SuccessfulCallsWithoutRetry: 1, Attempts: 1}, r.Metrics())

		attempts = r.Begin()
		err := errBoom
		require.True(t, attempts.Again(t.Context(), &err))
		attempts.Succeed()
		require.Equal(t, 2, attempts.Number())
		require.Equal(t, []policy.EventType{policy.RetryScheduled, policy.Success}, types(*events))
	})
}

func TestCallIsSettledOnce(t *testing.T) {
	t.Parallel()
	r := newRetry(t)
	attempts := r.Begin()
	var err error
	require.False(t, attempts.Again(t.Context(), &err))
	err = errBoom
	require.False(t, attempts.Again(t.Context(), &err))
	require.False(t, attempts.AgainResult(t.Context(), &err, true))
	attempts.Succeed()
	require.Equal(t, retry.Metrics{SuccessfulCallsWithoutRetry: 1, Attempts: 1}, r.Metrics())
}

func TestBadResultOfGeneratedCodeIsRetriedWithoutBeingSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithFailAfterMaxAttempts(true), retry.WithMaxAttempts(2),
			retry.WithIntervalBiFunction(func(attempt int, result any, err error) time.Duration {
				require.Nil(t, result)
				require.NoError(t, err)
				return time.Second
			}))
		attempts := r.Begin()
		var err error
		require.True(t, attempts.AgainResult(t.Context(), &err, true))
		require.NoError(t, err)
		require.Equal(t, 1, attempts.Number())
		require.False(t, attempts.AgainResult(t.Context(), &err, true))
		require.EqualError(t, err, `retry "test" has exhausted all attempts (2)`)

		attempts, err = r.Begin(), nil
		require.True(t, attempts.AgainResult(t.Context(), &err, true))
		require.False(t, attempts.AgainResult(t.Context(), &err, false))
		require.NoError(t, err)
	})
}

func TestDecoratedCallIsTheCallWithItsRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t)
		n, err := retry.Decorate(r, failing(errBoom, nil).do)(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, n)
	})
}

// body counts how often it is closed.
type body struct {
	io.Reader
	closed int
}

func (b *body) Close() error { b.closed++; return errBoom }

func TestDroppedResultIsClosedAndTheLastOneIsNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unavailable := func(result any) bool { return result.(*http.Response).StatusCode == 503 }
		var read []string
		r := newRetry(t, retry.WithRetryResult(unavailable), retry.WithConsumeResultBeforeRetryAttempt(func(_ int, result any) {
			text, _ := io.ReadAll(result.(*http.Response).Body)
			read = append(read, string(text))
		}))
		var bodies []*body
		response, err := retry.Do(t.Context(), r, func(context.Context) (*http.Response, error) {
			for _, b := range bodies {
				require.Equal(t, 1, b.closed, "closed before the next attempt")
			}
			bodies = append(bodies, &body{Reader: strings.NewReader(fmt.Sprint("busy ", len(bodies)+1))})
			return &http.Response{StatusCode: 503, Body: bodies[len(bodies)-1]}, nil
		})
		require.NoError(t, err)
		require.Equal(t, 503, response.StatusCode)
		require.Len(t, bodies, 3)
		require.Zero(t, bodies[2].closed, "the caller reads it")
		require.Equal(t, []string{"busy 1", "busy 2"}, read, "consumed before it is closed")
	})
}

func TestResultBesideAnErrorIsDroppedWithoutBeingConsumed(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithWaitDuration(0), retry.WithRetryResult(bad),
		retry.WithConsumeResultBeforeRetryAttempt(func(int, any) { t.Error("consumed") }))
	_, err := retry.Do(t.Context(), r, failing(errBoom).do)
	require.True(t, err == errBoom)
}

func TestDroppingCopesWithEveryShapeOfResult(t *testing.T) {
	t.Parallel()
	closer := &body{Reader: strings.NewReader("")}
	var none *body
	type embedded struct{ *http.Response }
	type text struct{ Body string }
	type hidden struct{ Body *body }
	for _, result := range []any{nil, 7, "text", none, (*http.Response)(nil), &http.Response{}, &http.Response{Body: none},
		&embedded{}, embedded{}, &text{"a"}, &hidden{}, new(int)} {
		r := newRetry(t, retry.WithWaitDuration(0))
		_, err := retry.Do(t.Context(), r, func(context.Context) (any, error) { return result, errBoom })
		require.True(t, err == errBoom, "%T", result)
	}
	for _, result := range []any{closer, &http.Response{Body: closer}, &embedded{&http.Response{Body: closer}}, &hidden{closer}} {
		closer.closed = 0
		r := newRetry(t, retry.WithWaitDuration(0))
		_, _ = retry.Do(t.Context(), r, func(context.Context) (any, error) { return result, errBoom })
		require.Equal(t, 2, closer.closed, "%T", result)
	}
}

func TestRetryHasAName(t *testing.T) {
	t.Parallel()
	require.Equal(t, "test", newRetry(t).Name())
}

func TestRuleOfAFunctionCarriesItsName(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithRetryErrors(every), retry.WithIgnoreErrors(nil))
	require.Equal(t, "github.com/resilgen/resilgen/runtime/retry_test.every", r.Config().RetryErrors.Text)
	require.True(t, r.Config().IgnoreErrors.IsZero())
	rule := policy.ErrorRule{Match: every, Text: "ErrA, ErrB"}
	r = newRetry(t, retry.WithRetryErrorsRule(rule), retry.WithIgnoreErrorsRule(rule))
	require.Equal(t, "ErrA, ErrB", r.Config().RetryErrors.Text)
	require.Equal(t, "ErrA, ErrB", r.Config().IgnoreErrors.Text)
}
