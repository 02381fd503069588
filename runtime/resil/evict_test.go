package resil_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

// fill makes n instances of tenants that are not used again, which is when idle ones are looked after.
func fill[T any](ref *resil.Ref[T], prefix string, n int) {
	for i := range n {
		ref.For(tenant(fmt.Sprint(prefix, i)))
	}
}

func TestIdleInstancesAreEvicted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t)
		ref := bindNames(t, rt, "inventory-{tenant}")
		var removed int
		defer rt.Breakers().Subscribe(func(e policy.Event) {
			if e.Type == resil.EntryRemoved {
				removed++
			}
		})()
		fill(ref, "old-", 100)
		used := ref.For(tenant("used"))
		call := func(err error) {
			require.Equal(t, err, breaker.Run(t.Context(), used, func(context.Context) error { return err }))
		}
		require.Equal(t, 101, metricsOf(t, rt, policy.CircuitBreaker, "inventory").Instances)
		for range 14 {
			time.Sleep(5 * time.Minute)
			require.Same(t, used, ref.For(tenant("used")))
			ref.For(tenant("witness" + time.Now().Format("150405"))) // ends the epoch
		}
		call(nil)
		fill(ref, "new-", 100)
		m := metricsOf(t, rt, policy.CircuitBreaker, "inventory")
		require.EqualValues(t, 100, m.Evicted)
		require.Equal(t, 100, removed)
		require.Equal(t, 1+14+100, m.Instances)
		require.Same(t, used, ref.For(tenant("used")))
		_, ok := rt.Breaker("inventory-old-5")
		require.False(t, ok)
	})
}

// TestOutcomesAreForgottenWhenTheyAreOld: a window that counts calls does not do so by itself.
func TestOutcomesAreForgottenWhenTheyAreOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t, resil.WithIdleTimeout(10*time.Minute))
		ref := bindNames(t, rt, "inventory-{tenant}")
		ill := ref.For(tenant("ill"))
		require.Error(t, breaker.Run(t.Context(), ill, func(context.Context) error { return errors.New("ill") }))
		open := ref.For(tenant("open"))
		require.NoError(t, open.TransitionTo(breaker.Open))
		time.Sleep(time.Minute)
		fill(ref, "a", 10)
		time.Sleep(8 * time.Minute)
		fill(ref, "b", 10)
		require.Same(t, ill, ref.For(tenant("ill")), "not yet")
		time.Sleep(time.Minute)
		fill(ref, "c", 10)
		time.Sleep(11 * time.Minute)
		fill(ref, "d", 10)
		require.NotSame(t, ill, ref.For(tenant("ill")))
		require.Same(t, open, ref.For(tenant("open")), "a breaker that is not CLOSED stays")
	})
}

func TestAtTheCapAnIdleInstanceMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t, resil.WithMaxInstances(10))
		ref := bindNames(t, rt, "inventory-{tenant}")
		fill(ref, "t", 10)
		require.Equal(t, "inventory-default", ref.For(t.Context()).Name(), "does not count against the cap")
		require.Equal(t, "inventory-other", ref.For(tenant("late")).Name(), "all were used a moment ago")
		for i := range 9 { // what has outcomes stays, if it was used within the idle timeout
			b := ref.For(tenant(fmt.Sprint("t", i)))
			require.NoError(t, breaker.Run(t.Context(), b, func(context.Context) error { return nil }))
		}
		time.Sleep(10 * time.Second)
		require.Equal(t, "inventory-other", ref.For(tenant("late")).Name(), "the epoch of their use ends only now")
		time.Sleep(10 * time.Second)
		require.Equal(t, "inventory-late", ref.For(tenant("late")).Name())
		_, ok := rt.Breaker("inventory-t9")
		require.False(t, ok)
		require.Equal(t, "inventory-other", ref.For(tenant("later")).Name())
		m := metricsOf(t, rt, policy.CircuitBreaker, "inventory")
		require.Equal(t, resil.NameMetrics{
			Kind: policy.CircuitBreaker, Base: "inventory", Instances: 12, Defaulted: 1, OverCap: 3, Evicted: 1,
		}, m)
		time.Sleep(2 * time.Hour)
		ref.For(tenant("later"))
		time.Sleep(2 * time.Hour)
		require.Equal(t, "inventory-later", ref.For(tenant("later")).Name(), "old outcomes are forgotten")
	})
}

