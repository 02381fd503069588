package timelimiter_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// The facts are those of Resilience4j's own TimeLimiterTest (79), and of its TimeLimiterConfig and events (1.8).

func TestDefaultsAreThoseOfResilience4j(t *testing.T) {
	t.Parallel()
	require.Equal(t, timelimiter.Config{TimeoutDuration: time.Second, CancelRunningFuture: true, Enabled: true}, newLimiter(t).Config())
}

func TestTimeoutDurationMustBeAboveZero(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0:  `timelimiter "test": timeoutDuration is 0s; it must be above 0`,
		-1: `timelimiter "test": timeoutDuration is -1ns; it must be above 0`,
	} {
		_, err := timelimiter.New("test", timelimiter.WithTimeoutDuration(d))
		require.EqualError(t, err, want)
	}
	_, err := timelimiter.New("test", timelimiter.WithTimeoutDuration(1))
	require.NoError(t, err)
	_, err = timelimiter.New("")
	require.EqualError(t, err, "timelimiter: the name is empty; an instance needs one")
}

func TestFact79WorkThatNeverEndsTimesOutAndIsCancelledIfSoConfigured(t *testing.T) {
	t.Parallel()
	for _, cancel := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := newLimiter(t, timelimiter.WithCancelRunningFuture(cancel))
			require.Equal(t, "test", l.Name())
			cancelled, never := false, make(chan struct{})
			_, err := timelimiter.Detach(t.Context(), l, func(ctx context.Context) (int, error) {
				select {
				case <-ctx.Done():
					cancelled = true
				case <-never:
				}
				return 0, nil
			})
			if cancel && err == nil { // the work, woken at the limit, was ahead of the caller
				require.Equal(t, uint64(1), l.Metrics().SuccessfulCalls)
			} else {
				require.Equal(t, "test", requireTimeout(t, err).Name())
			}
			synctest.Wait()
			require.Equal(t, cancel, cancelled)
			close(never)
		})
	}
}

func TestFact79InnerErrorComesAsItIs(t *testing.T) {
	t.Parallel()
	_, err := timelimiter.Detach(t.Context(), newLimiter(t), heedless(0, errBoom))
	require.True(t, err == errBoom)
}

func TestFact79LimitOf300AgainstWorkOf500(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t, timelimiter.WithTimeoutDuration(300*ms))
		start := time.Now()
		_, err := timelimiter.Detach(t.Context(), l, heedless(500*ms, nil))
		requireTimeout(t, err)
		require.Equal(t, 300*ms, time.Since(start))
		time.Sleep(time.Second)
	})
}

func TestTimeoutOfTheCallsOwnIsAnErrorAndNoTimeout(t *testing.T) {
	t.Parallel()
	l := newLimiter(t)
	events := record(l)
	err := timelimiter.Run(t.Context(), l, func(context.Context) error { return context.DeadlineExceeded })
	require.Equal(t, context.DeadlineExceeded, err)
	require.Equal(t, []policy.EventType{policy.Error}, types(*events))
}
