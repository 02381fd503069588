package resiltest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/resiltest"
)

func TestForcedOpenBreakerRefusesUntilReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := resiltest.New(t, resil.WithBreaker("inventory", breaker.WithWaitDurationInOpenState(time.Second)))
		b, _ := rt.Breaker("inventory")
		release := resiltest.ForceOpen(t, rt, "inventory")
		for range 3 {
			_, err := b.Begin()
			require.ErrorIs(t, err, breaker.ErrOpen)
			time.Sleep(time.Hour) // it does not try again by itself
		}
		release()
		require.Equal(t, breaker.Closed, b.State())
		call, err := b.Begin()
		require.NoError(t, err)
		call.End(t.Context(), nil)
		release()
		require.Equal(t, 1, b.Metrics().Buffered, "a second release changes nothing")
	})
}

func TestForcedOpenBreakerIsReleasedAtTheEndOfASubtest(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.WithBreaker("inventory"))
	b, _ := rt.Breaker("inventory")
	t.Run("open", func(t *testing.T) {
		resiltest.ForceOpen(t, rt, "inventory")
		require.Equal(t, breaker.ForcedOpen, b.State())
	})
	require.Equal(t, breaker.Closed, b.State())
}

func TestReleaseLeavesAStateThatSomebodyElseHasSet(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.WithBreaker("inventory"))
	b, _ := rt.Breaker("inventory")
	release := resiltest.ForceOpen(t, rt, "inventory")
	require.NoError(t, b.TransitionTo(breaker.Disabled))
	release()
	require.Equal(t, breaker.Disabled, b.State())
}
