package resil_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

func newBreaker(t *testing.T, name string, opts ...breaker.Option) *breaker.Breaker {
	t.Helper()
	b, err := breaker.New(name, opts...)
	require.NoError(t, err)
	return b
}

// TestObserversAndWrappersFollowTheName: resilience4j issue 1116, where both kept the old instance.
func TestObserversAndWrappersFollowTheName(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	const name = "counter.Counter.Count"
	w, err := newResilientCounter(countFunc(func(context.Context) (int, error) { return 1, nil }), rt)
	require.NoError(t, err)
	first := w.count.breaker.For(t.Context())
	heard := 0
	rt.Subscribe(func(e policy.Event) {
		if e.Kind == policy.CircuitBreaker {
			heard++
		}
	})

	second := newBreaker(t, name, breaker.WithInitialState(breaker.ForcedOpen))
	old, err := rt.Breakers().Replace(name, second)
	require.NoError(t, err)
	require.Same(t, first, old)
	require.Same(t, second, w.count.breaker.For(t.Context()))
	found, ok := rt.Breaker(name)
	require.True(t, ok)
	require.Same(t, second, found)

	_, err = w.Count(t.Context())
	require.ErrorIs(t, err, breaker.ErrOpen)
	require.Equal(t, 1, heard, "of the new one")
	require.NoError(t, breaker.Run(t.Context(), first, succeed))
	require.Equal(t, 1, heard, "not of the old one")
}

func TestReplacedInstanceIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t)
		r, err := rt.Retries().GetOrCreate("db", retry.WithWaitDuration(time.Hour))
		require.NoError(t, err)
		waiting := begin(func() error { return retry.Run(t.Context(), r, fail) })
		synctest.Wait()
		next, err := retry.New("db")
		require.NoError(t, err)
		_, err = rt.Retries().Replace("db", next)
		require.NoError(t, err)
		require.ErrorIs(t, <-waiting, resil.ErrClosed)

		start := time.Now()
		waiting = begin(func() error { return retry.Run(t.Context(), next, fail) })
		synctest.Wait()
		require.NoError(t, rt.Close())
		require.ErrorIs(t, <-waiting, resil.ErrClosed, "the new one belongs to the runtime")
		require.Zero(t, time.Since(start))
	})
}

func TestReplaceSaysWhatItCannotDo(t *testing.T) {
	t.Parallel()
	rt, err := resil.New(resil.WithBreaker("db"))
	require.NoError(t, err)
	b, _ := rt.Breaker("db")
	breakers := rt.Breakers()

	_, err = breakers.Replace("queue", newBreaker(t, "queue"))
	require.ErrorIs(t, err, resil.ErrNotFound)
	require.EqualError(t, err, `circuitbreaker "queue": resil: there is no instance of this name`)
	_, ok := breakers.Find("queue")
	require.False(t, ok)
	_, err = breakers.Replace("db", nil)
	require.EqualError(t, err, `circuitbreaker "db": it cannot be replaced by nil; use Remove, or name an instance`)
	_, err = breakers.Replace("db", newBreaker(t, "queue"))
	require.EqualError(t, err, `circuitbreaker "db": it cannot be replaced by one that is named "queue"; `+
		`make that with the same name`)
	old, err := breakers.Replace("db", b)
	require.NoError(t, err)
	require.Same(t, b, old, "it is there already")
	_, err = breakers.GetOrCreate("db", breaker.WithSlidingWindowSize(7))
	require.NoError(t, err)
	require.Equal(t, 7, b.Config().SlidingWindowSize, "and stays what it was")

	require.True(t, breakers.Remove("db"))
	_, err = breakers.Replace("db", newBreaker(t, "db"))
	require.ErrorIs(t, err, resil.ErrNotFound)

	_, err = breakers.GetOrCreate("db")
	require.NoError(t, err)
	require.NoError(t, rt.Close())
	_, err = breakers.Replace("db", newBreaker(t, "db"))
	require.ErrorIs(t, err, resil.ErrClosed)
	_, err = breakers.GetOrCreate("db")
	require.EqualError(t, err, `circuitbreaker "db": resil: closed`)
	require.True(t, breakers.Remove("db"))
}

func TestSettingsOfAGivenInstanceStay(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	_, err := bindBreaker(rt, "inventory", "", "db", breaker.WithFailureRateThreshold(20))
	require.NoError(t, err)
	given := newBreaker(t, "db", breaker.WithFailureRateThreshold(30))
	_, err = rt.Breakers().Replace("db", given)
	require.NoError(t, err)
	b, err := bindBreaker(rt, "orders", "", "db", breaker.WithFailureRateThreshold(20), breaker.WithSlidingWindowSize(7))
	require.NoError(t, err)
	require.Same(t, given, b)
	require.Equal(t, 30.0, b.Config().FailureRateThreshold)
	require.Equal(t, breaker.DefaultConfig().SlidingWindowSize, b.Config().SlidingWindowSize)

	require.True(t, rt.Breakers().Remove("db"))
	b, err = bindBreaker(rt, "orders", "", "db")
	require.NoError(t, err)
	require.Equal(t, 20.0, b.Config().FailureRateThreshold, "with it went its settings")
	require.Equal(t, 7, b.Config().SlidingWindowSize)
}

func TestGivenInstanceReportsWhereTheRuntimeDoes(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	rt := newRuntime(t, resil.WithLogger(slog.New(slog.NewTextHandler(&log, nil))), resil.WithBreaker("db"))
	given := newBreaker(t, "db")
	given.Subscribe(func(policy.Event) { panic("of the instance") })
	_, err := rt.Breakers().Replace("db", given)
	require.NoError(t, err)
	require.NoError(t, breaker.Run(t.Context(), given, succeed))
	require.Contains(t, log.String(), "of the instance")
}

func TestRegistryChangesUnderLoad(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	defer rt.Subscribe(func(policy.Event) {})()
	const name = "counter.Counter.Count"
	next := countFunc(func(context.Context) (int, error) { return 1, nil })
	w, err := newResilientCounter(next, rt)
	require.NoError(t, err)
	var calls, changes sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		calls.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if n, err := w.Count(t.Context()); n != 1 || err != nil {
						t.Error(n, err)
						return
					}
				}
			}
		})
	}
	for i := range 4 {
		changes.Go(func() {
			for range 50 {
				switch i {
				case 0:
					rt.Breakers().Remove(name)
				case 1:
					b, err := breaker.New(name)
					if err != nil {
						t.Error(err)
					}
					_, _ = rt.Breakers().Replace(name, b) // not found, when it was just removed
				case 2:
					_, _ = rt.Breakers().GetOrCreate(name, breaker.WithSlidingWindowSize(50)) // the given one has another
				case 3:
					if _, err := newResilientCounter(next, rt); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	changes.Wait()
	close(stop)
	calls.Wait()
	b, err := bindBreaker(rt, "other", "", name)
	require.NoError(t, err)
	require.Same(t, b, w.count.breaker.For(t.Context()), "whatever came last")
}
