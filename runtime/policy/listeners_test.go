package policy_test

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
)

func TestListenersReceiveInTheOrderOfTheirSubscription(t *testing.T) {
	t.Parallel()
	var listeners policy.Listeners
	require.False(t, listeners.Any())
	var got []string
	for _, name := range []string{"first", "second", "third"} {
		listeners.Subscribe(func(policy.Event) { got = append(got, name) })
	}
	require.True(t, listeners.Any())
	listeners.Publish(policy.Event{})
	require.Equal(t, []string{"first", "second", "third"}, got)
}

func TestEventIsStampedWithTheWallClockWhenItIsPublished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var listeners policy.Listeners
		var got policy.Event
		listeners.Subscribe(func(e policy.Event) { got = e })
		time.Sleep(time.Minute)
		listeners.Publish(policy.Event{Kind: policy.Retry, Name: "stock", Type: policy.Success})
		require.Equal(t, policy.Event{Time: time.Now(), Kind: policy.Retry, Name: "stock", Type: policy.Success}, got)
	})
}

func TestUnsubscribedListenerReceivesNothingMore(t *testing.T) {
	t.Parallel()
	var listeners policy.Listeners
	var first, second int
	unsubscribe := listeners.Subscribe(func(policy.Event) { first++ })
	unsubscribeSecond := listeners.Subscribe(func(policy.Event) { second++ })
	listeners.Publish(policy.Event{})
	unsubscribe()
	unsubscribe()
	listeners.Publish(policy.Event{})
	require.Equal(t, 1, first)
	require.Equal(t, 2, second)
	unsubscribeSecond()
	require.False(t, listeners.Any())
}

func TestTheSameFunctionSubscribedTwiceIsTwoListeners(t *testing.T) {
	t.Parallel()
	var listeners policy.Listeners
	var calls int
	receive := func(policy.Event) { calls++ }
	unsubscribe := listeners.Subscribe(receive)
	listeners.Subscribe(receive)
	listeners.Publish(policy.Event{})
	require.Equal(t, 2, calls)
	unsubscribe()
	listeners.Publish(policy.Event{})
	require.Equal(t, 3, calls)
}

func TestPanicOfAListenerIsLoggedAndReachesNobody(t *testing.T) {
	t.Parallel()
	var listeners policy.Listeners
	var log bytes.Buffer
	listeners.SetLogger(slog.New(slog.NewTextHandler(&log, nil)))
	reached := false
	listeners.Subscribe(func(policy.Event) { panic("listener is broken") })
	listeners.Subscribe(func(policy.Event) { reached = true })
	require.NotPanics(t, func() {
		listeners.Publish(policy.Event{Kind: policy.Retry, Name: "stock", Type: policy.Error, Err: nilMethodError{}})
	})
	require.True(t, reached, "the listeners after it still receive")
	require.Contains(t, log.String(), "a listener panicked")
	require.Contains(t, log.String(), "listener is broken")
	require.Contains(t, log.String(), `retry \"stock\" ERROR`)
	require.Contains(t, log.String(), "listeners_test.go", "the stack says where")
}

// nilMethodError is an error whose text panics.
type nilMethodError struct{ inner error }

func (e nilMethodError) Error() string { return e.inner.Error() }

func TestListenerMaySubscribeUnsubscribeAndPublish(t *testing.T) {
	t.Parallel()
	var listeners policy.Listeners
	var got []policy.EventType
	var unsubscribe func()
	unsubscribe = listeners.Subscribe(func(e policy.Event) {
		unsubscribe()
		listeners.Subscribe(func(e policy.Event) { got = append(got, e.Type) })
		listeners.Publish(policy.Event{Type: policy.Reset})
	})
	listeners.Publish(policy.Event{Type: policy.Success})
	require.Equal(t, []policy.EventType{policy.Reset}, got, "who subscribes during an event hears the next one first")
}

func TestListenerThatLeavesDuringAnEventTakesItFromNobody(t *testing.T) {
	t.Parallel()
	var listeners policy.Listeners
	var got []string
	var leave func()
	leave = listeners.Subscribe(func(policy.Event) { got = append(got, "first"); leave() })
	listeners.Subscribe(func(policy.Event) { got = append(got, "second") })
	listeners.Subscribe(func(policy.Event) { got = append(got, "third") })
	listeners.Publish(policy.Event{})
	require.Equal(t, []string{"first", "second", "third"}, got)
	listeners.Publish(policy.Event{})
	require.Equal(t, []string{"first", "second", "third", "second", "third"}, got)
}

func TestListenersChangeWhileEventsArePublished(t *testing.T) {
	t.Parallel()
	var listeners policy.Listeners
	var group sync.WaitGroup
	var mu sync.Mutex
	steady := 0
	listeners.Subscribe(func(policy.Event) { mu.Lock(); steady++; mu.Unlock() })
	for range 4 {
		group.Go(func() {
			for range 100 {
				unsubscribe := listeners.Subscribe(func(policy.Event) {})
				listeners.Publish(policy.Event{})
				unsubscribe()
			}
		})
	}
	group.Wait()
	require.Equal(t, 400, steady)
}

func TestSubscribingNothingPanicsAtOnce(t *testing.T) {
	t.Parallel()
	var listeners policy.Listeners
	require.PanicsWithValue(t, "policy: Subscribe needs a function, not nil", func() { listeners.Subscribe(nil) })
}

func TestPublishingToNobodyAllocatesNothing(t *testing.T) {
	var listeners policy.Listeners
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if listeners.Any() {
			t.Error("somebody listens")
		}
		listeners.Publish(policy.Event{Name: "stock"})
	}))
}
