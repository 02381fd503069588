package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

func TestARetryIsFreshWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, err := retry.New("fresh", retry.WithMaxAttempts(2), retry.WithWaitDuration(time.Minute))
		require.NoError(t, err)
		require.True(t, r.Fresh(0))
		done := make(chan error)
		ill := errors.New("ill")
		go func() { done <- retry.Run(t.Context(), r, func(context.Context) error { return ill }) }()
		synctest.Wait()
		require.False(t, r.Fresh(0), "a call waits for its next attempt")
		require.ErrorIs(t, <-done, ill)
		require.True(t, r.Fresh(0))
		unsubscribe := r.Subscribe(func(policy.Event) {})
		require.False(t, r.Fresh(0), "somebody listens")
		unsubscribe()
		require.True(t, r.Fresh(0))
	})
}

func TestRetriesOfOneTemplateShareNothingButTheirConfig(t *testing.T) {
	t.Parallel()
	config := retry.DefaultConfig()
	config.MaxAttempts, config.WaitDuration = 2, 0
	template, err := retry.NewTemplate(config)
	require.NoError(t, err)
	a, b := template.New("a"), template.New("b")
	require.Error(t, retry.Run(t.Context(), a, func(context.Context) error { return errors.New("ill") }))
	require.EqualValues(t, 1, a.Metrics().FailedCallsWithRetry)
	require.Zero(t, b.Metrics())
	changed := config
	changed.MaxAttempts = 3
	require.NoError(t, a.Reconfigure(changed))
	require.Equal(t, 3, a.Config().MaxAttempts)
	require.Equal(t, 2, b.Config().MaxAttempts)
	require.NoError(t, a.Close())
	require.Equal(t, "b", b.Name())
	_, err = retry.NewTemplate(retry.Config{})
	require.ErrorContains(t, err, "maxAttempts is 0")
}
