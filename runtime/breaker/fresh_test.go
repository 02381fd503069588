package breaker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

func TestABreakerIsFreshWhenItRemembersNothing(t *testing.T) {
	t.Parallel()
	for _, window := range []breaker.SlidingWindowType{breaker.CountBased, breaker.TimeBased} {
		synctest.Test(t, func(t *testing.T) {
			b, err := breaker.New("fresh", breaker.WithSlidingWindowType(window), breaker.WithSlidingWindowSize(10))
			require.NoError(t, err)
			require.True(t, b.Fresh(0))
			require.True(t, b.Quiet())
			require.NoError(t, breaker.Run(t.Context(), b, func(context.Context) error { return nil }))
			require.False(t, b.Fresh(0), "an outcome")
			require.Equal(t, window == breaker.CountBased, b.Quiet())
			time.Sleep(11 * time.Second)
			require.Equal(t, window == breaker.TimeBased, b.Fresh(0), "seconds pass, counts stay")
			require.True(t, b.Quiet())
			b.Reset()
			require.True(t, b.Fresh(0))

			unsubscribe := b.Subscribe(func(policy.Event) {})
			require.False(t, b.Fresh(0), "somebody listens")
			require.False(t, b.Quiet())
			unsubscribe()
			for _, state := range []breaker.State{
				breaker.Open, breaker.HalfOpen, breaker.ForcedOpen, breaker.Disabled, breaker.MetricsOnly,
			} {
				require.NoError(t, b.TransitionTo(state))
				require.False(t, b.Fresh(0), state)
				require.False(t, b.Quiet(), state)
			}
			b.Reset()
			require.True(t, b.Fresh(0))
		})
	}
}

func TestABreakerThatBeginsInAnotherStateIsFreshInThat(t *testing.T) {
	t.Parallel()
	for state, fresh := range map[breaker.State]bool{
		breaker.Disabled: true, breaker.ForcedOpen: true, breaker.MetricsOnly: true, breaker.Open: false,
	} {
		b, err := breaker.New("fresh", breaker.WithInitialState(state))
		require.NoError(t, err)
		require.Equal(t, fresh, b.Fresh(0), state)
	}
	b, err := breaker.New("fresh", breaker.WithInitialState(breaker.MetricsOnly))
	require.NoError(t, err)
	require.Error(t, breaker.Run(t.Context(), b, func(context.Context) error { return errors.New("ill") }))
	require.False(t, b.Fresh(0))
}
