package timelimiter_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

func TestCallThatHeedsItsContextEndsAtTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t, timelimiter.WithTimeoutDuration(2*time.Second))
		events := record(l)
		start := time.Now()
		_, err := timelimiter.Do(t.Context(), l, takes(time.Minute))
		require.Equal(t, 2*time.Second, time.Since(start))
		timeout := requireTimeout(t, err)
		require.Equal(t, "test", timeout.Name())
		require.Equal(t, 2*time.Second, timeout.Limit())
		require.EqualError(t, err, `timelimiter "test" timed out after 2s`)
		require.Equal(t, []policy.Event{{Kind: policy.TimeLimiter, Name: "test", Type: policy.Timeout,
			Duration: 2 * time.Second, Err: err}}, *events)
		require.Equal(t, timelimiter.Metrics{TimedOutCalls: 1}, l.Metrics())
	})
}

func TestTimeoutWrapsWhatTheCallReturned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		err := timelimiter.Run(t.Context(), l, func(ctx context.Context) error {
			<-ctx.Done()
			return errBoom // a client that says it in its own words
		})
		requireTimeout(t, err)
		require.ErrorIs(t, err, errBoom)
		require.EqualError(t, err, `timelimiter "test" timed out after 1s: boom`)
	})
}

func TestCauseOfTheContextSaysWhichLimitRanOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		err := timelimiter.Run(t.Context(), l, func(ctx context.Context) error {
			<-ctx.Done()
			require.Equal(t, context.DeadlineExceeded, ctx.Err())
			requireTimeout(t, context.Cause(ctx))
			return context.Cause(ctx)
		})
		requireTimeout(t, err)
		require.EqualError(t, err, `timelimiter "test" timed out after 1s`, "said once")
	})
}

func TestErrorWithinTheLimitStaysAsItIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, want := range []error{errBoom, context.Canceled, context.DeadlineExceeded} {
			l := newLimiter(t)
			events := record(l)
			_, err := timelimiter.Do(t.Context(), l, heedless(999*ms, want))
			require.True(t, err == want, "%v", err)
			require.Equal(t, []policy.EventType{policy.Error}, types(*events))
			require.Equal(t, timelimiter.Metrics{FailedCalls: 1}, l.Metrics())
		}
	})
}

func TestErrorAtTheVeryLimitIsATimeout(t *testing.T) {
	t.Parallel()
	for range 20 { // the timer of the call may be ahead of that of the context
		synctest.Test(t, func(t *testing.T) {
			_, err := timelimiter.Do(t.Context(), newLimiter(t), heedless(time.Second, errBoom))
			requireTimeout(t, err)
		})
	}
}

func TestLateSuccessIsASuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		events := record(l)
		n, err := timelimiter.Do(t.Context(), l, heedless(time.Hour, nil))
		require.NoError(t, err)
		require.Equal(t, 7, n)
		require.Equal(t, []policy.Event{{Kind: policy.TimeLimiter, Name: "test", Type: policy.Success, Duration: time.Hour}}, *events)
		require.Equal(t, timelimiter.Metrics{SuccessfulCalls: 1}, l.Metrics())
	})
}

func TestEarlierDeadlineOfTheCallerIsLeftToItself(t *testing.T) {
	t.Parallel()
	for _, deadline := range []time.Duration{500 * ms, time.Second} { // also one at the very limit
		synctest.Test(t, func(t *testing.T) {
			l := newLimiter(t)
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			limited, call := l.Begin(ctx)
			defer call.Stop()
			require.True(t, limited == ctx, "the very context")
			<-limited.Done()
			require.Equal(t, context.DeadlineExceeded, call.End(limited.Err()))
			require.Equal(t, timelimiter.Metrics{FailedCalls: 1}, l.Metrics(), "a deadline is a failure")
		})
	}
}

