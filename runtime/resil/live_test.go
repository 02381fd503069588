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

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

// A chain is a wrapper with four layers around a call.
type chain struct {
	retry    resil.Ref[retry.Retry]
	breaker  resil.Ref[breaker.Breaker]
	limiter  resil.Ref[limiter.Limiter]
	bulkhead resil.Ref[bulkhead.Bulkhead]
}

func newChain(t *testing.T, rt *resil.Runtime, name string) *chain {
	t.Helper()
	var c chain
	b := resil.Bind(rt, "example.com/shop/chain", "chain.Client")
	b.Retry(&c.retry, name)
	b.Breaker(&c.breaker, name)
	b.Limiter(&c.limiter, name)
	b.Bulkhead(&c.bulkhead, name)
	require.NoError(t, b.Err())
	return &c
}

func (c *chain) call(ctx context.Context, fn func(context.Context) error) error {
	return retry.Run(ctx, c.retry.For(ctx), func(ctx context.Context) error {
		return breaker.Run(ctx, c.breaker.For(ctx), func(ctx context.Context) error {
			return limiter.Run(ctx, c.limiter.For(ctx), func(ctx context.Context) error {
				return bulkhead.Run(ctx, c.bulkhead.For(ctx), fn)
			})
		})
	})
}

// TestThousandChangesUnderLoad changes all settings again and again while calls go through them. Every fourth attempt
// fails, and is repeated; nothing else may fail, for the limits are such that each call gets through. Not more calls may
// be inside than the bulkhead's limit in force says, nor more permits be had of the scarce limiter than its highest.
func TestThousandChangesUnderLoad(t *testing.T) {
	t.Parallel()
	const changes, callers = 1000, 16
	settings := func(n int) *resil.Document {
		pick := func(a, b any) any { return []any{a, b}[n%2] }
		return doc(
			said(policy.Retry, "db", 1, "maxAttempts", 100+n, "waitDuration", time.Duration(0)),
			said(policy.CircuitBreaker, "db", 10, "failureRateThreshold", 100.0, "slidingWindowSize", 64+n%3,
				"slidingWindowType", pick(breaker.CountBased, breaker.TimeBased), "minimumNumberOfCalls", 64),
			said(policy.RateLimiter, "db", 20, "limitForPeriod", pick(1_000_000_000, 2_000_000_000),
				"limitRefreshPeriod", pick(time.Millisecond, 2*time.Millisecond)),
			said(policy.Bulkhead, "db", 30, "maxConcurrentCalls", pick(8, 4), "maxWaitDuration", time.Hour),
			said(policy.RateLimiter, "scarce", 40, "limitForPeriod", 100+n%2*n, "limitRefreshPeriod", 1000*time.Hour,
				"timeoutDuration", time.Duration(0)),
		)
	}
	source := newSource(settings(0))
	rt := newRuntime(t, resil.WithSource(source))
	var refused atomic.Int64
	rt.Subscribe(func(e policy.Event) {
		if e.Type == resil.SettingsRefused {
			refused.Add(1)
		}
	})
	c := newChain(t, rt, "db")
	scarce, ok := rt.Limiter("scarce")
	require.True(t, ok)
	inside, _ := rt.Bulkhead("db")

	var attempts, in, most, admitted, wrong, failed atomic.Int64
	most.Store(8)
	fn := func(context.Context) error {
		defer in.Add(-1)
		if in.Add(1) > most.Load() {
			wrong.Add(1)
		}
		if scarce.Acquire(context.Background(), 1) == nil {
			admitted.Add(1)
		}
		runtime.Gosched()
		if attempts.Add(1)%4 == 0 {
			return errDown
		}
		return nil
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range callers {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if c.call(t.Context(), fn) != nil {
						failed.Add(1)
					}
				}
			}
		})
	}
	for n := range changes {
		lower := n%2 == 1
		if !lower {
			most.Store(8)
		}
		source.say(settings(n), nil)
		if lower {
			for inside.Metrics().ConcurrentCalls > 4 { // those who were let in before leave
				runtime.Gosched()
			}
			most.Store(4)
		}
		for seen := attempts.Load(); attempts.Load() < seen+4; {
			runtime.Gosched()
		}
	}
	close(stop)
	wg.Wait()
	require.Zero(t, refused.Load())
	require.Zero(t, failed.Load(), "no call fails")
	require.Zero(t, wrong.Load(), "nobody is inside whom the limit in force forbids")
	require.LessOrEqual(t, admitted.Load(), int64(100+changes-1))
	require.Greater(t, attempts.Load(), int64(changes))
	require.Equal(t, 100+changes-1, c.retry.For(t.Context()).Config().MaxAttempts)
}

