package fallback_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/policy"
)

var (
	errBoom    = errors.New("boom")
	errMissing = errors.New("missing")
	errOwn     = errors.New("fallback failed")
)

func newFallback(t testing.TB) *fallback.Fallback {
	t.Helper()
	f, err := fallback.New("test")
	require.NoError(t, err)
	return f
}

func TestAccountTellsWhoAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFallback(t)
		require.Equal(t, "test", f.Name())
		require.Empty(t, f.Metrics().Handlers)
		var events []policy.Event
		f.Subscribe(func(e policy.Event) { events = append(events, e) })
		f.Answered("stockUnknown", errBoom, nil)
		f.Answered("stockMissing", errMissing, nil)
		f.Answered("stockUnknown", errMissing, errOwn)
		f.Answered("stockUnknown", errBoom, errBoom)
		require.Equal(t, []fallback.HandlerMetrics{
			{Handler: "stockUnknown", Answered: 1, Failed: 2},
			{Handler: "stockMissing", Answered: 1},
		}, f.Metrics().Handlers, "by first appearance")
		event := func(kind policy.EventType, handler string, err error) policy.Event {
			return policy.Event{Time: time.Now(), Kind: policy.Fallback, Name: "test", Type: kind, Handler: handler, Err: err}
		}
		require.Equal(t, []policy.Event{
			event(policy.Answered, "stockUnknown", errBoom),
			event(policy.Answered, "stockMissing", errMissing),
			event(policy.FallbackFailed, "stockUnknown", errOwn),
			event(policy.FallbackFailed, "stockUnknown", errBoom),
		}, events)
	})
}

func TestAccountNeedsAName(t *testing.T) {
	t.Parallel()
	_, err := fallback.New("")
	require.EqualError(t, err, "fallback: the name is empty; an instance needs one")
}

func TestPanicOfAListenerIsNotFelt(t *testing.T) {
	t.Parallel()
	f := newFallback(t)
	f.SetLogger(slog.New(slog.DiscardHandler))
	unsubscribe := f.Subscribe(func(policy.Event) { panic("listener is broken") })
	require.NotPanics(t, func() { f.Answered("a", errBoom, nil) })
	unsubscribe()
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	f.Answered("a", errBoom, nil)
	require.Equal(t, []fallback.HandlerMetrics{{Handler: "a", Answered: 2}}, f.Metrics().Handlers)
}

func TestAccountIsExactWhenManyAnswerAtOnce(t *testing.T) {
	t.Parallel()
	f := newFallback(t)
	names := []string{"a", "b", "c", "d"}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 400 {
				f.Answered(names[(i+j)%len(names)], errBoom, nil)
				_ = f.Metrics()
			}
		})
	}
	group.Wait()
	handlers := f.Metrics().Handlers
	require.Len(t, handlers, len(names))
	for _, h := range handlers {
		require.Equal(t, uint64(800), h.Answered, h.Handler)
	}
}

func TestKnownHandlerIsCountedWithoutAnAllocation(t *testing.T) {
	f := newFallback(t)
	f.Answered("stockMissing", errMissing, nil)
	f.Answered("stockUnknown", errBoom, nil)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		f.Answered("stockUnknown", errBoom, nil)
		f.Answered("stockUnknown", errBoom, errBoom)
	}))
}

func TestCallThatSucceedsAllocatesNothing(t *testing.T) {
	f := newFallback(t)
	handler := fallback.Otherwise("unknown", func(context.Context, error) (int, error) { return -1, nil })
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = fallback.Do(ctx, f, func(context.Context) (int, error) { return 7, nil }, handler)
	}))
}