func TestLaterDeadlineOfTheCallerGivesWayToTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second+1)
		defer cancel()
		_, err := timelimiter.Do(ctx, newLimiter(t), takes(time.Minute))
		requireTimeout(t, err)
	})
}

func TestContextThatHasEndedIsPassedOnAsItIs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	limited, call := newLimiter(t).Begin(ctx)
	defer call.Stop()
	require.True(t, limited == ctx)
	require.Equal(t, context.Canceled, call.End(ctx.Err()))
}

func TestCancelledCallerCountsNeitherWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		events := record(l)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*ms, cancel)
		_, err := timelimiter.Do(ctx, l, takes(time.Minute))
		require.Equal(t, context.Canceled, err)
		require.Equal(t, []policy.EventType{policy.IgnoredError}, types(*events))
		require.Equal(t, timelimiter.Metrics{CancelledCalls: 1}, l.Metrics())
	})
}

func TestLimitThatRanOutIsNoTimeoutOnceTheCallerHasGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		_, err := timelimiter.Do(ctx, l, heedless(3*time.Second, errBoom))
		require.True(t, err == errBoom)
		require.Equal(t, timelimiter.Metrics{CancelledCalls: 1}, l.Metrics())
	})
}

func TestOuterLimitIsNotTakenForTheInnerOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		outer, err := timelimiter.New("outer", timelimiter.WithTimeoutDuration(time.Second))
		require.NoError(t, err)
		inner, err := timelimiter.New("inner", timelimiter.WithTimeoutDuration(time.Minute))
		require.NoError(t, err)
		_, err = timelimiter.Do(t.Context(), outer, func(ctx context.Context) (int, error) {
			n, err := timelimiter.Do(ctx, inner, takes(time.Hour))
			require.Equal(t, context.DeadlineExceeded, err)
			return n, err
		})
		require.Equal(t, "outer", requireTimeout(t, err).Name())
		require.Equal(t, timelimiter.Metrics{FailedCalls: 1}, inner.Metrics())

		_, err = timelimiter.Do(t.Context(), inner, func(ctx context.Context) (int, error) {
			return timelimiter.Do(ctx, outer, takes(time.Hour))
		})
		require.Equal(t, "outer", requireTimeout(t, err).Name(), "an inner timeout stays the inner one's")
	})
}

func TestSameLimiterAroundItselfNamesNoTimeoutTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		_, err := timelimiter.Do(t.Context(), l, func(ctx context.Context) (int, error) {
			time.Sleep(ms)
			n, err := timelimiter.Do(ctx, l, takes(time.Hour))
			require.Equal(t, context.DeadlineExceeded, err, "the outer call's limit came first")
			return n, err
		})
		requireTimeout(t, err)
	})
}

func TestMarkOfAnInnerRefusalStaysOnTheTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		_, call := l.Begin(t.Context())
		defer call.Stop()
		time.Sleep(time.Second)
		err := call.End(policy.MarkInner(refusal{}))
		require.True(t, policy.Marked(err))
		requireTimeout(t, policy.Unmark(err))
		require.ErrorIs(t, err, refusal{})
		require.False(t, policy.Marked(errors.Unwrap(policy.Unmark(err))), "one mark, outside")
	})
}

func TestInnerRefusalCountsNeitherWay(t *testing.T) {
	t.Parallel()
	l := newLimiter(t)
	events := record(l)
	_, err := timelimiter.Do(t.Context(), l, func(context.Context) (int, error) { return 0, refusal{} })
	require.Equal(t, refusal{}, err, "unmarked")
	require.Equal(t, refusal{}, (*events)[0].Err)
	require.Equal(t, []policy.EventType{policy.IgnoredError}, types(*events))
	require.Equal(t, timelimiter.Metrics{RefusedCalls: 1}, l.Metrics())

	err = timelimiter.Run(t.Context(), l, func(context.Context) error { return fmt.Errorf("client: %w", refusal{}) })
	require.ErrorIs(t, err, refusal{})
	require.Equal(t, timelimiter.Metrics{RefusedCalls: 1, FailedCalls: 1}, l.Metrics(), "what only wraps one is the client's")
}

