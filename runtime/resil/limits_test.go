package resil_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

func TestCallOverTheLimitOfItsAnnotationIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		rt := newRuntime(t)
		w, err := newResilientOrders(ordersFunc(func(context.Context) error { calls++; return nil }), rt)
		require.NoError(t, err)
		for range 2 {
			n, err := w.Place(t.Context(), "bolt")
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
		_, err = w.Place(t.Context(), "bolt")
		require.ErrorIs(t, err, limiter.ErrExceeded)
		require.EqualError(t, err, `ratelimiter "orders" does not permit further calls`)
		require.Equal(t, 2, calls)
		time.Sleep(time.Minute)
		_, err = w.Place(t.Context(), "bolt")
		require.NoError(t, err)
	})
}

func TestBulkheadsOfOneNameWithAndWithoutAPoolAreTwo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next, release := held()
		rt := newRuntime(t, resil.WithLimiter("orders", limiter.WithLimitForPeriod(10)))
		w, err := newResilientOrders(next, rt)
		require.NoError(t, err)
		var results []<-chan error
		for range 2 {
			results = append(results, begin(func() error { _, err := w.Place(t.Context(), "bolt"); return err }))
			results = append(results, begin(func() error { _, err := w.Report(t.Context()); return err }))
		}
		synctest.Wait() // two calls in the bulkhead; one in the pool and one in its queue
		_, err = w.Place(t.Context(), "bolt")
		require.EqualError(t, err, `bulkhead "orders" is full and does not permit further calls`)
		_, err = w.Report(t.Context())
		require.ErrorIs(t, err, bulkhead.ErrFull)

		slots, ok := rt.Bulkhead("orders")
		require.True(t, ok)
		require.Equal(t, 2, slots.Config().MaxConcurrentCalls)
		pool, ok := rt.PoolBulkhead("orders")
		require.True(t, ok)
		require.Equal(t, 1, pool.Config().MaxThreadPoolSize)
		release()
		for _, result := range results {
			require.NoError(t, <-result)
		}
	})
}

// begin calls fn on a goroutine of its own.
func begin(fn func() error) <-chan error {
	result := make(chan error, 1)
	go func() { result <- fn() }()
	return result
}

func TestLayersOfLimitersAndBulkheads(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t,
		resil.WithLimiterConfig("default", limiter.WithAlgorithm(limiter.Smooth), limiter.WithLimitForPeriod(7)),
		resil.WithLimiter("orders", limiter.WithTimeoutDuration(time.Second)),
		resil.WithBulkheadConfig("default", bulkhead.WithMaxWaitDuration(time.Second), bulkhead.WithMaxConcurrentCalls(7)),
		resil.WithBulkhead("orders", bulkhead.WithFairCallHandlingEnabled(false)),
		resil.WithPoolBulkheadConfig("default", bulkhead.WithKeepAliveDuration(time.Second), bulkhead.WithQueueCapacity(7)),
		resil.WithPoolBulkhead("orders", bulkhead.WithMaxThreadPoolSize(3)))
	_, err := newResilientOrders(ordersFunc(succeed), rt)
	require.NoError(t, err)
	l, _ := rt.Limiter("orders")
	require.Equal(t, limiter.Smooth, l.Config().Algorithm, "default configuration")
	require.Equal(t, 2, l.Config().LimitForPeriod, "annotation")
	require.Equal(t, time.Second, l.Config().TimeoutDuration, "code")
	b, _ := rt.Bulkhead("orders")
	require.Equal(t, bulkhead.Config{MaxConcurrentCalls: 2, MaxWaitDuration: time.Second, Enabled: true}, b.Config())
	p, _ := rt.PoolBulkhead("orders")
	require.Equal(t, time.Second, p.Config().KeepAliveDuration, "default configuration")
	require.Equal(t, 1, p.Config().QueueCapacity, "annotation")
	require.Equal(t, 3, p.Config().MaxThreadPoolSize, "code")
}

func TestLimitsThatAreNotValidNameTheirPolicy(t *testing.T) {
	t.Parallel()
	_, err := resil.New(
		resil.WithLimiterConfig("shared", limiter.WithLimitForPeriod(0)),
		resil.WithBulkheadConfig("shared", bulkhead.WithMaxConcurrentCalls(0)),
		resil.WithPoolBulkheadConfig("shared", bulkhead.WithQueueCapacity(-1)),
		resil.WithPoolBulkhead(""))
	require.ErrorContains(t, err, `ratelimiter configuration "shared": limitForPeriod is 0; `)
	require.ErrorContains(t, err, `bulkhead configuration "shared": maxConcurrentCalls is 0; `)
	require.ErrorContains(t, err, `thread-pool-bulkhead configuration "shared": queueCapacity is -1; `)
	require.ErrorContains(t, err, `thread-pool-bulkhead set in code has no name; give it one`)
}

