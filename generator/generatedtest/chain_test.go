package generatedtest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/resilgen/resilgen/generator/generatedtest"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// stub is a Chain made of functions; it counts the calls of all of them.
type stub struct {
	call  func(ctx context.Context) (string, error)
	plain func(ctx context.Context, id int) (int, error)
	calls int
}

func (s *stub) do(ctx context.Context) (string, error) { s.calls++; return s.call(ctx) }

func (s *stub) Retried(ctx context.Context) (string, error) { return s.do(ctx) }
func (s *stub) Layered(ctx context.Context) (string, error) { return s.do(ctx) }
func (s *stub) Limited(ctx context.Context) (string, error) { return s.do(ctx) }
func (s *stub) Judged(ctx context.Context) (string, error)  { return s.do(ctx) }
func (s *stub) Detached() (string, int, error) {
	answer, err := s.do(context.Background())
	return answer, len(answer), err
}

func (s *stub) Plain(ctx context.Context, id int) (int, error) {
	s.calls++
	return s.plain(ctx, id)
}

func failWith(err error) *stub {
	return &stub{
		call:  func(context.Context) (string, error) { return "", err },
		plain: func(context.Context, int) (int, error) { return 0, err },
	}
}

func newChain(t *testing.T, next Chain) (*ResilientChain, *resil.Runtime) {
	rt, err := resil.New()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	chain, err := NewResilientChain(next, rt)
	require.NoError(t, err)
	return chain, rt
}

func breakerOf(t *testing.T, rt *resil.Runtime, name string) *breaker.Breaker {
	b, ok := rt.Breaker(name)
	require.True(t, ok)
	return b
}

func TestFallbackOfAnInnerLayerRunsOnceAfterTheRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := failWith(io.EOF)
		chain, rt := newChain(t, next)
		answer, err := chain.Retried(t.Context())
		require.NoError(t, err)
		require.Equal(t, "any *errors.errorString", answer)
		require.Equal(t, 3, next.calls)
		account, _ := rt.Fallback("generatedtest.Chain.Retried")
		require.EqualValues(t, 1, account.Metrics().Handlers[0].Answered)
	})
}

func TestFallbackAtItsLayerHidesTheFailureFromTheRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := failWith(io.EOF)
		chain, rt := newChain(t, next)
		answer, err := chain.Layered(t.Context())
		require.NoError(t, err)
		require.Equal(t, "any *errors.errorString", answer)
		require.Equal(t, 1, next.calls)
		require.EqualValues(t, 1, breakerOf(t, rt, "layered").Metrics().Failed, "the breaker itself has seen it")
	})
}

func TestRefusalOfTheBreakerIsNotRetried(t *testing.T) {
	t.Parallel()
	next := failWith(io.EOF)
	chain, rt := newChain(t, next)
	require.NoError(t, breakerOf(t, rt, "retried").TransitionTo(breaker.ForcedOpen))
	require.NoError(t, breakerOf(t, rt, "plain").TransitionTo(breaker.ForcedOpen))

	answer, err := chain.Retried(t.Context())
	require.NoError(t, err)
	require.Equal(t, "open", answer)
	require.EqualValues(t, 1, breakerOf(t, rt, "retried").Metrics().NotPermitted)

	_, err = chain.Plain(t.Context(), 1)
	refusal, ok := err.(*breaker.OpenError)
	require.True(t, ok, "the refusal itself, without a mark: %T", err)
	require.Equal(t, "plain", refusal.Name())
	require.Zero(t, next.calls)
}

func TestRefusalOutOfTheWrappedClientIsAnOrdinaryFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		innermost, innerRuntime := newChain(t, failWith(io.EOF))
		require.NoError(t, breakerOf(t, innerRuntime, "plain").TransitionTo(breaker.ForcedOpen))
		next := &stub{plain: innermost.Plain}
		outer, rt := newChain(t, next)
		_, err := outer.Plain(t.Context(), 1)
		require.ErrorIs(t, err, breaker.ErrOpen)
		require.Equal(t, 3, next.calls, "retried")
		require.EqualValues(t, 3, breakerOf(t, rt, "plain").Metrics().Failed, "and counted")
	})
}

func TestPanicMeetsNoFallbackAndCountsAsAFailure(t *testing.T) {
	t.Parallel()
	next := &stub{call: func(context.Context) (string, error) { panic("boom") }}
	chain, rt := newChain(t, next)
	require.PanicsWithValue(t, "boom", func() { _, _ = chain.Retried(t.Context()) })
	require.EqualValues(t, 1, breakerOf(t, rt, "retried").Metrics().Failed)
	account, _ := rt.Fallback("generatedtest.Chain.Retried")
	for _, handler := range account.Metrics().Handlers {
		require.Zero(t, handler.Answered)
	}
}

