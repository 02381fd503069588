package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/retry"
)

// TestOnlyTimeoutsAreRetriedASecondApart is a scenario of a published Resilience4j tutorial: three attempts, a second
// apart, for timeouts alone.
func TestOnlyTimeoutsAreRetriedASecondApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, err := retry.New("tutorial", retry.WithMaxAttempts(3), retry.WithWaitDuration(time.Second),
			retry.WithRetryErrors(func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }))
		require.NoError(t, err)
		calls := func(outcome error) (at []time.Duration, err error) {
			began := time.Now()
			err = retry.Run(t.Context(), r, func(context.Context) error { at = append(at, time.Since(began)); return outcome })
			return at, err
		}
		at, err := calls(context.DeadlineExceeded)
		require.True(t, err == context.DeadlineExceeded, "the timeout error itself")
		require.Equal(t, []time.Duration{0, time.Second, 2 * time.Second}, at)

		other := errors.New("another error")
		at, err = calls(other)
		require.True(t, err == other)
		require.Equal(t, []time.Duration{0}, at)
	})
}
