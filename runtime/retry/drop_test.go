package retry_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

func TestBodyIsReadTo64KBytesAndClosed(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 100, 64 << 10, 1 << 20} {
		rest := strings.NewReader(strings.Repeat("x", size))
		dropped := &body{Reader: rest}
		retry.DropBody(dropped)
		require.Equal(t, max(0, size-64<<10), rest.Len())
		require.Equal(t, 1, dropped.closed)
	}
	retry.DropBody(nil)
}

func TestConnectionOfADroppedBodyIsUsedAgain(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 50_000))
	}))
	defer server.Close()
	var reused bool
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused }}
	get := func() *http.Response {
		request, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		response, err := server.Client().Do(request)
		require.NoError(t, err)
		return response
	}
	retry.DropBody(get().Body)
	retry.DropBody(get().Body)
	require.True(t, reused)
}

func TestNothingIsWaitedForWhereTheAttemptIsTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetry(t, retry.WithFailAfterMaxAttempts(true))
		events := record(r)
		start := time.Now()
		for _, last := range []error{errBoom, nil} {
			attempts := r.Begin()
			attempts.Last()
			err := last
			require.False(t, attempts.AgainResult(t.Context(), &err, true))
			require.True(t, last == nil && errors.Is(err, retry.ErrExhausted) || err == last, "%v", err)
		}
		require.Zero(t, time.Since(start))
		require.Equal(t, []policy.EventType{policy.Error, policy.Error}, []policy.EventType{(*events)[0].Type, (*events)[1].Type})
		require.Len(t, *events, 2)
		require.EqualValues(t, 2, r.Metrics().FailedCallsWithRetry)

		attempts := r.Begin()
		attempts.Last()
		var err error
		require.False(t, attempts.Again(t.Context(), &err))
		require.EqualValues(t, 1, r.Metrics().SuccessfulCallsWithoutRetry)
	})
}