func TestExpectedErrorIsASuccessEverywhere(t *testing.T) {
	t.Parallel()
	next := failWith(ErrAnswer)
	chain, rt := newChain(t, next)
	_, err := chain.Plain(t.Context(), 1)
	require.True(t, err == ErrAnswer)
	require.Equal(t, 1, next.calls)
	metrics := breakerOf(t, rt, "plain").Metrics()
	require.EqualValues(t, 1, metrics.Successful)
	require.Zero(t, metrics.Failed)
	r, _ := rt.Retry("chain")
	require.EqualValues(t, 1, r.Metrics().SuccessfulCallsWithoutRetry)
}

func TestCallerWhoCancelsIsNotCounted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	next := &stub{plain: func(context.Context, int) (int, error) { cancel(); return 0, io.EOF }}
	chain, rt := newChain(t, next)
	_, err := chain.Plain(ctx, 1)
	require.True(t, err == io.EOF)
	require.Equal(t, 1, next.calls)
	require.Zero(t, breakerOf(t, rt, "plain").Metrics().Failed)
}

func TestTimeLimitOfARealHTTPCallIsAnsweredByItsType(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	next := &stub{call: func(ctx context.Context) (string, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			return "", err
		}
		response, err := server.Client().Do(request)
		if err != nil {
			return "", err
		}
		return response.Status, response.Body.Close()
	}}
	chain, _ := newChain(t, next)
	answer, err := chain.Limited(t.Context())
	require.NoError(t, err)
	require.Equal(t, "timed out: limited", answer)
	require.Equal(t, 3, next.calls, "a time limit that ran out is retried")
}

func TestDetachedCallIsLeftAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := &stub{call: func(context.Context) (string, error) { time.Sleep(time.Second); return "late", nil }}
		chain, _ := newChain(t, next)
		began := time.Now()
		_, _, err := chain.Detached()
		require.ErrorIs(t, err, timelimiter.ErrTimeout)
		require.Equal(t, 50*time.Millisecond, time.Since(began))
		time.Sleep(2 * time.Second)
		synctest.Wait() // for the first call, which is late
		next.call = func(context.Context) (string, error) { return "now", nil }
		answer, length, err := chain.Detached()
		require.NoError(t, err)
		require.Equal(t, "now", answer)
		require.Equal(t, 3, length)
	})
}

func TestResultsAreJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		Dropped = nil
		next := failWith(nil)
		chain, rt := newChain(t, next)
		answer, err := chain.Judged(t.Context())
		require.NoError(t, err)
		require.Empty(t, answer)
		require.Equal(t, 3, next.calls)
		require.Equal(t, []int{1, 2}, Dropped)
		judged := breakerOf(t, rt, "judged")
		require.EqualValues(t, 3, judged.Metrics().Failed)

		judged.Reset()
		next.call = func(context.Context) (string, error) { return "banned", nil }
		answer, err = chain.Judged(t.Context())
		require.NoError(t, err)
		require.Equal(t, "banned", answer)
		require.Equal(t, breaker.Open, judged.State())
	})
}

func TestConstructorRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	chain, rt := newChain(t, failWith(nil))
	_, err := NewResilientChain(nil, rt)
	require.ErrorContains(t, err, "generatedtest.Chain")
	_, err = NewResilientChain(chain, rt)
	require.ErrorContains(t, err, "generatedtest.Chain")
	_, err = NewResilientChain(failWith(nil), nil)
	require.ErrorContains(t, err, "generatedtest.Chain")
}

func TestCallThroughRetryAndClosedBreakerAllocatesNothing(t *testing.T) {
	next := &stub{plain: func(_ context.Context, id int) (int, error) { return id, nil }}
	chain, _ := newChain(t, next)
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if n, err := chain.Plain(ctx, 7); n != 7 || err != nil {
			panic(errors.Join(err, errors.New("wrong answer")))
		}
	}))
}

func BenchmarkRetryAndClosedBreaker(b *testing.B) {
	rt, err := resil.New()
	require.NoError(b, err)
	chain, err := NewResilientChain(&stub{plain: func(_ context.Context, id int) (int, error) { return id, nil }}, rt)
	require.NoError(b, err)
	ctx := b.Context()
	for b.Loop() {
		_, _ = chain.Plain(ctx, 7)
	}
}
