package bulkhead_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/policy"
)

// one is a pool with one goroutine.
func one(tb testing.TB, queue int) *bulkhead.Pool {
	tb.Helper()
	return pooled(tb, bulkhead.WithMaxThreadPoolSize(1), bulkhead.WithQueueCapacity(queue))
}

// spring-cloud-circuitbreaker issue 163; resilience4j issues 905, 1530, 2296.
func TestCallerThatGivesUpDoesNotFreeThePlaceBeforeTheWorkReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := one(t, 0)
		defer p.Close()
		seen := listening(p.Subscribe)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w := working(ctx, p)
		time.Sleep(2 * time.Second)
		err := <-w.end
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, `bulkhead "testName" did not wait for the end of a call: context deadline exceeded`)
		require.False(t, p.Refused(err), "the call was made")
		require.False(t, policy.Marked(policy.InnerRefusal(err)))

		require.Equal(t, 1, p.Metrics().ActiveThreadCount)
		require.ErrorIs(t, bulkhead.RunPool(t.Context(), p, nil), bulkhead.ErrFull)
		require.Equal(t, []policy.EventType{policy.CallPermitted, policy.CallRejected}, seen.types())
		w.finish()
		require.Zero(t, p.Metrics().ActiveThreadCount)
		require.Equal(t, policy.CallFinished, seen.types()[2])
		require.NoError(t, bulkhead.RunPool(t.Context(), p, func(context.Context) error { return nil }))
		require.EqualValues(t, 1, p.Metrics().InterruptedCalls)
	})
}

func TestCallerThatGivesUpInTheQueueLeavesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := one(t, 1)
		defer p.Close()
		seen := listening(p.Subscribe)
		running := working(t.Context(), p)
		ctx, cancel := context.WithCancel(t.Context())
		queued := working(ctx, p)
		require.ErrorIs(t, bulkhead.RunPool(t.Context(), p, nil), bulkhead.ErrFull)
		cancel()
		err := <-queued.end
		require.ErrorIs(t, err, context.Canceled)
		require.True(t, p.Refused(err))
		require.True(t, policy.Marked(policy.InnerRefusal(err)), "the call was not made")
		require.Zero(t, p.Metrics().QueueDepth)
		require.ErrorIs(t, bulkhead.RunPool(ctx, p, nil), context.Canceled, "whoever has gone is not queued")
		running.finish()
		require.NoError(t, <-running.end)
		require.Equal(t, []policy.EventType{
			policy.CallPermitted, policy.CallRejected, policy.CallRejected, policy.CallRejected, policy.CallFinished,
		}, seen.types())
	})
}

func TestPlaceIsFreeBeforeTheCallerHearsOfTheEnd(t *testing.T) {
	t.Parallel()
	p := one(t, 0)
	defer p.Close()
	for range 1000 {
		require.NoError(t, bulkhead.RunPool(t.Context(), p, func(context.Context) error { return nil }))
	}
	require.Equal(t, 1, p.Metrics().ThreadPoolSize)
	require.EqualValues(t, 1000, p.Metrics().AdmittedCalls)
}

func TestPanicIsRaisedAgainOnTheWaitingCaller(t *testing.T) {
	t.Parallel()
	p := one(t, 0)
	defer p.Close()
	cause := errors.New("of the call")
	for range 3 {
		require.PanicsWithValue(t, cause, func() {
			_, _ = bulkhead.Submit(t.Context(), p, func(context.Context) (int, error) { panic(cause) })
		})
	}
	require.NoError(t, bulkhead.RunPool(t.Context(), p, func(context.Context) error { return nil }))
	require.Zero(t, p.Metrics().PanickedCalls)
}

func TestPanicThatNobodyWaitsForIsPublishedWithItsStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := one(t, 0)
		defer p.Close()
		seen := listening(p.Subscribe)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := bulkhead.RunPool(ctx, p, func(context.Context) error {
			time.Sleep(time.Minute)
			return explode()
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		time.Sleep(time.Hour)
		require.Equal(t, []policy.EventType{policy.CallPermitted, policy.Panicked, policy.CallFinished}, seen.types())
		published := seen.events[1]
		require.Equal(t, "of the call", published.Panic)
		require.Contains(t, string(published.Stack), "explode")
		require.Equal(t, policy.ThreadPoolBulkhead, published.Kind)
		require.EqualValues(t, 1, p.Metrics().PanickedCalls)
		require.NoError(t, bulkhead.RunPool(t.Context(), p, func(context.Context) error { return nil }))
	})
}

func explode() error { panic("of the call") }

func TestGoexitOfTheWorkEndsTheCallersGoroutineAndThePoolGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := one(t, 2)
		defer p.Close()
		returned := true
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { returned = false }()
			_ = bulkhead.RunPool(t.Context(), p, func(context.Context) error {
				time.Sleep(time.Second)
				runtime.Goexit()
				return nil
			})
			panic("the caller went on")
		}()
		synctest.Wait()
		queued := working(t.Context(), p)
		<-done
		require.False(t, returned)
		synctest.Wait()
		require.Equal(t, 1, p.Metrics().ActiveThreadCount, "the next one has begun")
		queued.finish()
		require.NoError(t, <-queued.end)
		require.Equal(t, 1, p.Metrics().ThreadPoolSize)
	})
}

