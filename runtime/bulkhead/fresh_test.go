package bulkhead_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/policy"
)

func TestABulkheadIsFreshWhenItIsEmpty(t *testing.T) {
	t.Parallel()
	b, err := bulkhead.New("fresh")
	require.NoError(t, err)
	require.True(t, b.Fresh(0))
	call, err := b.Begin(t.Context())
	require.NoError(t, err)
	require.False(t, b.Fresh(0), "a call is under way")
	call.End()
	require.True(t, b.Fresh(0))
	unsubscribe := b.Subscribe(func(policy.Event) {})
	require.False(t, b.Fresh(0), "somebody listens")
	unsubscribe()
	require.True(t, b.Fresh(0))
}

func TestAPoolIsFreshWhenItIsIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, err := bulkhead.NewPool("fresh", bulkhead.WithMaxThreadPoolSize(1), bulkhead.WithCoreThreadPoolSize(1))
		require.NoError(t, err)
		defer p.Close()
		require.True(t, p.Fresh(0))
		release, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			_, _ = bulkhead.Submit(t.Context(), p, func(context.Context) (int, error) { <-release; return 0, nil })
		}()
		synctest.Wait()
		require.False(t, p.Fresh(0), "a call is under way")
		close(release)
		<-done
		synctest.Wait()
		require.True(t, p.Fresh(0), "its goroutine is idle")
		defer p.Subscribe(func(policy.Event) {})()
		require.False(t, p.Fresh(0), "somebody listens")
	})
}

func TestBulkheadsOfOneTemplateShareNothingButTheirConfig(t *testing.T) {
	t.Parallel()
	config := bulkhead.DefaultConfig()
	config.MaxConcurrentCalls = 1
	template, err := bulkhead.NewTemplate(config)
	require.NoError(t, err)
	a, b := template.New("a"), template.New("b")
	call, err := a.Begin(t.Context())
	require.NoError(t, err)
	defer call.End()
	_, err = a.Begin(t.Context())
	require.ErrorContains(t, err, `bulkhead "a" is full`)
	other, err := b.Begin(t.Context())
	require.NoError(t, err)
	other.End()
	changed := config
	changed.MaxConcurrentCalls = 2
	require.NoError(t, a.Reconfigure(changed))
	require.Equal(t, changed, a.Config())
	require.Equal(t, config, b.Config())
	_, err = bulkhead.NewTemplate(bulkhead.Config{MaxConcurrentCalls: -1})
	require.ErrorContains(t, err, "maxConcurrentCalls is -1")
}