func TestCloseWakesThoseWhoWaitInTheInstanceOfATenant(t *testing.T) {
	t.Parallel()
	source := newSource(doc(said(policy.Retry, "db", 1, "waitDuration", time.Hour),
		said(policy.Bulkhead, "db", 4, "maxConcurrentCalls", 1, "maxWaitDuration", time.Hour),
		said(policy.RateLimiter, "db", 8, "limitForPeriod", 2, "limitRefreshPeriod", time.Hour, "timeoutDuration", time.Hour)))
	synctest.Test(t, func(t *testing.T) {
		source.watching, source.ended = make(chan func(*resil.Document, error), 1), make(chan struct{})
		rt, err := resil.New(resil.WithSource(source))
		require.NoError(t, err)
		c := newChain(t, rt, "db-{tenant}")
		ctx := acme(t.Context())
		release := make(chan struct{})
		inFlight := begin(func() error {
			return c.call(ctx, func(context.Context) error { <-release; return nil })
		})
		synctest.Wait()
		var waiting []<-chan error
		for range 2 { // the one waits for the bulkhead, the other for the limiter
			waiting = append(waiting, begin(func() error { return c.call(ctx, succeed) }))
			synctest.Wait()
		}
		waiting = append(waiting, begin(func() error {
			return retry.Run(ctx, c.retry.For(ctx), fail)
		}))
		time.Sleep(time.Second)
		start := time.Now()
		require.NoError(t, rt.Close())
		for _, w := range waiting {
			require.ErrorIs(t, <-w, resil.ErrClosed)
		}
		require.Zero(t, time.Since(start))
		require.Empty(t, inFlight)
		close(release)
		require.NoError(t, <-inFlight)
		<-source.ended
		require.NoError(t, rt.Close())
		require.ErrorIs(t, c.call(ctx, succeed), limiter.ErrExceeded, "later calls are judged")
		require.Zero(t, time.Since(start), "but do not wait")
	})
}

func TestCloseWhileSettingsChange(t *testing.T) {
	t.Parallel()
	source := newSource(doc())
	rt, err := resil.New(resil.WithSource(source), resil.WithRetryConfig("default", retry.WithWaitDuration(time.Hour)))
	require.NoError(t, err)
	c := newChain(t, rt, "db-{tenant}")
	var wg sync.WaitGroup
	underLoad := make(chan struct{})
	wg.Go(func() {
		for n := range 500 {
			if n == 100 {
				close(underLoad)
			}
			source.say(doc(said(policy.CircuitBreaker, "db", 1, "slidingWindowSize", 1+n),
				said(policy.Retry, "db", 4, "maxAttempts", 2+n)), nil)
		}
	})
	for range 4 {
		wg.Go(func() {
			for range 100 {
				_ = c.call(acme(context.Background()), fail)
				_ = c.call(context.Background(), succeed)
			}
		})
	}
	<-underLoad
	require.NoError(t, rt.Close())
	require.NoError(t, rt.Close())
	wg.Wait()
	<-source.ended
	size := c.breaker.For(t.Context()).Config().SlidingWindowSize
	source.say(doc(said(policy.CircuitBreaker, "db", 1, "slidingWindowSize", 7777)), nil)
	require.Equal(t, size, c.breaker.For(t.Context()).Config().SlidingWindowSize, "a closed runtime follows no source")
}