func TestSubscribersHearOfLimitersAndBulkheads(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	w, err := newResilientOrders(ordersFunc(succeed), rt)
	require.NoError(t, err)
	var heard []string
	rt.Subscribe(func(e policy.Event) { heard = append(heard, e.String()) })
	_, err = w.Place(t.Context(), "bolt")
	require.NoError(t, err)
	_, err = w.Report(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{
		`ratelimiter "orders" SUCCESSFUL_ACQUIRE permits=1`,
		`bulkhead "orders" CALL_PERMITTED`,
		`bulkhead "orders" CALL_FINISHED`,
		`thread-pool-bulkhead "orders" CALL_PERMITTED`,
		`thread-pool-bulkhead "orders" CALL_FINISHED`,
	}, heard)
}

func TestPassthroughLimitsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next, release := held()
		rt := resil.Passthrough()
		w, err := newResilientOrders(next, rt)
		require.NoError(t, err)
		var results []<-chan error
		for range 10 {
			results = append(results, begin(func() error { _, err := w.Place(t.Context(), "bolt"); return err }))
			results = append(results, begin(func() error { _, err := w.Report(t.Context()); return err }))
		}
		synctest.Wait()
		release()
		for _, result := range results {
			require.NoError(t, <-result)
		}
		l, ok := rt.Limiter("orders")
		require.True(t, ok)
		require.False(t, l.Config().Enabled)
		require.Zero(t, l.Metrics().AdmittedCalls)
	})
}

// TestCloseWakesAllWhoWait: the bubble ends only if the goroutines of the pool have ended too.
func TestCloseWakesAllWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt, err := resil.New(
			resil.WithLimiter("orders", limiter.WithTimeoutDuration(time.Hour), limiter.WithLimitForPeriod(1)),
			resil.WithBulkhead("queue", bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(time.Hour)))
		require.NoError(t, err)
		next, release := held()
		w, err := newResilientOrders(next, rt)
		require.NoError(t, err)
		queue, ok := rt.Bulkhead("queue")
		require.True(t, ok)

		place := func() error { _, err := w.Place(t.Context(), "bolt"); return err }
		report := func() error { _, err := w.Report(t.Context()); return err }
		enter := func() error {
			return bulkhead.Run(t.Context(), queue, func(ctx context.Context) error { _, err := next.Report(ctx); return err })
		}
		var running, waiting []<-chan error
		for _, call := range []func() error{place, report, enter} {
			running = append(running, begin(call))
			synctest.Wait()
			waiting = append(waiting, begin(call))
			synctest.Wait()
		}
		start := time.Now()
		time.Sleep(time.Second)
		require.NoError(t, rt.Close())
		for _, result := range waiting {
			require.ErrorIs(t, <-result, resil.ErrClosed)
		}
		require.Equal(t, time.Second, time.Since(start))
		for _, result := range running {
			require.Empty(t, result, "a call in flight goes on")
		}
		require.Error(t, place(), "later calls are judged")
		require.Error(t, report())
		require.Error(t, enter())
		require.Equal(t, time.Second, time.Since(start), "but never wait")
		release()
		for _, result := range running {
			require.NoError(t, <-result)
		}
		require.NoError(t, report())
		require.NoError(t, rt.Close(), "a second Close")
	})
}

func TestCloseDuringLoadHangsNoCallThatIsLimited(t *testing.T) {
	t.Parallel()
	rt, err := resil.New(
		resil.WithLimiter("orders", limiter.WithTimeoutDuration(time.Hour), limiter.WithLimitForPeriod(100),
			limiter.WithLimitRefreshPeriod(time.Millisecond)),
		resil.WithBulkhead("orders", bulkhead.WithMaxWaitDuration(time.Hour), bulkhead.WithMaxConcurrentCalls(1)),
		resil.WithPoolBulkhead("orders", bulkhead.WithQueueCapacity(100)))
	require.NoError(t, err)
	var calls atomic.Int64
	underLoad := make(chan struct{})
	w, err := newResilientOrders(ordersFunc(func(context.Context) error {
		if calls.Add(1) == 1000 {
			close(underLoad)
		}
		runtime.Gosched()
		return nil
	}), rt)
	require.NoError(t, err)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = w.Place(t.Context(), "bolt")
					_, _ = w.Report(t.Context())
				}
			}
		})
	}
	<-underLoad
	require.NoError(t, rt.Close())
	for range 100 { // calls go on after Close, and do not wait for hours
		_, _ = w.Place(t.Context(), "bolt")
		_, _ = w.Report(t.Context())
	}
	close(stop)
	wg.Wait()
}

func TestCallThroughLimiterAndBulkheadAllocatesNothing(t *testing.T) {
	w, err := newResilientOrders(ordersFunc(succeed), newRuntime(t,
		resil.WithLimiter("orders", limiter.WithLimitForPeriod(1_000_000))))
	require.NoError(t, err)
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if n, err := w.Place(ctx, "bolt"); n != 1 || err != nil {
			panic("wrong answer")
		}
	}))
}
