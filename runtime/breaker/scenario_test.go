package breaker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
)

// These scenarios are those of a published Resilience4j tutorial, with the times at which things happen.

var errScenario = errors.New("the service failed")

// play makes a call that ends in err and reports whether it was made.
func play(t *testing.T, b *breaker.Breaker, err error) bool {
	ran := false
	got := breaker.Run(t.Context(), b, func(context.Context) error { ran = true; return err })
	if !ran {
		require.ErrorIs(t, got, breaker.ErrOpen)
	}
	return ran
}

func TestAlternatingFailuresOpenAndProbesFollowTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, err := breaker.New("tutorial", breaker.WithSlidingWindowSize(10), breaker.WithMinimumNumberOfCalls(10),
			breaker.WithFailureRateThreshold(50), breaker.WithWaitDurationInOpenState(900*time.Millisecond))
		require.NoError(t, err)
		for call := 1; call <= 20; call++ {
			outcome := errScenario
			if call%2 == 0 {
				outcome = nil
			}
			ran := play(t, b, outcome)
			require.Equal(t, call <= 10 || call >= 16, ran, "call %d", call)
			switch {
			case call < 10:
				require.Equal(t, breaker.Closed, b.State(), "after call %d", call)
			case call <= 15:
				require.Equal(t, breaker.Open, b.State(), "after call %d", call)
			default:
				require.Equal(t, breaker.HalfOpen, b.State(), "after call %d", call)
			}
			if !ran {
				time.Sleep(200 * time.Millisecond)
			}
		}
	})
}

func TestFiveProbesWithOneFailureCloseWithAnEmptyWindow(t *testing.T) {
	t.Parallel()
	b, err := breaker.New("tutorial", breaker.WithPermittedNumberOfCallsInHalfOpenState(5),
		breaker.WithFailureRateThreshold(50), breaker.WithInitialState(breaker.HalfOpen))
	require.NoError(t, err)
	for i, outcome := range []error{nil, nil, errScenario, nil, nil} {
		require.Equal(t, breaker.HalfOpen, b.State(), "before probe %d", i+1)
		require.True(t, play(t, b, outcome))
	}
	require.Equal(t, breaker.Closed, b.State())
	require.Zero(t, b.Metrics().Buffered)
}

func TestTwoFailuresBelowTheMinimumLeaveItClosed(t *testing.T) {
	t.Parallel()
	b, err := breaker.New("tutorial", breaker.WithMinimumNumberOfCalls(10), breaker.WithSlidingWindowSize(10))
	require.NoError(t, err)
	require.True(t, play(t, b, errScenario))
	require.True(t, play(t, b, errScenario))
	require.Equal(t, breaker.Closed, b.State())
}

func TestWindowSizeIsNoLimitOfCallsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, err := breaker.New("tutorial", breaker.WithSlidingWindowSize(100))
		require.NoError(t, err)
		release := make(chan struct{})
		made := make(chan bool, 1000)
		for range 1000 {
			go func() {
				_ = breaker.Run(t.Context(), b, func(context.Context) error { made <- true; <-release; return nil })
			}()
		}
		synctest.Wait()
		require.Len(t, made, 1000)
		close(release)
	})
}
