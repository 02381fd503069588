package timelimiter_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

func TestDetachedCallReturnsWhatItReturned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, cancel := range []bool{true, false} {
			l := newLimiter(t, timelimiter.WithCancelRunningFuture(cancel))
			events := record(l)
			n, err := timelimiter.Detach(t.Context(), l, heedless(500*ms, nil))
			require.NoError(t, err)
			require.Equal(t, 7, n)
			n, err = timelimiter.Detach(t.Context(), l, heedless(500*ms, errBoom))
			require.True(t, err == errBoom)
			require.Equal(t, 7, n)
			require.Equal(t, []policy.EventType{policy.Success, policy.Error}, types(*events))
			require.Equal(t, 500*ms, (*events)[0].Duration)
			require.Equal(t, timelimiter.Metrics{SuccessfulCalls: 1, FailedCalls: 1}, l.Metrics())
		}
	})
}

func TestCallerOfHeedlessWorkLeavesAtTheLimitAndTheWorkGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		events := record(l)
		start := time.Now()
		ended := false
		n, err := timelimiter.Detach(t.Context(), l, func(context.Context) (int, error) {
			time.Sleep(time.Minute)
			ended = true
			return 7, nil
		})
		require.Equal(t, time.Second, time.Since(start))
		require.Zero(t, n)
		requireTimeout(t, err)
		require.EqualError(t, err, `timelimiter "test" timed out after 1s`)
		require.Equal(t, timelimiter.Metrics{TimedOutCalls: 1, AbandonedCalls: 1}, l.Metrics())
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.True(t, ended)
		require.Equal(t, []policy.EventType{policy.Timeout}, types(*events), "how it ends concerns nobody")
		require.Equal(t, timelimiter.Metrics{TimedOutCalls: 1}, l.Metrics())
	})
}

func TestContextOfTheWorkEndsAtTheLimitOrStaysAlive(t *testing.T) {
	t.Parallel()
	type key struct{}
	for _, cancelRunning := range []bool{true, false} {
		for name, leave := range map[string]func(context.Context) (context.Context, context.CancelFunc){
			"limit":  func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} },
			"cancel": func(ctx context.Context) (context.Context, context.CancelFunc) { return cancelledAfter(ctx, 100*ms) },
			"deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 100*ms)
			},
		} {
			synctest.Test(t, func(t *testing.T) {
				l := newLimiter(t, timelimiter.WithCancelRunningFuture(cancelRunning))
				ctx, release := leave(context.WithValue(t.Context(), key{}, "caller"))
				defer release()
				var work context.Context
				var atEnd error
				_, err := timelimiter.Detach(ctx, l, func(ctx context.Context) (int, error) {
					work = ctx
					time.Sleep(time.Minute)
					atEnd = ctx.Err()
					return 0, nil
				})
				synctest.Wait()
				require.Error(t, err)
				require.Equal(t, "caller", work.Value(key{}))
				_, hasDeadline := work.Deadline()
				if cancelRunning {
					require.Error(t, work.Err(), "%s: at that moment", name)
					require.True(t, hasDeadline)
				} else {
					require.False(t, hasDeadline)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if !cancelRunning {
					require.NoError(t, atEnd, name)
				}
				require.Error(t, work.Err(), "%s: released when the work has ended", name)
			})
		}
	}
}

func cancelledAfter(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(d, cancel)
	return ctx, cancel
}

func TestCallerThatLeavesGetsTheReasonOfItsContext(t *testing.T) {
	t.Parallel()
	errLeft := errors.New("client left")
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		events := record(l)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(100*ms, func() { cancel(errLeft) })
		_, err := timelimiter.Detach(ctx, l, heedless(time.Minute, nil))
		require.ErrorIs(t, err, errLeft)
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, timelimiter.ErrTimeout)
		require.EqualError(t, err, "context canceled: client left")
		require.Equal(t, []policy.EventType{policy.IgnoredError}, types(*events))

		expired, release := context.WithTimeout(t.Context(), 100*ms)
		defer release()
		_, err = timelimiter.Detach(expired, l, heedless(time.Minute, nil))
		require.Equal(t, context.DeadlineExceeded, err, "the caller's deadline, not the limit")
		require.Equal(t, timelimiter.Metrics{CancelledCalls: 1, FailedCalls: 1, AbandonedCalls: 2}, l.Metrics())

		_, err = timelimiter.Detach(expired, l, func(context.Context) (int, error) {
			t.Error("called for nobody")
			return 0, nil
		})
		require.Equal(t, context.DeadlineExceeded, err)
		time.Sleep(time.Hour)
		require.Zero(t, l.Metrics().AbandonedCalls)
	})
}

