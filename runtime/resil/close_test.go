package resil_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCloseWakesThoseWhoWaitForTheirNextAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt, err := resil.New(resil.WithRetry("counter.Counter.Count", retry.WithWaitDuration(time.Hour)))
		require.NoError(t, err)
		w, err := newResilientCounter(countFunc(func(context.Context) (int, error) { return 0, errDown }), rt)
		require.NoError(t, err)
		start := time.Now()
		ended := make(chan error, 10)
		for range cap(ended) {
			go func() {
				_, err := w.Count(t.Context())
				ended <- err
			}()
		}
		time.Sleep(time.Minute)
		require.Empty(t, ended, "all of them wait")
		require.NoError(t, rt.Close())
		for range cap(ended) {
			err := <-ended
			require.ErrorIs(t, err, resil.ErrClosed)
			require.ErrorIs(t, err, errDown)
		}
		require.Equal(t, time.Minute, time.Since(start))
		require.NoError(t, rt.Close(), "a second Close")

		_, err = w.Count(t.Context())
		require.ErrorIs(t, err, errDown)
		require.Equal(t, time.Minute, time.Since(start), "later calls do not wait")
	})
}

func TestClosedRuntimeTakesNoNewWrapper(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithBreaker("db"))
	require.NoError(t, rt.Close())
	_, err := newResilientCounter(countFunc(func(context.Context) (int, error) { return 0, nil }), rt)
	require.ErrorIs(t, err, resil.ErrClosed)
	require.EqualError(t, err, "the wrapper of counter.Counter: resil: closed")
	_, ok := rt.Breaker("db")
	require.True(t, ok, "instances can still be looked at")
}

func TestCloseDuringLoadHangsNoCall(t *testing.T) {
	t.Parallel()
	rt, err := resil.New(resil.WithBreakerConfig("default", breaker.WithWaitDurationInOpenState(time.Millisecond),
		breaker.WithSlidingWindowSize(10), breaker.WithAutomaticTransitionFromOpenToHalfOpenEnabled(true)),
		resil.WithRetryConfig("default", retry.WithWaitDuration(time.Millisecond)))
	require.NoError(t, err)
	defer rt.Subscribe(func(policy.Event) {})()
	var calls atomic.Int64
	underLoad := make(chan struct{})
	next := countFunc(func(context.Context) (int, error) {
		n := calls.Add(1)
		if n == 1000 {
			close(underLoad)
		}
		if n%3 == 0 {
			return 0, errDown
		}
		return 1, nil
	})
	w, err := newResilientCounter(next, rt)
	require.NoError(t, err)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = w.Count(t.Context())
				}
			}
		})
		wg.Go(func() {
			for {
				if _, err := newResilientCounter(next, rt); err != nil {
					return // closed
				}
			}
		})
	}
	<-underLoad
	require.NoError(t, rt.Close())
	for range 100 { // calls go on after Close, and do not wait
		_, _ = w.Count(t.Context())
	}
	close(stop)
	wg.Wait()
}

// TestListenerMayCloseTheRuntime: a listener runs on the goroutine of a call, outside all locks.
func TestListenerMayCloseTheRuntime(t *testing.T) {
	t.Parallel()
	rt, err := resil.New()
	require.NoError(t, err)
	w, err := newResilientCounter(countFunc(func(context.Context) (int, error) { return 1, nil }), rt)
	require.NoError(t, err)
	rt.Subscribe(func(policy.Event) { require.NoError(t, rt.Close()) })
	n, err := w.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	_, err = newResilientCounter(countFunc(func(context.Context) (int, error) { return 1, nil }), rt)
	require.ErrorIs(t, err, resil.ErrClosed)
}
