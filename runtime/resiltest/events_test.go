package resiltest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/resiltest"
	"github.com/resilgen/resilgen/runtime/retry"
)

func TestEventsAreRecordedInOrderAndFiltered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := resiltest.New(t, resil.WithBreaker("inventory"), resil.WithRetry("inventory"), resil.WithRetry("orders"))
		events := resiltest.Events(t, rt)
		retries := events.OfKind(policy.Retry)
		inventory := retries.Named("inventory")
		require.Zero(t, events.Len())

		broken := errors.New("connection reset")
		r, _ := rt.Retry("inventory")
		require.ErrorIs(t, retry.Run(t.Context(), r, func(context.Context) error { return broken }), broken)
		other, _ := rt.Retry("orders")
		require.ErrorIs(t, retry.Run(t.Context(), other, func(context.Context) error { return broken }), broken)
		resiltest.ForceOpen(t, rt, "inventory")

		three := []policy.EventType{policy.RetryScheduled, policy.RetryScheduled, policy.Error}
		require.Equal(t, three, inventory.Types())
		require.Equal(t, append(three, three...), retries.Types())
		require.Equal(t, 4, events.OfType(policy.RetryScheduled).Len())
		require.Equal(t, 6, events.OfType(policy.RetryScheduled, policy.Error).Len())
		require.Equal(t, 6, events.OfKind(policy.Retry, policy.Bulkhead).Named("inventory", "orders").Len())
		require.Equal(t, []policy.EventType{policy.StateTransition}, events.OfKind(policy.CircuitBreaker).Types())
		require.Equal(t, 2, inventory.All()[1].Attempt)
		require.ErrorIs(t, inventory.All()[1].Err, broken)

		inventory.Clear()
		require.Zero(t, inventory.Len())
		require.Equal(t, three, retries.Types(), "those of orders are still there")
		events.Clear()
		require.Empty(t, events.All())
	})
}

func TestRecordingEndsWithTheTest(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.WithBreaker("inventory"))
	b, _ := rt.Breaker("inventory")
	var events *resiltest.Recording
	t.Run("recorded", func(t *testing.T) {
		events = resiltest.Events(t, rt)
		b.Reset()
		require.Equal(t, []policy.EventType{policy.Reset}, events.Types())
	})
	b.Reset()
	require.Equal(t, 1, events.Len())
}

func TestEventsOfManyGoroutinesAreAllRecorded(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.WithBreaker("inventory"))
	b, _ := rt.Breaker("inventory")
	events := resiltest.Events(t, rt).OfType(policy.Success)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for range 50 {
				_ = breaker.Run(context.Background(), b, nothing)
				events.Len()
			}
		})
	}
	calls.Wait()
	require.Equal(t, 400, events.Len())
}