func TestCallIsSettledOnce(t *testing.T) {
	t.Parallel()
	l := newLimiter(t)
	_, call := l.Begin(t.Context())
	require.NoError(t, call.End(nil))
	require.Equal(t, errBoom, call.End(errBoom))
	call.Stop()
	call.Stop()
	require.Equal(t, timelimiter.Metrics{SuccessfulCalls: 1}, l.Metrics())
}

func TestPanicAndGoexitCountAsFailures(t *testing.T) {
	t.Parallel()
	l := newLimiter(t)
	events := record(l)
	require.PanicsWithValue(t, "broken", func() {
		_ = timelimiter.Run(t.Context(), l, func(context.Context) error { panic("broken") })
	})
	done := make(chan struct{})
	var limited context.Context
	go func() {
		defer close(done)
		_ = timelimiter.Run(t.Context(), l, func(ctx context.Context) error {
			limited = ctx
			runtime.Goexit()
			return nil
		})
	}()
	<-done
	require.Error(t, limited.Err(), "its context is released")
	require.Equal(t, []policy.EventType{policy.Error, policy.Error}, types(*events))
	require.EqualError(t, (*events)[0].Err, "timelimiter: the call panicked or ended its goroutine")
	require.Equal(t, timelimiter.Metrics{FailedCalls: 2}, l.Metrics())
}

func TestSwitchedOffLimiterPassesCallsUncounted(t *testing.T) {
	t.Parallel()
	l := newLimiter(t, timelimiter.WithEnabled(false))
	limited, call := l.Begin(t.Context())
	require.True(t, limited == t.Context())
	require.Equal(t, errBoom, call.End(errBoom))
	call.Stop()
	n, err := timelimiter.Detach(t.Context(), l, func(ctx context.Context) (int, error) {
		require.True(t, ctx == t.Context())
		return 7, errBoom
	})
	require.Equal(t, 7, n)
	require.True(t, err == errBoom)
	require.Zero(t, l.Metrics())
}

func TestReconfiguringReachesTheNextCallOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		start := time.Now()
		ctx, call := l.Begin(t.Context())
		defer call.Stop()
		config := l.Config()
		config.TimeoutDuration = time.Minute
		require.NoError(t, l.Reconfigure(config))
		<-ctx.Done()
		require.Equal(t, time.Second, time.Since(start))
		require.Equal(t, time.Second, requireTimeout(t, call.End(ctx.Err())).Limit())
		_, err := timelimiter.Do(t.Context(), l, takes(30*time.Second))
		require.NoError(t, err)

		config.TimeoutDuration = 0
		require.EqualError(t, l.Reconfigure(config), `timelimiter "test": timeoutDuration is 0s; it must be above 0`)
		require.Equal(t, time.Minute, l.Config().TimeoutDuration)
	})
}

func TestClosedLimiterStillLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		require.NoError(t, l.Close())
		require.NoError(t, l.Close())
		_, err := timelimiter.Decorate(l, takes(time.Minute))(t.Context())
		requireTimeout(t, err)
	})
}

func TestHTTPCallThatTakesTooLongEndsInATimeoutError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	defer server.Client().CloseIdleConnections()
	l := newLimiter(t, timelimiter.WithTimeoutDuration(20*ms))
	response, err := timelimiter.Do(t.Context(), l, func(ctx context.Context) (*http.Response, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			return nil, err
		}
		return server.Client().Do(request)
	})
	if err == nil {
		response.Body.Close()
	}
	requireTimeout(t, err)
	var fromClient *url.Error
	require.ErrorAs(t, err, &fromClient)
	require.True(t, fromClient.Timeout())
	require.Equal(t, timelimiter.Metrics{TimedOutCalls: 1}, l.Metrics())
}
