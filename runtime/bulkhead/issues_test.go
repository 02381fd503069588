package bulkhead_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/policy"
)

// What users of bulkheads have reported, as it should be. The comments cite their reports.

// failsafe-go 0.9.8 loses the slot for ever.
func TestPanicAndGoexitGiveTheSlotBack(t *testing.T) {
	t.Parallel()
	b := made(t, bulkhead.WithMaxConcurrentCalls(1))
	require.Panics(t, func() {
		_, _ = bulkhead.Do(t.Context(), b, func(context.Context) (int, error) { panic("of the call") })
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = bulkhead.Run(context.Background(), b, func(context.Context) error { runtime.Goexit(); return nil })
	}()
	<-done
	begun(t, b).End()
}

// resilience4j issues 1569, 332, 263, and its onComplete, which makes 3 of 2 slots.
func TestSettlingTwiceGivesBackOneSlot(t *testing.T) {
	t.Parallel()
	b := made(t, bulkhead.WithMaxConcurrentCalls(2))
	seen := listening(b.Subscribe)
	first, second := begun(t, b), begun(t, b)
	for range 3 {
		first.End()
	}
	require.Equal(t, 1, b.Metrics().ConcurrentCalls)
	second.End()
	require.Equal(t, 2, b.Metrics().AvailableConcurrentCalls)
	require.Len(t, seen.types(), 4)
}

// resilience4j loses the slot when a listener throws.
func TestListenerThatPanicsOrCallsBackBreaksNothing(t *testing.T) {
	t.Parallel()
	b := made(t, bulkhead.WithMaxConcurrentCalls(2))
	b.SetLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	calls := 0
	unsubscribe := b.Subscribe(func(e policy.Event) {
		calls++
		require.Equal(t, "testName", e.Name)
		require.Equal(t, policy.Bulkhead, e.Kind)
		b.Metrics()
		if calls == 1 {
			begun(t, b).End()
			change(t, b, bulkhead.WithMaxConcurrentCalls(3))
		}
		panic("a listener")
	})
	begun(t, b).End()
	require.Equal(t, 4, calls)
	require.Equal(t, 3, b.Metrics().AvailableConcurrentCalls)
	unsubscribe()
	begun(t, b).End()
	require.Equal(t, 4, calls)
}

func TestListenerThatEndsTheGoroutineLeavesNoCallBehind(t *testing.T) {
	t.Parallel()
	b := made(t, bulkhead.WithMaxConcurrentCalls(1))
	defer b.Subscribe(func(policy.Event) { runtime.Goexit() })()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = b.Begin(context.Background())
	}()
	<-done
	require.Zero(t, b.Metrics().ConcurrentCalls)
}

func TestSlowListenerDelaysItsOwnCallOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(t, bulkhead.WithMaxConcurrentCalls(2))
		slow := true
		b.Subscribe(func(policy.Event) {
			if slow {
				slow = false
				time.Sleep(time.Minute)
			}
		})
		first := beginning(t.Context(), b)
		synctest.Wait()
		second := <-beginning(t.Context(), b)
		require.Zero(t, second.after)
		second.call.End()
		end := <-first
		require.Equal(t, time.Minute, end.after)
		end.call.End()
	})
}

func TestCancelledWaiterIsPassedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(t, bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(time.Hour))
		call := begun(t, b)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		first := beginning(ctx, b)
		synctest.Wait()
		second := beginning(t.Context(), b)
		time.Sleep(2 * time.Second)
		gone := <-first
		require.ErrorIs(t, gone.err, context.DeadlineExceeded)
		require.Equal(t, time.Second, gone.after)
		call.End()
		end := <-second
		require.NoError(t, end.err)
		end.call.End()
		m := b.Metrics()
		require.EqualValues(t, 2, m.AdmittedCalls)
		require.EqualValues(t, 1, m.InterruptedCalls)
	})
}

func TestNewcomerDoesNotOvertakeUnlessUnfair(t *testing.T) {
	for _, fair := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := made(t, bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(time.Hour),
				bulkhead.WithFairCallHandlingEnabled(!fair))
			change(t, b, bulkhead.WithFairCallHandlingEnabled(fair))
			call := begun(t, b)
			waiting := beginning(t.Context(), b)
			synctest.Wait()
			call.End() // hands the slot over: the waiter has it, before it knows
			require.Equal(t, 1, b.Metrics().ConcurrentCalls)
			require.Zero(t, b.Metrics().WaitingCalls)
			end := <-waiting
			end.call.End()
		})
	}
}

func TestCloseWakesWaitersAndLaterCallsNeverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(t, bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(time.Hour))
		call := begun(t, b)
		first, second := beginning(t.Context(), b), beginning(t.Context(), b)
		synctest.Wait()
		require.NoError(t, b.Close())
		require.NoError(t, b.Close())
		require.ErrorIs(t, (<-first).err, policy.ErrClosed)
		require.ErrorIs(t, (<-second).err, policy.ErrClosed)
		late := <-beginning(t.Context(), b)
		require.ErrorIs(t, late.err, bulkhead.ErrFull)
		require.Zero(t, late.after)
		call.End()
		begun(t, b).End()
	})
}

func TestSwitchedOffBulkheadPassesEverythingUncounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(t, bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(time.Hour))
		before := begun(t, b)
		waiting := beginning(t.Context(), b)
		synctest.Wait()
		change(t, b, bulkhead.WithEnabled(false))
		let := <-waiting
		require.NoError(t, let.err)
		let.call.End()
		change(t, b, bulkhead.WithMaxConcurrentCalls(9))
		seen := listening(b.Subscribe)
		during := begun(t, b)
		change(t, b, bulkhead.WithMaxConcurrentCalls(1))
		change(t, b, bulkhead.WithEnabled(true), bulkhead.WithMaxWaitDuration(0))
		during.End()
		require.Empty(t, seen.types())
		m := b.Metrics()
		require.Equal(t, 1, m.ConcurrentCalls, "what had begun before still is under way")
		require.EqualValues(t, 1, m.AdmittedCalls)
		_, err := b.Begin(t.Context())
		require.ErrorIs(t, err, bulkhead.ErrFull)
		before.End()
		begun(t, b).End()
	})
}

func TestRefusalsAreRefusalsToOuterPolicies(t *testing.T) {
	t.Parallel()
	b := made(t, bulkhead.WithMaxConcurrentCalls(1))
	defer begun(t, b).End()
	_, err := b.Begin(t.Context())
	marked := policy.InnerRefusal(err)
	require.True(t, policy.Marked(marked))
	require.Same(t, err, policy.Unmark(marked))
	var refusal policy.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, "testName", refusal.Name())
	_, known := refusal.RetryAfter()
	require.False(t, known)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Begin(ctx)
	require.True(t, policy.Marked(policy.InnerRefusal(err)))
	require.False(t, errors.Is(err, bulkhead.ErrFull))
}

func TestDecoratedCallsShareTheBulkhead(t *testing.T) {
	t.Parallel()
	b := made(t, bulkhead.WithMaxConcurrentCalls(1))
	inner := bulkhead.Decorate(b, func(context.Context) (int, error) { return 1, nil })
	outer := bulkhead.Decorate(b, func(ctx context.Context) (int, error) { return inner(ctx) })
	n, err := inner(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	_, err = outer(t.Context())
	require.ErrorIs(t, err, bulkhead.ErrFull)
}
