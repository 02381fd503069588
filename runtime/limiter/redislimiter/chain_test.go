package redislimiter_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter/internal/redistest"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

// A chain is what a generated wrapper does: a retry around a circuit breaker around a rate limiter.
type chain struct {
	retry   *retry.Retry
	breaker *breaker.Breaker
	limiter *limiter.Limiter
}

// call returns how many attempts it made, and the error that its caller gets.
func (c *chain) call(ctx context.Context) (attempts int, err error) {
	again := c.retry.Begin()
	for {
		attempts++
		err := c.guarded(ctx)
		if !again.Again(ctx, &err) {
			return attempts, policy.Unmark(err)
		}
	}
}

func (c *chain) guarded(ctx context.Context) error {
	call, err := c.breaker.Begin()
	if err != nil {
		return policy.MarkInner(err)
	}
	defer call.Abort()
	err = policy.MarkInner(c.limiter.AcquireAt(ctx, call.Began(), 1))
	call.End(ctx, err)
	return err
}

func TestServerThatDiesUnderLoadOpensNoBreakerAndIsNotRetried(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	client := redis.NewClient(&redis.Options{Addr: s.Addr()})
	t.Cleanup(func() { client.Close() })
	b, err := breaker.New("payments", breaker.WithSlidingWindowSize(10), breaker.WithMinimumNumberOfCalls(5))
	require.NoError(t, err)
	r, err := retry.New("payments", retry.WithMaxAttempts(5), retry.WithWaitDuration(time.Millisecond))
	require.NoError(t, err)
	backend := redislimiter.Backend(client,
		redislimiter.WithOnUnavailable(limiter.Deny), redislimiter.WithCallTimeout(budget))
	c := &chain{r, b, behind(t, backend, 1_000_000, time.Second)}

	var passed, denied, strange, repeated atomic.Int64
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
				}
				attempts, err := c.call(t.Context())
				if attempts > 1 {
					repeated.Add(1)
				}
				_, unanswered := policy.As[*limiter.UnansweredError](err)
				switch {
				case err == nil:
					passed.Add(1)
				case unanswered:
					denied.Add(1)
				default:
					strange.Add(1)
				}
			}
		})
	}
	reaches := func(n *atomic.Int64, more int64) {
		t.Helper()
		more += n.Load()
		require.Eventually(t, func() bool { return n.Load() >= more }, recovery, time.Millisecond)
	}
	reaches(&passed, 50)
	s.Kill(t)
	reaches(&denied, 500)
	require.Equal(t, breaker.Closed, b.State())
	s.Restart(t)
	reaches(&passed, 50)
	close(stop)
	group.Wait()
	require.Equal(t, breaker.Closed, b.State())
	require.Zero(t, repeated.Load(), "calls with more than one attempt")
	require.Zero(t, strange.Load(), "other errors")
	require.Zero(t, b.Metrics().Failed)
}
