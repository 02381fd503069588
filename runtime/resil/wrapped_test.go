package resil_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

var errDown = errors.New("down")

func newRuntime(t *testing.T, opts ...resil.Option) *resil.Runtime {
	t.Helper()
	rt, err := resil.New(opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt
}

func TestCallIsRetriedAfterTheWaitOfItsAnnotation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		w, err := newResilientClient(stockFunc(func(context.Context, string) (int, error) {
			if calls++; calls < 3 {
				return 0, errDown
			}
			return 7, nil
		}), newRuntime(t))
		require.NoError(t, err)
		start := time.Now()
		n, err := w.Stock(t.Context(), "bolt")
		require.NoError(t, err)
		require.Equal(t, 7, n)
		require.Equal(t, 3, calls)
		require.Equal(t, 200*time.Millisecond, time.Since(start))
	})
}

func TestOpenCircuitRefusesAndIsNotRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		rt := newRuntime(t)
		w, err := newResilientClient(stockFunc(func(context.Context, string) (int, error) {
			calls++
			return 0, errDown
		}), rt)
		require.NoError(t, err)
		_, err = w.Stock(t.Context(), "bolt")
		require.Equal(t, errDown, err)
		_, err = w.Stock(t.Context(), "bolt") // the fourth failure opens the circuit, before this call's second attempt
		require.ErrorIs(t, err, breaker.ErrOpen)
		require.Equal(t, 4, calls)
		db, ok := rt.Breaker("inventory-db")
		require.True(t, ok)
		require.Equal(t, breaker.Open, db.State())

		start := time.Now()
		_, err = w.Stock(t.Context(), "bolt")
		open, ok := errors.AsType[*breaker.OpenError](err)
		require.True(t, ok)
		require.Equal(t, "inventory-db", open.Name())
		require.False(t, policy.Marked(err), "the outermost method takes the mark off")
		require.Equal(t, 4, calls)
		require.Zero(t, time.Since(start))
	})
}

func TestSlowCallEndsAtItsTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, err := newResilientClient(stockFunc(func(ctx context.Context, _ string) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}), newRuntime(t))
		require.NoError(t, err)
		start := time.Now()
		_, err = w.Stock(t.Context(), "bolt")
		require.ErrorIs(t, err, timelimiter.ErrTimeout)
		require.Equal(t, 3*2*time.Second+2*100*time.Millisecond, time.Since(start))
	})
}

func TestFallbackAnswersAndIsCountedUnderTheNameOfItsMethod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t)
		var answered []policy.Event
		rt.Subscribe(func(e policy.Event) {
			if e.Kind == policy.Fallback {
				answered = append(answered, e)
			}
		})
		w, err := newResilientClient(stockFunc(func(context.Context, string) (int, error) { return 0, errNotFound }), rt)
		require.NoError(t, err)
		n, err := w.Stock(t.Context(), "bolt")
		require.NoError(t, err)
		require.Equal(t, -1, n)
		require.Len(t, answered, 1)
		require.Equal(t, "inventory.Client.Stock", answered[0].Name)
		require.Equal(t, policy.Answered, answered[0].Type)
		require.Equal(t, "stockMissing", answered[0].Handler)
	})
}

func TestCallThroughRetryAndClosedCircuitAllocatesNothing(t *testing.T) {
	w, err := newResilientCounter(countFunc(func(context.Context) (int, error) { return 1, nil }), newRuntime(t))
	require.NoError(t, err)
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if n, err := w.Count(ctx); n != 1 || err != nil {
			panic("wrong answer")
		}
	}))
}

func TestPassthroughCallsOnceWhateverHappens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := resil.Passthrough()
		var events []policy.Event
		rt.Subscribe(func(e policy.Event) { events = append(events, e) })
		var answer error
		calls := 0
		w, err := newResilientClient(stockFunc(func(ctx context.Context, _ string) (int, error) {
			calls++
			_, limited := ctx.Deadline()
			require.False(t, limited)
			time.Sleep(time.Minute) // far over the time limit
			return calls, answer
		}), rt)
		require.NoError(t, err)

		answer = errDown
		for want := 1; want <= 20; want++ {
			n, err := w.Stock(t.Context(), "bolt")
			require.Equal(t, errDown, err)
			require.Equal(t, want, n, "called once, never refused")
		}
		require.Empty(t, events, "nothing is counted")

		answer = errNotFound
		n, err := w.Stock(t.Context(), "bolt")
		require.NoError(t, err)
		require.Equal(t, -1, n, "fallbacks answer all the same")
		require.Equal(t, 21, calls)

		for b := range rt.Breakers().All() {
			require.False(t, b.Config().Enabled)
			require.Equal(t, breaker.Closed, b.State())
		}
	})
}

func TestConstructorsNameWhatTheyWereNotGiven(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	_, err := newResilientClient(nil, rt)
	require.EqualError(t, err,
		"resil: next is nil; the wrapper of inventory.Client needs the inventory.Client whose calls it is to protect")

	next := stockFunc(func(context.Context, string) (int, error) { return 0, nil })
	_, err = newResilientClient(next, nil)
	require.EqualError(t, err, "resil: the wrapper of inventory.Client needs a runtime, not nil; "+
		"use resil.New, resil.Default or resil.Passthrough")

	w, err := newResilientClient(next, rt)
	require.NoError(t, err)
	_, err = newResilientClient(w, rt)
	require.EqualError(t, err, "resil: next is a wrapper of inventory.Client already; wrap the client itself, once")
}

func TestWrapperWrittenAsALiteralSaysSo(t *testing.T) {
	t.Parallel()
	w := &resilientCounter{}
	require.PanicsWithValue(t, "resil: the wrapper has no *retry.Retry; make it with its constructor, not as a literal",
		func() { _, _ = w.Count(t.Context()) })
}

func TestWrapperMadeTwiceUsesTheSameInstances(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	next := stockFunc(func(context.Context, string) (int, error) { return 0, nil })
	first, err := newResilientClient(next, rt)
	require.NoError(t, err)
	second, err := newResilientClient(next, rt)
	require.NoError(t, err)
	require.Same(t, first.stock.retry.For(t.Context()), second.stock.retry.For(t.Context()))
	require.Same(t, first.stock.breaker.For(t.Context()), second.stock.breaker.For(t.Context()))
	require.Same(t, first.stock.timeLimiter.For(t.Context()), second.stock.timeLimiter.For(t.Context()))
	require.Same(t, first.stock.fallback.For(t.Context()), second.stock.fallback.For(t.Context()))
}
