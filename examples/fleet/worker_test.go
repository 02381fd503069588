package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/examples/fleet/payments"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// paid charges without a provider.
type paid struct{}

func (paid) Charge(context.Context, string) error { return nil }

// A Redis that is gone says nothing of the provider: the circuit breaker stays closed, and nobody tries again.
func TestARedisThatDiesIsNotTheProvidersFault(t *testing.T) {
	stop, address, err := startRedis(t.Context())
	require.NoError(t, err)
	stopOnce := sync.OnceFunc(stop)
	t.Cleanup(stopOnce)
	client := redis.NewClient(&redis.Options{Addr: address})
	t.Cleanup(func() { _ = client.Close() })
	rt, err := resil.New(
		resil.WithLimiterBackend("redis", redislimiter.Backend(client)),
		resil.WithLimiter("payments", limiter.WithLimitForPeriod(1_000_000)),
	)
	require.NoError(t, err)
	t.Cleanup(func() { _ = rt.Close() })
	var retried atomic.Int64
	rt.Subscribe(func(e policy.Event) {
		if e.Type == policy.RetryScheduled {
			retried.Add(1)
		}
	})
	charges, err := payments.NewResilientClient(paid{}, rt)
	require.NoError(t, err)

	dead := make(chan struct{})
	var unanswered, other atomic.Int64
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			after := 0
			for began := time.Now(); after < 100 && time.Since(began) < time.Minute; {
				err := charges.Charge(t.Context(), "order")
				select {
				case <-dead:
					after++
				default:
				}
				switch {
				case errors.Is(err, limiter.ErrUnanswered):
					unanswered.Add(1)
				case err != nil:
					other.Add(1)
				}
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	stopOnce()
	close(dead)
	all.Wait()

	require.Positive(t, unanswered.Load())
	require.Zero(t, other.Load())
	require.Zero(t, retried.Load())
	b, ok := rt.Breaker("payments")
	require.True(t, ok)
	require.Equal(t, breaker.Closed, b.State())
	require.Zero(t, b.Metrics().Failed)
}
