package limiter_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// What users of rate limiters have reported, as it should be. The comments cite their reports.

// resilience4j issues 1283, 1968, 2194, 2336.
func TestDoomedCallIsRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, 10*time.Second, limiter.WithTimeoutDuration(200*time.Millisecond))
		require.True(t, l.TryAcquire(1))
		start := time.Now()
		require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
		require.ErrorIs(t, l.Acquire(t.Context(), 100), limiter.ErrExceeded)
		require.Zero(t, time.Since(start))
	})
}

// golang.org/x/time/rate has no type for this error.
func TestWaitBeyondTheDeadlineIsRefusedAtOnceWithATypedError(t *testing.T) {
	forEach(t, 1, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 1, time.Second, options...)
			require.True(t, l.TryAcquire(1))
			for _, deadline := range []time.Duration{time.Second / 2, time.Second} {
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				refused := <-acquiring(ctx, l, 1)
				cancel()
				require.Zero(t, refused.after)
				var e *limiter.ExceededError
				require.ErrorAs(t, refused.err, &e)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second+1)
			defer cancel()
			require.Equal(t, outcome{nil, time.Second}, <-acquiring(ctx, l, 1))
		})
	})
}

// resilience4j issues 1356, 1138, 2064.
func TestBurstAroundTheEdgeOfACycleIsTwiceTheLimitAndWithSlidingOnce(t *testing.T) {
	for algorithm, want := range map[limiter.Algorithm]int{limiter.Cycle: 20, limiter.Sliding: 10} {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 10, time.Second, limiter.WithAlgorithm(algorithm), limiter.WithTimeoutDuration(0))
			time.Sleep(time.Second - time.Millisecond)
			passed := 0
			for range 20 {
				if l.TryAcquire(1) {
					passed++
				}
			}
			time.Sleep(2 * time.Millisecond)
			for range 20 {
				if l.TryAcquire(1) {
					passed++
				}
			}
			require.Equal(t, want, passed, algorithm)
		})
	}
}

// resilience4j issues 1645, 1368.
func TestRefreshPeriodCanBeChangedWhileRunning(t *testing.T) {
	forEach(t, 4, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 4, time.Hour, append(options, limiter.WithTimeoutDuration(2*time.Hour))...)
			require.True(t, l.TryAcquire(4))
			waiting := acquiring(t.Context(), l, 4)
			synctest.Wait()
			time.Sleep(time.Minute)
			change(t, l, limiter.WithLimitRefreshPeriod(2*time.Minute))
			require.False(t, l.TryAcquire(1), "what is taken counts")
			end := <-waiting
			require.NoError(t, end.err)
			require.LessOrEqual(t, end.after, 3*time.Minute)
			time.Sleep(2 * time.Minute)
			require.True(t, l.TryAcquire(4))
		})
	})
}

// resilience4j issues 1683 and 2489, golang/go issue 23575.
func TestLoweringTheLimitBelowWhatIsLeftNeverStopsTheRefill(t *testing.T) {
	forEach(t, 100, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 100, time.Second, append(options, limiter.WithTimeoutDuration(0))...)
			change(t, l, limiter.WithLimitForPeriod(2), limiter.WithBurst(2))
			for range 3 {
				require.True(t, l.TryAcquire(2))
				require.False(t, l.TryAcquire(1))
				time.Sleep(time.Second)
			}
		})
	})
}

func TestLoweringAndRaisingTheLimitGivesNothingAway(t *testing.T) {
	forEach(t, 10, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 10, time.Second, append(options, limiter.WithTimeoutDuration(0))...)
			require.True(t, l.TryAcquire(10))
			change(t, l, limiter.WithLimitForPeriod(1), limiter.WithBurst(1))
			change(t, l, limiter.WithLimitForPeriod(10), limiter.WithBurst(10))
			require.False(t, l.TryAcquire(1))
		})
	})
}