func TestPanicOfDetachedWorkIsRaisedOnTheWaitingCaller(t *testing.T) {
	t.Parallel()
	for _, cancel := range []bool{true, false} {
		l := newLimiter(t, timelimiter.WithCancelRunningFuture(cancel))
		events := record(l)
		var work context.Context
		require.PanicsWithValue(t, errBoom, func() {
			_, _ = timelimiter.Detach(t.Context(), l, func(ctx context.Context) (int, error) { work = ctx; panic(errBoom) })
		})
		if cancel {
			require.Error(t, work.Err())
		}
		require.Equal(t, []policy.EventType{policy.Error}, types(*events))
		require.Equal(t, timelimiter.Metrics{FailedCalls: 1}, l.Metrics())
	}
}

func TestGoexitOfDetachedWorkIsOneOfTheCaller(t *testing.T) {
	t.Parallel()
	l := newLimiter(t)
	exited, returned := make(chan struct{}), false
	go func() {
		defer close(exited)
		_, _ = timelimiter.Detach(t.Context(), l, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
		returned = true
	}()
	<-exited
	require.False(t, returned)
	require.Equal(t, timelimiter.Metrics{FailedCalls: 1}, l.Metrics())
}

func TestPanicThatNobodyWaitsForIsReportedAndEndsThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l := newLimiter(t)
		l.SetLogger(slog.New(slog.NewTextHandler(&log, nil)))
		events := record(l)
		_, err := timelimiter.Detach(t.Context(), l, brokenAfter(time.Minute))
		requireTimeout(t, err)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, []policy.EventType{policy.Timeout, policy.Panicked}, types(*events))
		require.Equal(t, "broken", (*events)[1].Panic)
		require.Contains(t, string((*events)[1].Stack), "brokenAfter")
		require.Contains(t, log.String(), "an abandoned call panicked")
		require.Contains(t, log.String(), "brokenAfter")
		require.Equal(t, timelimiter.Metrics{TimedOutCalls: 1, PanickedCalls: 1}, l.Metrics())
	})
}

func brokenAfter(d time.Duration) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		time.Sleep(d)
		panic("broken")
	}
}

func TestGoexitThatNobodyWaitsForEndsTheWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		_, err := timelimiter.Detach(t.Context(), l, func(context.Context) (int, error) {
			time.Sleep(time.Minute)
			runtime.Goexit()
			return 0, nil
		})
		requireTimeout(t, err)
		time.Sleep(time.Hour)
		require.Equal(t, timelimiter.Metrics{TimedOutCalls: 1}, l.Metrics())
	})
}

func TestWorkThatEndsAtTheVeryLimitIsSettledOnce(t *testing.T) {
	t.Parallel()
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			l := newLimiter(t)
			n, err := timelimiter.Detach(t.Context(), l, heedless(time.Second, nil))
			synctest.Wait()
			if err == nil {
				require.Equal(t, 7, n)
				require.Equal(t, timelimiter.Metrics{SuccessfulCalls: 1}, l.Metrics())
			} else {
				requireTimeout(t, err)
				require.Equal(t, timelimiter.Metrics{TimedOutCalls: 1}, l.Metrics())
			}
		})
	}
}

func TestMarkOfDetachedWorkPassesOutward(t *testing.T) {
	t.Parallel()
	l := newLimiter(t)
	_, err := timelimiter.Detach(t.Context(), l, func(context.Context) (int, error) {
		return 0, policy.MarkInner(refusal{})
	})
	require.True(t, policy.Marked(err))
	require.Equal(t, timelimiter.Metrics{RefusedCalls: 1}, l.Metrics())
}

func TestManyDetachedCallsAreCountedExactly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t)
		var running atomic.Int64
		for i := range 200 {
			go func() {
				_, _ = timelimiter.Detach(t.Context(), l, func(context.Context) (int, error) {
					running.Add(1)
					defer running.Add(-1)
					time.Sleep(time.Duration(i%5) * 500 * ms)
					return 0, nil
				})
			}()
		}
		time.Sleep(1100 * ms)
		require.Equal(t, int64(80), running.Load())
		require.Equal(t, 80, l.Metrics().AbandonedCalls)
		time.Sleep(time.Hour)
		require.Zero(t, running.Load())
		m := l.Metrics()
		require.Zero(t, m.AbandonedCalls)
		require.GreaterOrEqual(t, m.SuccessfulCalls, uint64(80))
		require.GreaterOrEqual(t, m.TimedOutCalls, uint64(80))
		require.Equal(t, uint64(200), m.SuccessfulCalls+m.TimedOutCalls, "those at the very limit are one or the other")
	})
}
