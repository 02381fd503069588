package retry_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

// What users of other libraries reported, each as it is right.

// resilience4j issues 1320 and 1077: maxAttempts was read as the number of retries.
func TestMaxAttemptsCountsTheFirstCall(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithMaxAttempts(2), retry.WithWaitDuration(0))
	always := failing(errBoom)
	_ = retry.Run(t.Context(), r, always.run)
	require.Equal(t, 2, always.calls)
	require.Equal(t, uint64(2), r.Metrics().Attempts)
	require.Equal(t, uint64(1), r.Metrics().Retries)
}

// resilience4j issue 1565: let the interval function end the retries.
func TestIntervalFunctionCanEndTheRetriesByTheError(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithMaxAttempts(10), retry.WithIntervalBiFunction(func(_ int, _ any, err error) time.Duration {
		if errors.Is(err, errOther) {
			return -1
		}
		return 0
	}))
	twice := failing(errBoom, errOther)
	require.True(t, retry.Run(t.Context(), r, twice.run) == errOther)
	require.Equal(t, 2, twice.calls)
}

// resilience4j issue 2198: an asynchronous retry whose predicate threw never completed.
func TestPanicOfAResultPredicateReachesTheCaller(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithRetryResult(func(any) bool { panic("predicate is broken") }))
	require.PanicsWithValue(t, "predicate is broken", func() { _, _ = retry.Do(t.Context(), r, (&results{}).do) })
}

// resilience4j: an exception of an event consumer took the place of the call's outcome.
func TestPanicOfAListenerDoesNotChangeTheOutcome(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithWaitDuration(0))
	r.SetLogger(slog.New(slog.DiscardHandler))
	unsubscribe := r.Subscribe(func(policy.Event) { panic("listener is broken") })
	events := record(r)
	n, err := retry.Do(t.Context(), r, failing(errBoom, nil).do)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Len(t, *events, 2)
	unsubscribe()
}

// resilience4j issues 1357 and 1969: what belongs to the caller was gone in later attempts.
func TestEveryAttemptIsGivenTheCallersContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "caller")
	calls := 0
	_ = retry.Run(ctx, newRetry(t, retry.WithWaitDuration(0)), func(ctx context.Context) error {
		calls++
		require.Equal(t, "caller", ctx.Value(key{}))
		return errBoom
	})
	require.Equal(t, 3, calls)
}

// resilience4j issues 1404 and 1605: exponential backoff beside waitDuration failed, or was ignored.
func TestGrowingWaitsStartFromTheWaitDuration(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithEnableExponentialBackoff(true), retry.WithWaitDuration(40*ms))
		require.Equal(t, []time.Duration{40 * ms, 60 * ms}, pauses(t, r))
	})
}

// failsafe-go issue 29, cenkalti/backoff issues 188, 159 and 156: zero means no limit, and the limit holds for a longer
// Retry-After too, where it ends the call with an error and not in silence.
func TestMaxDurationOfZeroIsNoneAndALongerRetryAfterIsNoSilentStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithMaxAttempts(2), retry.WithWaitDuration(24*time.Hour))
		require.NoError(t, retry.Run(t.Context(), r, failing(errBoom, nil).run))

		r = newRetry(t, retry.WithMaxDuration(time.Minute))
		events := record(r)
		start := time.Now()
		err := retry.Run(t.Context(), r, failing(throttled{time.Hour}).run)
		require.Equal(t, throttled{time.Hour}, err)
		require.Zero(t, elapsed(start))
		require.Equal(t, []policy.EventType{policy.Error}, types(*events))
	})
}

// retry-go issues 74, 110, 119 and 78, cenkalti/backoff issues 174 and 177: the error is the caller's own, also after a
// single attempt, and it survives a cancelled wait.
func TestErrorIsNeverWrappedUnlessAWaitWasInterrupted(t *testing.T) {
	t.Parallel()
	for attempts := 1; attempts <= 3; attempts++ {
		r := newRetry(t, retry.WithMaxAttempts(attempts), retry.WithWaitDuration(0))
		require.True(t, retry.Run(t.Context(), r, failing(errBoom).run) == errBoom)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(ms, cancel)
		err := retry.Run(ctx, newRetry(t), failing(errBoom).run)
		require.ErrorIs(t, err, errBoom)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// goresilience: the retry slept after the last attempt.
func TestNothingIsWaitedForAfterTheLastAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithMaxAttempts(1), retry.WithWaitDuration(time.Hour))
		start := time.Now()
		_ = retry.Run(t.Context(), r, failing(errBoom).run)
		require.Zero(t, elapsed(start))
	})
}

func TestOneRetryServesManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	r := newRetry(t, retry.WithWaitDuration(0))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				config := r.Config()
				config.MaxAttempts = 2
				_ = r.Reconfigure(config)
				unsubscribe := r.Subscribe(func(policy.Event) {})
				_ = retry.Run(context.Background(), r, failing(errBoom, nil).run)
				unsubscribe()
				_ = r.Metrics()
			}
		})
	}
	group.Wait()
	require.Equal(t, retry.Metrics{SuccessfulCallsWithRetry: 800, Attempts: 1600, Retries: 800}, r.Metrics())
}