func TestLowerLimitHoldsForThoseWhoWaitAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 3, time.Second, limiter.WithTimeoutDuration(2*time.Second))
		require.True(t, l.TryAcquire(3))
		var waiting []<-chan outcome
		for range 4 {
			waiting = append(waiting, acquiring(t.Context(), l, 1))
			synctest.Wait()
		}
		time.Sleep(time.Second / 2)
		change(t, l, limiter.WithLimitForPeriod(1))
		require.Equal(t, outcome{nil, time.Second}, <-waiting[0])
		require.Equal(t, outcome{nil, 2 * time.Second}, <-waiting[1], "in the order in which they came")
		for _, late := range waiting[2:] {
			end := <-late
			require.ErrorIs(t, end.err, limiter.ErrExceeded)
			require.Equal(t, time.Second/2, end.after, "refused as soon as it is clear that their time does not suffice")
		}
	})
}

func TestChangeOfTheTimeoutDoesNotTouchThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, time.Second)
		require.True(t, l.TryAcquire(1))
		waiting := acquiring(t.Context(), l, 1)
		synctest.Wait()
		change(t, l, limiter.WithTimeoutDuration(0))
		require.False(t, l.TryAcquire(1))
		require.Equal(t, outcome{nil, time.Second}, <-waiting)
		change(t, l, limiter.WithTimeoutDuration(time.Minute))
		big := acquiring(t.Context(), l, 3)
		time.Sleep(3 * time.Second / 2)
		change(t, l, limiter.WithTimeoutDuration(0))
		require.Equal(t, outcome{nil, 3 * time.Second}, <-big, "what it has saved up is not lost")
	})
}

// resilience4j issue 626.
func TestCancelledWaiterGivesBackAndThoseBehindMoveUp(t *testing.T) {
	forEach(t, 1, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 1, time.Second, options...)
			require.True(t, l.TryAcquire(1))
			ctx, cancel := context.WithCancel(t.Context())
			first := acquiring(ctx, l, 1)
			synctest.Wait()
			second := acquiring(t.Context(), l, 1)
			synctest.Wait()
			third := acquiring(t.Context(), l, 1)
			synctest.Wait()
			cancel()
			require.ErrorIs(t, (<-first).err, context.Canceled)
			require.Equal(t, outcome{nil, time.Second}, <-second)
			require.Equal(t, outcome{nil, 2 * time.Second}, <-third)
			require.False(t, l.TryAcquire(1), "nothing was granted twice")
		})
	})
}

func TestCallsWaitInTheOrderInWhichTheyCame(t *testing.T) {
	forEach(t, 2, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l := made(t, 2, time.Second, options...)
			require.True(t, l.TryAcquire(1))
			big := acquiring(t.Context(), l, 2)
			synctest.Wait()
			require.False(t, l.TryAcquire(1), "the permit that is left is the first one's in the queue")
			require.NoError(t, (<-big).err)
		})
	})
}

// uber-go/ratelimit issue 99.
func TestTryAcquireNeverWaits(t *testing.T) {
	forEach(t, 1, func(t *testing.T, options []limiter.Option) {
		synctest.Test(t, func(t *testing.T) {
			l, start := made(t, 1, time.Second, options...), time.Now()
			require.True(t, l.TryAcquire(1))
			require.False(t, l.TryAcquire(1))
			require.Zero(t, time.Since(start))
		})
	})
}

// Redisson: a negative number of permits minted capacity.
func TestNegativePermitsAreAnErrorAndNoneArePassed(t *testing.T) {
	forEach(t, 1, func(t *testing.T, options []limiter.Option) {
		l := made(t, 1, time.Hour, options...)
		seen := events(l)
		require.NoError(t, l.Acquire(t.Context(), 0))
		require.True(t, l.TryAcquire(0))
		r, err := l.Reserve(0)
		require.NoError(t, err)
		require.Zero(t, r.Wait())
		r.Cancel()
		require.ErrorIs(t, l.Acquire(t.Context(), -1), limiter.ErrNegativePermits)
		_, err = l.Reserve(-1)
		require.ErrorIs(t, err, limiter.ErrNegativePermits)
		require.False(t, l.TryAcquire(-1))
		require.EqualValues(t, 1, l.Metrics().AvailablePermits)
		require.Empty(t, *seen)
	})
}

