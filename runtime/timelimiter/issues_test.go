package timelimiter_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// What users of other libraries reported, each as it is right.

// resilience4j issues 905, 1041, 2296 and 497: the timeout did not stop the work.
func TestWorkIsToldAtTheLimitThatNobodyWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		start := time.Now()
		var told time.Duration
		_, _ = timelimiter.Detach(t.Context(), l, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			told = time.Since(start)
			return 0, ctx.Err()
		})
		synctest.Wait()
		require.Equal(t, time.Second, told)
	})
}

// spring-cloud-circuitbreaker issue 163, resilience4j issue 1530: a slot was free before the work that held it ended.
func TestWhatTheWorkHoldsIsHeldUntilItEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slots := make(chan struct{}, 1)
		_, err := timelimiter.Detach(t.Context(), newLimiter(t), func(context.Context) (int, error) {
			slots <- struct{}{}
			defer func() { <-slots }()
			time.Sleep(time.Minute)
			return 0, nil
		})
		requireTimeout(t, err)
		require.Len(t, slots, 1)
		time.Sleep(time.Hour)
		require.Empty(t, slots)
	})
}

// failsafe-go issues 123 and 65: the context of a call was cancelled before its result had been read.
func TestResultMayBeReadInsideTheCallAndUntilStop(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
	}))
	defer server.Close()
	defer server.Client().CloseIdleConnections()
	get := func(ctx context.Context) (*http.Response, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			return nil, err
		}
		return server.Client().Do(request)
	}
	l := newLimiter(t, timelimiter.WithTimeoutDuration(time.Minute))
	ctx, call := l.Begin(t.Context())
	response, err := get(ctx)
	require.NoError(t, call.End(err))
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Len(t, body, 1<<20)
	call.Stop()

	body, err = timelimiter.Do(t.Context(), l, func(ctx context.Context) ([]byte, error) {
		response, err := get(ctx)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		return io.ReadAll(response.Body)
	})
	require.NoError(t, err)
	require.Len(t, body, 1<<20)
}

// resilience4j issue 682, gobreaker issue 105: a caller that went away was counted as a failure.
func TestCancelledDetachedCallCountsNeitherWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		ctx, cancel := cancelledAfter(t.Context(), 100*ms)
		defer cancel()
		_, err := timelimiter.Detach(ctx, l, heedless(ms*200, nil))
		require.Equal(t, context.Canceled, err)
		time.Sleep(time.Second)
		require.Equal(t, timelimiter.Metrics{CancelledCalls: 1}, l.Metrics())
	})
}

// resilience4j issues 1107 and 2293: consumers of events could never be removed; and a broken one must not be felt.
func TestListenerCanBeRemovedAndItsPanicIsNotFelt(t *testing.T) {
	t.Parallel()
	l := newLimiter(t)
	l.SetLogger(slog.New(slog.DiscardHandler))
	calls := 0
	unsubscribe := l.Subscribe(func(policy.Event) { calls++; panic("listener is broken") })
	require.NoError(t, timelimiter.Run(t.Context(), l, func(context.Context) error { return nil }))
	unsubscribe()
	require.NoError(t, timelimiter.Run(t.Context(), l, func(context.Context) error { return nil }))
	require.Equal(t, 1, calls)
}
