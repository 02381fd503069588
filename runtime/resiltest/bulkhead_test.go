package resiltest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/resiltest"
)

func nothing(context.Context) error { return nil }

func TestFullBulkheadRefusesUntilReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := resiltest.New(t, resil.WithBulkhead("inventory",
			bulkhead.WithMaxConcurrentCalls(3), bulkhead.WithMaxWaitDuration(time.Minute)))
		b, _ := rt.Bulkhead("inventory")
		own, err := b.Begin(t.Context())
		require.NoError(t, err)
		release := resiltest.Fill(t, rt, "inventory")
		began := time.Now()
		require.ErrorIs(t, bulkhead.Run(t.Context(), b, nothing), bulkhead.ErrFull)
		require.Equal(t, time.Minute, time.Since(began), "a call waits as long as it may")
		own.End()
		require.NoError(t, bulkhead.Run(t.Context(), b, nothing), "what Fill has not taken comes back")
		release()
		release()
		require.Equal(t, 3, b.Metrics().AvailableConcurrentCalls)
		require.Zero(t, b.Metrics().InterruptedCalls)
	})
}

func TestFullPoolRefusesUntilReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := resiltest.New(t, resil.WithPoolBulkhead("reports", bulkhead.WithMaxThreadPoolSize(3),
			bulkhead.WithCoreThreadPoolSize(1), bulkhead.WithQueueCapacity(5)))
		p, _ := rt.PoolBulkhead("reports")
		before := p.Config()
		for range 3 {
			release := resiltest.Fill(t, rt, "reports")
			began := time.Now()
			require.ErrorIs(t, bulkhead.RunPool(t.Context(), p, nothing), bulkhead.ErrFull)
			require.Zero(t, time.Since(began))
			require.Equal(t, 3, p.Metrics().ActiveThreadCount)
			release()
			release()
			require.Equal(t, before, p.Config())
			require.Zero(t, p.Metrics().ActiveThreadCount)
			require.NoError(t, bulkhead.RunPool(t.Context(), p, nothing))
		}
	})
}

func TestFillFillsBothOfOneName(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.WithBulkhead("inventory"), resil.WithPoolBulkhead("inventory"))
	b, _ := rt.Bulkhead("inventory")
	p, _ := rt.PoolBulkhead("inventory")
	t.Run("full", func(t *testing.T) {
		resiltest.Fill(t, rt, "inventory")
		require.ErrorIs(t, bulkhead.Run(t.Context(), b, nothing), bulkhead.ErrFull)
		require.ErrorIs(t, bulkhead.RunPool(t.Context(), p, nothing), bulkhead.ErrFull)
	})
	require.NoError(t, bulkhead.Run(t.Context(), b, nothing))
	require.NoError(t, bulkhead.RunPool(t.Context(), p, nothing))
}

// TestTooManyPlacesEndTheTest: two thousand million slots are no help to a test, and would take its machine down.
func TestTooManyPlacesEndTheTest(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.WithBulkhead("inventory", bulkhead.WithMaxConcurrentCalls(2_000_000)),
		resil.WithPoolBulkhead("reports", bulkhead.WithMaxThreadPoolSize(2_000_000)))
	require.Equal(t, `resiltest: the bulkhead "inventory" has maxConcurrentCalls=2000000, and Fill takes each place; `+
		`give it at most 100000 in this test`, try(t, func(t testing.TB) { resiltest.Fill(t, rt, "inventory") }))
	require.Contains(t, try(t, func(t testing.TB) { resiltest.Fill(t, rt, "reports") }), "maxThreadPoolSize=2000000")
}