func TestMoreThanCanEverBeGrantedIsRefusedWithoutATimeToRetry(t *testing.T) {
	forEach(t, 2, func(t *testing.T, options []limiter.Option) {
		const most = int(^uint(0) >> 1)
		l := made(t, 2, time.Hour, append(options, limiter.WithTimeoutDuration(time.Minute))...)
		for _, n := range []int{5, most} {
			err := l.Acquire(t.Context(), n)
			var e *limiter.ExceededError
			require.ErrorAs(t, err, &e)
			_, known := e.RetryAfter()
			require.False(t, known)
		}
		require.EqualValues(t, 2, l.Metrics().AvailablePermits)
	})
}

// resilience4j swallows a permit when a listener throws.
func TestListenerThatPanicsOrCallsBackBreaksNothing(t *testing.T) {
	forEach(t, 2, func(t *testing.T, options []limiter.Option) {
		l := made(t, 2, time.Hour, append(options, limiter.WithTimeoutDuration(0))...)
		l.SetLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
		calls := 0
		unsubscribe := l.Subscribe(func(e policy.Event) {
			calls++
			l.Metrics()
			if e.Type == policy.SuccessfulAcquire && e.Permits == 1 && calls == 1 {
				require.True(t, l.TryAcquire(1))
				change(t, l, limiter.WithTimeoutDuration(time.Second))
			}
			panic("a listener")
		})
		require.NoError(t, l.Acquire(t.Context(), 1))
		require.Equal(t, 2, calls)
		require.EqualValues(t, 0, l.Metrics().AvailablePermits, "one of its own and one of the listener")
		// resilience4j issues 2243, 1107, 2293.
		unsubscribe()
		require.False(t, l.TryAcquire(1))
		require.Equal(t, 2, calls)
	})
}

func TestSlowListenerDelaysItsOwnCallOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 2, time.Hour)
		slow := true
		l.Subscribe(func(policy.Event) {
			if slow {
				slow = false
				time.Sleep(time.Minute)
			}
		})
		first := acquiring(t.Context(), l, 1)
		synctest.Wait()
		require.Equal(t, outcome{}, <-acquiring(t.Context(), l, 1))
		require.Equal(t, outcome{nil, time.Minute}, <-first)
	})
}

func TestEventsSayWhatBecameOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 2, time.Second, limiter.WithTimeoutDuration(time.Second))
		seen := events(l)
		require.NoError(t, l.Acquire(t.Context(), 2))
		require.NoError(t, l.Acquire(t.Context(), 1))
		refused := l.Acquire(t.Context(), 9)
		ctx, cancel := context.WithCancel(t.Context())
		require.True(t, l.TryAcquire(1))
		time.AfterFunc(time.Second/2, cancel)
		interrupted := l.Acquire(ctx, 1)
		event := func(kind policy.EventType, permits int, err error) policy.Event {
			return policy.Event{Kind: policy.RateLimiter, Name: "testName", Type: kind, Permits: permits, Err: err}
		}
		require.Equal(t, []policy.Event{
			event(policy.SuccessfulAcquire, 2, nil),
			event(policy.SuccessfulAcquire, 1, nil),
			event(policy.FailedAcquire, 9, refused),
			event(policy.SuccessfulAcquire, 1, nil),
			event(policy.FailedAcquire, 1, interrupted),
		}, *seen)
		m := l.Metrics()
		require.EqualValues(t, 3, m.AdmittedCalls)
		require.EqualValues(t, 1, m.RefusedCalls)
		require.EqualValues(t, 1, m.InterruptedCalls)
	})
}

func TestRefusalsAreRefusalsToOuterPolicies(t *testing.T) {
	t.Parallel()
	l := made(t, 1, time.Hour, limiter.WithTimeoutDuration(0))
	require.True(t, l.TryAcquire(1))
	err := l.Acquire(t.Context(), 1)
	require.EqualError(t, err, `ratelimiter "testName" does not permit further calls`)
	require.ErrorIs(t, err, limiter.ErrExceeded)
	marked := policy.InnerRefusal(err)
	require.True(t, policy.Marked(marked))
	require.Same(t, err, policy.Unmark(marked))
	require.Equal(t, "testName", err.(policy.Refusal).Name())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = l.Acquire(ctx, 1)
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, policy.Marked(policy.InnerRefusal(err)))
	require.False(t, errors.Is(err, limiter.ErrExceeded))
}
