package generatedtest_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/resilgen/resilgen/generator/generatedtest"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

// shop is a Shop that answers with what its function says.
type shop struct {
	call func(ctx context.Context) error
}

func (s *shop) Order(ctx context.Context, sku string, _ int) (string, error) { return sku, s.call(ctx) }
func (s *shop) Count(ctx context.Context, id ID) (int, error)                { return int(id), s.call(ctx) }
func (s *shop) Ship(ctx context.Context, skus ...string) (int, error) {
	return len(skus), s.call(ctx)
}
func (s *shop) Pack(ctx context.Context, sku string) (string, int, error) {
	return sku, len(sku), s.call(ctx)
}
func (s *shop) Guard(ctx context.Context) (string, error) { return "guarded", s.call(ctx) }

// answering returns a shop whose calls all end in err.
func answering(err error) *shop { return &shop{func(context.Context) error { return err }} }

func newShop(t *testing.T, next Shop) (*ResilientShop, *resil.Runtime) {
	rt, err := resil.New()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	w, err := NewResilientShop(next, rt)
	require.NoError(t, err)
	return w, rt
}

// found returns an instance that the runtime has.
func found[T any](t *testing.T) func(instance *T, ok bool) *T {
	return func(instance *T, ok bool) *T {
		require.True(t, ok)
		return instance
	}
}

func TestEachFailureOfAWholeChainHasItsAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := answering(nil)
		w, rt := newShop(t, next)
		order := func() string {
			answer, err := w.Order(t.Context(), "bolts", 1)
			require.NoError(t, err)
			return answer
		}
		require.Equal(t, "bolts", order())

		next.call = func(context.Context) error { return ErrMissing }
		require.Equal(t, "no bolts", order())

		next.call = func(context.Context) error { return io.EOF }
		require.Equal(t, "any *errors.errorString", order())

		full := found[bulkhead.Bulkhead](t)(rt.Bulkhead("order"))
		slot, err := full.Begin(t.Context())
		require.NoError(t, err)
		require.Equal(t, "full: order", order())
		slot.End()

		b := breakerOf(t, rt, "order")
		require.NoError(t, b.TransitionTo(breaker.ForcedOpen))
		require.Equal(t, "open", order())
		require.NoError(t, b.TransitionTo(breaker.Closed))

		found[limiter.Limiter](t)(rt.Limiter("order")).Drain()
		require.Equal(t, "any *limiter.ExceededError", order())

		time.Sleep(time.Second)
		next.call = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		require.Equal(t, "any *timelimiter.TimeoutError", order())
	})
}

func TestRefusalsOfLimiterAndBulkheadAreNeitherCountedNorRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, rt := newShop(t, answering(nil))
		slot, err := found[bulkhead.Bulkhead](t)(rt.Bulkhead("order")).Begin(t.Context())
		require.NoError(t, err)
		defer slot.End()
		_, err = w.Order(t.Context(), "bolts", 1)
		require.NoError(t, err, "answered")

		_, err = w.Order(t.Context(), "bolts", 10)
		require.NoError(t, err, "answered")

		b := breakerOf(t, rt, "order").Metrics()
		require.EqualValues(t, 2, b.Lifetime.Refused)
		require.Zero(t, b.Failed)
		require.Zero(t, b.Successful)
		attempts := found[retry.Retry](t)(rt.Retry("shop")).Metrics()
		require.EqualValues(t, 2, attempts.RefusedCalls)
		require.EqualValues(t, 2, attempts.Attempts)
		require.EqualValues(t, 1, found[limiter.Limiter](t)(rt.Limiter("order")).Metrics().RefusedCalls)
	})
}

func TestRefusalsReachTheCallerWithoutAMark(t *testing.T) {
	t.Parallel()
	w, rt := newShop(t, answering(nil))
	count := found[bulkhead.Bulkhead](t)(rt.Bulkhead("count"))
	for range count.Config().MaxConcurrentCalls {
		slot, err := count.Begin(t.Context())
		require.NoError(t, err)
		defer slot.End()
	}
	_, err := w.Count(t.Context(), 1)
	_, ok := err.(*bulkhead.FullError)
	require.True(t, ok, "%T", err)
	require.Zero(t, breakerOf(t, rt, "count").Metrics().Failed)
}

func TestRefusalOfAWrappedBulkheadIsAnOrdinaryFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner, innerRuntime := newShop(t, answering(nil))
		full := found[bulkhead.Bulkhead](t)(innerRuntime.Bulkhead("count"))
		for range full.Config().MaxConcurrentCalls {
			_, err := full.Begin(t.Context())
			require.NoError(t, err)
		}
		outer, rt := newShop(t, struct{ Shop }{inner})
		_, err := outer.Count(t.Context(), 1)
		require.ErrorIs(t, err, bulkhead.ErrFull)
		require.EqualValues(t, 3, breakerOf(t, rt, "count").Metrics().Failed, "counted, and retried")
	})
}

func TestPermitsComeFromTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, rt := newShop(t, answering(nil))
		rates := found[limiter.Limiter](t)(rt.Limiter("ship"))
		n, err := w.Ship(t.Context(), "a", "b", "c")
		require.NoError(t, err)
		require.Equal(t, 3, n)
		require.EqualValues(t, 7, rates.Metrics().AvailablePermits)

		n, err = w.Ship(t.Context())
		require.NoError(t, err, "no permits, no limit")
		require.Zero(t, n)
		require.EqualValues(t, 7, rates.Metrics().AvailablePermits)

		_, err = w.Ship(t.Context(), make([]string, 8)...)
		require.ErrorIs(t, err, limiter.ErrExceeded)
		refusal, ok := err.(*limiter.ExceededError)
		require.True(t, ok, "without a mark: %T", err)
		require.Equal(t, "ship", refusal.Name())

		time.Sleep(time.Second)
		_, err = w.Ship(t.Context(), make([]string, 8)...)
		require.NoError(t, err)
	})
}

func TestNegativePermitsAreAnErrorAndNoFailure(t *testing.T) {
	t.Parallel()
	w, rt := newShop(t, answering(nil))
	answer, err := w.Order(t.Context(), "bolts", -1)
	require.NoError(t, err)
	require.Equal(t, "any *fmt.wrapError", answer)
	require.Zero(t, breakerOf(t, rt, "order").Metrics().Failed)
}

func TestResultDrainsTheLimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, rt := newShop(t, answering(ErrEnough))
		_, err := w.Ship(t.Context(), "a")
		require.ErrorIs(t, err, ErrEnough)
		require.Zero(t, found[limiter.Limiter](t)(rt.Limiter("ship")).Metrics().AvailablePermits)
		_, err = w.Ship(t.Context(), "a")
		require.ErrorIs(t, err, limiter.ErrExceeded)
	})
}

func TestPoolRunsCallsAndItsRefusalsAreNotCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		next := &shop{func(context.Context) error { <-release; return nil }}
		w, rt := newShop(t, next)
		done := make(chan error)
		go func() {
			sku, n, err := w.Pack(context.Background(), "bolts")
			if sku != "bolts" || n != 5 {
				err = errors.Join(err, errors.New("wrong results"))
			}
			done <- err
		}()
		synctest.Wait()
		_, _, err := w.Pack(t.Context(), "nuts")
		_, ok := err.(*bulkhead.FullError)
		require.True(t, ok, "without a mark: %T", err)
		close(release)
		require.NoError(t, <-done)

		next.call = func(context.Context) error { return io.EOF }
		_, _, err = w.Pack(t.Context(), "nuts")
		require.True(t, err == io.EOF)
		metrics := breakerOf(t, rt, "pack").Metrics()
		require.EqualValues(t, 1, metrics.Lifetime.Refused)
		require.EqualValues(t, 1, metrics.Successful)
		require.EqualValues(t, 1, metrics.Failed, "what the call itself returns is")
		require.EqualValues(t, 1, found[bulkhead.Pool](t)(rt.PoolBulkhead("pack")).Metrics().RejectedCalls)
	})
}

func TestFallbackInsideATimeLimitHasTheCallersContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limited := false
		next := &shop{func(ctx context.Context) error {
			_, limited = ctx.Deadline()
			return io.EOF
		}}
		w, _ := newShop(t, next)
		answer, err := w.Guard(context.Background())
		require.NoError(t, err)
		require.Equal(t, "EOF, limited false", answer)
		require.True(t, limited, "the call itself has a limit")

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = w.Guard(ctx)
		require.ErrorIs(t, err, io.EOF, "no answer for a caller who has gone")
	})
}

func TestCallThroughRetryBreakerLimiterAndBulkheadAllocatesNothing(t *testing.T) {
	w, _ := newShop(t, answering(nil))
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if n, err := w.Count(ctx, 7); n != 7 || err != nil {
			panic(errors.Join(err, errors.New("wrong answer")))
		}
	}))
}

func TestRefusedCallAllocatesNothing(t *testing.T) {
	w, rt := newShop(t, answering(nil))
	count := found[bulkhead.Bulkhead](t)(rt.Bulkhead("count"))
	for range count.Config().MaxConcurrentCalls {
		_, err := count.Begin(t.Context())
		require.NoError(t, err)
	}
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if _, err := w.Count(ctx, 7); !errors.Is(err, bulkhead.ErrFull) {
			panic(errors.Join(err, errors.New("wrong answer")))
		}
	}))
}

func BenchmarkRetryBreakerLimiterAndBulkhead(b *testing.B) {
	rt, err := resil.New()
	require.NoError(b, err)
	w, err := NewResilientShop(answering(nil), rt)
	require.NoError(b, err)
	ctx := b.Context()
	for b.Loop() {
		_, _ = w.Count(ctx, 7)
	}
}