func TestTheCapIsThatOfABaseName(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithMaxInstances(3))
	a, b := bindNames(t, rt, "inventory-{tenant}"), bindNames(t, rt.Scope("eu"), "inventory-{tenant}")
	other := bindNames(t, rt, "orders-{tenant}")
	fill(a, "t", 2)
	fill(b, "t", 2)
	require.Equal(t, "inventory-t0-eu", b.For(tenant("t0")).Name())
	require.Equal(t, "inventory-other-eu", b.For(tenant("t1")).Name())
	require.Equal(t, "orders-t1", other.For(tenant("t1")).Name())
}

func TestRoomIsMadeInAllNamesOfOneBaseName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t, resil.WithMaxInstances(50))
		a, b := bindNames(t, rt, "inventory-{tenant}"), bindNames(t, rt.Scope("eu"), "inventory-{tenant}")
		fill(a, "t", 50)
		require.Equal(t, "inventory-other-eu", b.For(tenant("late")).Name())
		time.Sleep(10 * time.Second)
		b.For(tenant("late"))
		time.Sleep(10 * time.Second)
		require.Equal(t, "inventory-late-eu", b.For(tenant("late")).Name())
		require.Equal(t, 51, metricsOf(t, rt, policy.CircuitBreaker, "inventory").Instances, "with other")
	})
}

// TestEvictedInstancesReleaseWhatTheyHave: goroutines of pools end, which goleak looks for.
func TestEvictedInstancesReleaseWhatTheyHave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t, resil.WithIdleTimeout(time.Minute))
		var ref resil.Ref[bulkhead.Pool]
		b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
		b.PoolBulkhead(&ref, "inventory-{tenant}")
		require.NoError(t, b.Err())
		before := runtime.NumGoroutine()
		busy := ref.For(tenant("busy"))
		release := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = bulkhead.Submit(t.Context(), busy, func(context.Context) (int, error) { <-release; return 1, nil })
		}()
		for i := range 20 {
			_, err := bulkhead.Submit(t.Context(), ref.For(tenant(fmt.Sprint("t", i))),
				func(context.Context) (int, error) { return 1, nil })
			require.NoError(t, err)
		}
		for range 3 {
			time.Sleep(2 * time.Minute)
			fill(&ref, "n"+time.Now().Format("150405")+"-", 20)
		}
		synctest.Wait()
		require.Same(t, busy, ref.For(tenant("busy")), "a call is under way")
		require.LessOrEqual(t, runtime.NumGoroutine()-before, 4)
		close(release)
		<-done
	})
}

// TestARetryThatWaitsIsNotEvicted: it has to end the wait when the runtime is closed.
func TestARetryThatWaitsIsNotEvicted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t, resil.WithIdleTimeout(time.Minute))
		var ref resil.Ref[retry.Retry]
		b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
		b.Retry(&ref, "inventory-{tenant}", retry.WithMaxAttempts(2), retry.WithWaitDuration(time.Hour))
		require.NoError(t, b.Err())
		done := make(chan error)
		waiting, idle := ref.For(tenant("waiting")), ref.For(tenant("idle"))
		go func() {
			done <- retry.Run(t.Context(), waiting, func(context.Context) error { return errors.New("ill") })
		}()
		for range 5 {
			time.Sleep(5 * time.Minute)
			fill(&ref, "n"+time.Now().Format("150405")+"-", 5)
		}
		require.NotSame(t, idle, ref.For(tenant("idle")))
		require.Same(t, waiting, ref.For(tenant("waiting")))
		require.NoError(t, rt.Close())
		require.ErrorIs(t, <-done, resil.ErrClosed)
	})
}

// TestEvictionLosesNothing lets random tenants do random things, and knows by a simple account of each what an instance
// must not have forgotten.
func TestEvictionLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) { evictionLosesNothing(t, rt) })
	})
}