func TestClosedPoolDismissesTheQueueFinishesWhatRunsAndNeverQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooled(t, bulkhead.WithMaxThreadPoolSize(2), bulkhead.WithCoreThreadPoolSize(1))
		running, queued := working(t.Context(), p), working(t.Context(), p)
		require.NoError(t, p.Close())
		require.NoError(t, p.Close())
		err := <-queued.end
		require.ErrorIs(t, err, policy.ErrClosed)
		require.True(t, p.Refused(err))
		late := working(t.Context(), p)
		require.ErrorIs(t, bulkhead.RunPool(t.Context(), p, nil), bulkhead.ErrFull)
		late.finish()
		require.NoError(t, <-late.end)
		running.finish()
		require.NoError(t, <-running.end)
		synctest.Wait()
		require.Zero(t, p.Metrics().ThreadPoolSize)
	})
}

func TestPoolIsResizedWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooled(t, bulkhead.WithMaxThreadPoolSize(2), bulkhead.WithCoreThreadPoolSize(2), bulkhead.WithQueueCapacity(4))
		defer p.Close()
		resize := func(most, core, queue int) {
			config := p.Config()
			config.MaxThreadPoolSize, config.CoreThreadPoolSize, config.QueueCapacity = most, core, queue
			require.NoError(t, p.Reconfigure(config))
			synctest.Wait()
		}
		var all []*work
		for range 6 {
			all = append(all, working(t.Context(), p))
		}
		resize(1, 1, 4)
		require.Equal(t, 2, p.Metrics().ActiveThreadCount)
		all[0].finish()
		require.Equal(t, 1, p.Metrics().ActiveThreadCount, "nobody begins until enough have ended")
		require.Equal(t, 4, p.Metrics().QueueDepth)
		resize(3, 2, 4)
		require.Equal(t, 2, p.Metrics().ActiveThreadCount, "the core has grown")
		resize(3, 2, 2)
		require.Equal(t, 3, p.Metrics().ActiveThreadCount, "the queue has become too long")
		for _, w := range all[1:] {
			w.finish()
		}
		time.Sleep(time.Second)
		require.Equal(t, 2, p.Metrics().ThreadPoolSize)
		resize(1, 1, 0)
		require.Equal(t, 1, p.Metrics().ThreadPoolSize, "the idle one too many has ended")
		require.Error(t, p.Reconfigure(bulkhead.PoolConfig{}))
	})
}

func TestListenerMayCallBackIntoThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := one(t, 1)
		defer p.Close()
		nested := 0
		p.Subscribe(func(policy.Event) {
			if nested++; nested <= 2 {
				require.NoError(t, bulkhead.RunPool(t.Context(), p, func(context.Context) error { return nil }))
			}
			panic("a listener")
		})
		require.NoError(t, bulkhead.RunPool(t.Context(), p, func(context.Context) error { return nil }))
		require.EqualValues(t, 3, p.Metrics().AdmittedCalls)
	})
}

func TestListenerThatEndsTheGoroutineLeavesNothingInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := one(t, 1)
		defer p.Close()
		unsubscribe := p.Subscribe(func(policy.Event) { runtime.Goexit() })
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = bulkhead.RunPool(t.Context(), p, func(context.Context) error { return nil })
		}()
		<-done
		unsubscribe()
		synctest.Wait()
		require.Zero(t, p.Metrics().ActiveThreadCount)
		require.NoError(t, bulkhead.RunPool(t.Context(), p, func(context.Context) error { return nil }))
	})
}

func TestSwitchedOffPoolRunsCallsOnTheirOwnGoroutine(t *testing.T) {
	t.Parallel()
	p := pooled(t, bulkhead.WithPoolEnabled(false))
	n, err := bulkhead.DecoratePool(p, func(context.Context) (int, error) { return 1, nil })(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, bulkhead.PoolMetrics{
		CoreThreadPoolSize: max(runtime.GOMAXPROCS(0)-1, 1), MaximumThreadPoolSize: runtime.GOMAXPROCS(0),
		AvailableThreadCount: runtime.GOMAXPROCS(0), QueueCapacity: 100, RemainingQueueCapacity: 100,
	}, p.Metrics())
}

func TestRefusedKnowsThePoolsOwnRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, other := one(t, 0), one(t, 0)
		defer p.Close()
		defer other.Close()
		mine, theirs := working(t.Context(), p), working(t.Context(), other)
		refused := bulkhead.RunPool(t.Context(), other, nil)
		require.True(t, other.Refused(refused))
		require.False(t, p.Refused(refused), "of another pool of the same name")
		require.False(t, p.Refused(nil))
		mine.finish()
		theirs.finish()
	})
}