func evictionLosesNothing(t *testing.T, draw *rapid.T) {
	const (
		idle   = 20 * time.Minute
		period = 10 * time.Minute
		limit  = 3
		size   = 4
	)
	rt := newRuntime(t, resil.WithMaxInstances(6), resil.WithIdleTimeout(idle))
	var breakers resil.Ref[breaker.Breaker]
	var limiters resil.Ref[limiter.Limiter]
	var bulkheads resil.Ref[bulkhead.Bulkhead]
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Breaker(&breakers, "inventory-{tenant}", breaker.WithSlidingWindowSize(size), breaker.WithMinimumNumberOfCalls(size))
	b.Limiter(&limiters, "inventory-{tenant}", limiter.WithAlgorithm(limiter.Sliding), limiter.WithLimitForPeriod(limit),
		limiter.WithLimitRefreshPeriod(period), limiter.WithTimeoutDuration(0))
	b.Bulkhead(&bulkheads, "inventory-{tenant}", bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(0))
	require.NoError(t, b.Err())

	type account struct {
		buffered int       // outcomes in the window
		latest   time.Time // of an outcome
		open     bool
		granted  []time.Time
		held     []bulkhead.Call
	}
	accounts := map[string]*account{}
	defer func() {
		for _, a := range accounts {
			for i := range a.held {
				a.held[i].End()
			}
		}
	}()
	for range rapid.IntRange(1, 150).Draw(draw, "steps") {
		id := fmt.Sprint("t", rapid.IntRange(0, 11).Draw(draw, "tenant"))
		ctx := tenant(id)
		a := accounts[id]
		if a == nil {
			a = &account{}
			accounts[id] = a
		}
		switch rapid.IntRange(0, 5).Draw(draw, "what") {
		case 0:
			time.Sleep(time.Duration(rapid.IntRange(1, 40).Draw(draw, "minutes")) * time.Minute)
		case 1:
			time.Sleep(time.Duration(rapid.IntRange(1, 20).Draw(draw, "seconds")) * time.Second)
		case 2:
			instance := breakers.For(ctx)
			if instance.Name() == "inventory-other" {
				continue
			}
			if instance.Metrics().Buffered != a.buffered {
				require.Zero(t, instance.Metrics().Buffered)
				require.False(t, a.open, "%s was open", id)
				require.GreaterOrEqual(t, time.Since(a.latest), idle, "%s had outcomes", id)
				a.buffered = 0
			}
			if a.open {
				require.Equal(t, breaker.Open, instance.State(), id)
				continue
			}
			call, err := instance.Begin()
			require.NoError(t, err)
			call.End(ctx, errors.New("ill"))
			a.buffered++
			a.latest, a.open = time.Now(), a.buffered == size
		case 3:
			instance := limiters.For(ctx)
			if instance.Name() == "inventory-other" {
				continue
			}
			inPeriod := 0
			for _, at := range a.granted {
				if time.Since(at) < period {
					inPeriod++
				}
			}
			err := instance.Acquire(ctx, 1)
			require.Equal(t, inPeriod < limit, err == nil, "%s had %d of %d permits", id, inPeriod, limit)
			if err == nil {
				a.granted = append(a.granted, time.Now())
			}
		default:
			instance := bulkheads.For(ctx)
			if instance.Name() == "inventory-other" {
				continue
			}
			if len(a.held) == 0 {
				call, err := instance.Begin(ctx)
				require.NoError(t, err)
				a.held = append(a.held, call)
				continue
			}
			_, err := instance.Begin(ctx)
			require.ErrorIs(t, err, bulkhead.ErrFull, "%s has a call under way", id)
			a.held[0].End()
			a.held = nil
		}
	}
}

// TestCallsAndEvictionsAtOnce: under the race detector, no call finds an instance that was taken out, and the account of
// instances is right in the end.
func TestCallsAndEvictionsAtOnce(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithMaxInstances(50))
	ref := bindKeyed(t, rt, "inventory-{tenant}-{sku}")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				id := fmt.Sprint("t", (i*7+g)%40)
				b := ref.For(tenant(id), resil.KeyOf(resil.Int(i%3)))
				if want := fmt.Sprintf("inventory-%s-%d", id, i%3); b.Name() != want && b.Name() != "inventory-other-other" {
					t.Errorf("%s instead of %s", b.Name(), want)
				}
				switch i % 50 {
				case 0:
					rt.Breakers().Remove(b.Name())
				case 1:
					rt.NameMetrics()
				case 2:
					remove := rt.Subscribe(func(policy.Event) {})
					remove()
				case 3:
					bindKeyed(t, rt, "inventory-{tenant}-{sku}", breaker.WithSlidingWindowSize(7))
				}
			}
		})
	}
	wg.Wait()
	m := metricsOf(t, rt, policy.CircuitBreaker, "inventory")
	require.LessOrEqual(t, m.Instances, 51)
	require.Len(t, names(rt.Breakers().All(), (*breaker.Breaker).Name), m.Instances)
}
