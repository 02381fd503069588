package breaker_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

// TestIssues has what users of other circuit breakers have reported, named for what is right.
func TestIssues(t *testing.T) {
	inBubble(t, "a probe that never reports does not hold half open (resilience4j 935, 903, 1389, 2028, 2172)", func(t *testing.T) {
		b := halfOpen(t)
		for range 4 {
			begin(t, b) // never settled
		}
		requireRefused(t, b)
		time.Sleep(5 * time.Second)
		calls(t, b, "SSSS")
		requireState(t, breaker.Closed, b)
	})
	inBubble(t, "a probe keeps its permit while half open has a longest wait of its own", func(t *testing.T) {
		b := halfOpen(t, breaker.WithMaxWaitDurationInHalfOpenState(time.Hour))
		for range 4 {
			begin(t, b)
		}
		time.Sleep(time.Hour - 1)
		requireRefused(t, b)
		requireState(t, breaker.HalfOpen, b)
	})
	inBubble(t, "a probe of an earlier half open does not count in the next one", func(t *testing.T) {
		b := halfOpen(t)
		early := begin(t, b)
		transition(t, b, breaker.HalfOpen)
		early.End(background, errFailed)
		requireCounts(t, b, 0, 0, 0, 0)
		require.Equal(t, breaker.Lifetime{Failed: 1, Late: 1}, b.Metrics().Lifetime)
	})
	inBubble(t, "a rule that panics gives the permit back (resilience4j 2324, 2332, 2488)", func(t *testing.T) {
		b := halfOpen(t, breaker.WithIgnoreErrors(func(error) bool { panic("rule") }))
		for range 4 {
			require.PanicsWithValue(t, "rule", func() {
				_ = breaker.Run(background, b, func(context.Context) error { return errFailed })
			})
		}
		requireState(t, breaker.Open, b)
		requireCounts(t, b, 4, 4, 0, 0)
	})
	inBubble(t, "states set by hand are not left by an old timer (resilience4j 991)", func(t *testing.T) {
		for _, state := range []breaker.State{breaker.Disabled, breaker.ForcedOpen, breaker.MetricsOnly, breaker.Closed} {
			b := fixture(t, breaker.WithAutomaticTransitionFromOpenToHalfOpenEnabled(true),
				breaker.WithMaxWaitDurationInHalfOpenState(time.Second))
			transition(t, b, breaker.Open, state)
			time.Sleep(time.Minute)
			requireState(t, state, b)
			if state != breaker.Closed {
				continue
			}
			transition(t, b, breaker.Open, breaker.HalfOpen, state)
			time.Sleep(time.Minute)
			requireState(t, state, b)
		}
	})
	inBubble(t, "no more than the permitted probes pass under load (resilience4j 1432, 1090; Polly 216)", func(t *testing.T) {
		b := halfOpen(t)
		var mu sync.Mutex
		var admitted int
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				if _, err := b.Begin(); err == nil {
					mu.Lock()
					defer mu.Unlock()
					admitted++
				}
			})
		}
		all.Wait()
		require.Equal(t, 4, admitted)
		requireCounts(t, b, 0, 0, 0, 60)
	})
	inBubble(t, "half open decides after exactly its number of calls (resilience4j 1869, 1351, 736, 1533; Polly 2381)", func(t *testing.T) {
		for _, minimum := range []int{1, 2, 4, 100} {
			b := halfOpen(t, breaker.WithMinimumNumberOfCalls(minimum))
			calls(t, b, "SES")
			requireState(t, breaker.HalfOpen, b)
			calls(t, b, "S") // 1 of 4 failed
			requireState(t, breaker.Closed, b)
		}
	})
	inBubble(t, "concurrent transitions never fail (resilience4j 646, 674, 562)", func(t *testing.T) {
		b := counting(t, 1)
		j := listen(b)
		for range 50 {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { require.NoError(t, b.TransitionTo(breaker.Open)) })
				all.Go(func() {
					if c, err := b.Begin(); err == nil {
						c.End(background, errFailed)
					}
				})
			}
			all.Wait()
			requireState(t, breaker.Open, b)
			b.Reset()
		}
		require.Len(t, j.transitions(), 100)
	})
	inBubble(t, "open whose wait is over long since admits at once (resilience4j 2038, 2095)", func(t *testing.T) {
		b := fixture(t)
		for range 3 {
			transition(t, b, breaker.Open)
			time.Sleep(1000 * time.Hour)
			begin(t, b)
			requireState(t, breaker.HalfOpen, b)
		}
	})
	inBubble(t, "a window of seconds is judged by the call, not by the clock (resilience4j 842, 1443, 547, 2178)", func(t *testing.T) {
		b := fixture(t)
		calls(t, b, "EEEE")
		time.Sleep(19 * time.Second)
		requireState(t, breaker.Closed, b)
		calls(t, b, "S")
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "successes that leave the window raise the rate (resilience4j 842)", func(t *testing.T) {
		b := newBreaker(t, breaker.WithSlidingWindowType(breaker.TimeBased), breaker.WithSlidingWindowSize(2),
			breaker.WithMinimumNumberOfCalls(5), breaker.WithSlowCallDurationThreshold(0))
		calls(t, b, "SSSSSSSSSS")
		time.Sleep(time.Second)
		calls(t, b, "EEEE")
		requireState(t, breaker.Closed, b)
		time.Sleep(time.Second)
		calls(t, b, "S")
		requireState(t, breaker.Open, b)
		require.Equal(t, 80.0, b.Metrics().FailureRate())
	})
	inBubble(t, "a long window is not rolled on second by second (resilience4j 1034)", func(t *testing.T) {
		b := seconds(t, 300)
		calls(t, b, "EEE")
		time.Sleep(100000 * time.Hour)
		calls(t, b, "S")
		requireCounts(t, b, 1, 0, 0, 0)
	})
	inBubble(t, "a server may ban for a time (resilience4j 1387)", func(t *testing.T) {
		b := newBreaker(t)
		c := begin(t, b)
		c.End(background, errFailed)
		c.Transition(breaker.ToOpenFor(time.Minute))
		wait, known := requireRefused(t, b).RetryAfter()
		require.True(t, known)
		require.Equal(t, time.Minute, wait)
	})
	inBubble(t, "half open may close after its longest wait (resilience4j 2289)", func(t *testing.T) {
		b := halfOpen(t, breaker.WithMaxWaitDurationInHalfOpenState(time.Second),
			breaker.WithTransitionToStateAfterWaitDuration(breaker.Closed))
		probe := begin(t, b)
		time.Sleep(time.Second)
		settle(t)
		requireState(t, breaker.Closed, b)
		probe.End(background, errFailed)
		requireCounts(t, b, 0, 0, 0, 0)
	})
	inBubble(t, "a cancelled caller is no failure and a deadline is one (resilience4j 682, 1624; gobreaker 105)", func(t *testing.T) {
		b := counting(t, 2)
		ctx, cancel := context.WithCancelCause(background)
		cancel(errors.New("gone"))
		c := begin(t, b)
		c.End(ctx, errFailed)
		requireCounts(t, b, 0, 0, 0, 0)

		call(t, b, 0, context.Canceled) // somebody else's: the caller is there
		expired, stop := context.WithTimeout(background, time.Second)
		defer stop()
		c = begin(t, b)
		time.Sleep(time.Second)
		settle(t)
		c.End(expired, expired.Err())
		requireCounts(t, b, 2, 2, 0, 0)
	})
	inBubble(t, "a listener can be taken off (resilience4j 1107, 2293)", func(t *testing.T) {
		b := fixture(t)
		heard := 0
		off := b.Subscribe(func(policy.Event) { heard++ })
		calls(t, b, "S")
		off()
		off()
		calls(t, b, "S")
		require.Equal(t, 1, heard)
	})
	inBubble(t, "a new configuration keeps state and window (resilience4j 299, 845, 850, 975, 2181)", func(t *testing.T) {
		b := counting(t, 4)
		j := listen(b)
		calls(t, b, "SSE")
		c := b.Config()
		c.WaitDurationInOpenState = time.Minute
		require.NoError(t, b.Reconfigure(c))
		calls(t, b, "E")
		requireState(t, breaker.Open, b)
		require.Equal(t, time.Minute, b.Metrics().OpenFor)
		require.Equal(t, []string{"CLOSED>OPEN"}, j.transitions())
	})
	inBubble(t, "exponential backoff goes with a wait duration (resilience4j 1404, 1605)", func(t *testing.T) {
		b := newBreaker(t, breaker.WithEnableExponentialBackoff(true), breaker.WithExponentialBackoffMultiplier(2),
			breaker.WithExponentialMaxWaitDurationInOpenState(3*time.Second),
			breaker.WithWaitDurationInOpenState(time.Second))
		for _, want := range []time.Duration{1, 2, 3, 3} {
			transition(t, b, breaker.Open)
			require.Equal(t, want*time.Second, b.Metrics().OpenFor)
		}
	})
	inBubble(t, "results from before the trip neither open again nor decide half open (Polly 218, 223)", func(t *testing.T) {
		b := counting(t, 2)
		var early [4]breaker.Call
		for i := range early {
			early[i] = begin(t, b)
		}
		j := listen(b)
		calls(t, b, "EE")
		early[0].End(background, errFailed)
		requireState(t, breaker.Open, b)
		time.Sleep(time.Second)
		probe := begin(t, b)
		for i := range early[1:] {
			early[1+i].End(background, nil)
		}
		requireState(t, breaker.HalfOpen, b)
		requireCounts(t, b, 0, 0, 0, 0)
		probe.End(background, nil)
		requireState(t, breaker.HalfOpen, b)
		require.Equal(t, []string{"CLOSED>OPEN", "OPEN>HALF_OPEN"}, j.transitions())
	})
	inBubble(t, "a probe without a verdict frees its permit (resilience4j 544; Polly 1979, 717, 311)", func(t *testing.T) {
		b := halfOpen(t, breaker.WithPermittedNumberOfCallsInHalfOpenState(1))
		gone, cancel := context.WithCancel(background)
		cancel()
		for range 3 {
			calls(t, b, "I")
			c := begin(t, b)
			c.End(gone, errFailed)
			c = begin(t, b)
			c.End(background, policy.MarkInner(errFailed))
		}
		calls(t, b, "S")
		requireState(t, breaker.Closed, b)
	})
	inBubble(t, "its own refusals are not in its statistics (kratos 2777; go-zero 5551, 3837)", func(t *testing.T) {
		b := halfOpen(t)
		for range 4 {
			begin(t, b)
		}
		for range 100 {
			requireRefused(t, b)
		}
		requireCounts(t, b, 0, 0, 0, 100)
		require.Equal(t, breaker.Lifetime{NotPermitted: 100}, b.Metrics().Lifetime)
	})
	inBubble(t, "open is said to be over when it is (failsafe-go 97)", func(t *testing.T) {
		b := fixture(t)
		transition(t, b, breaker.Open)
		refusal := requireRefused(t, b)
		require.Equal(t, 5*time.Second, b.Metrics().OpenFor)
		time.Sleep(6 * time.Second)
		requireState(t, breaker.Open, b)
		require.Zero(t, b.Metrics().OpenFor)
		wait, known := refusal.RetryAfter()
		require.True(t, known)
		require.Zero(t, wait)
		begin(t, b)
		requireState(t, breaker.HalfOpen, b)
	})
	inBubble(t, "metrics only is a dry run (hystrix-go 56)", func(t *testing.T) {
		b := fixture(t, breaker.WithInitialState(breaker.MetricsOnly))
		calls(t, b, "EEEEEEEEEE")
		requireState(t, breaker.MetricsOnly, b)
		require.Equal(t, 100.0, b.Metrics().FailureRate())
	})
	inBubble(t, "every recorded outcome is judged, failures before the minimum too (gobreaker)", func(t *testing.T) {
		b := newBreaker(t)
		for i := range 100 {
			requireState(t, breaker.Closed, b)
			calls(t, b, "ES"[i/60:i/60+1])
		}
		requireState(t, breaker.Open, b)
	})
	inBubble(t, "an error that is forgotten does not open at the next one (eapache)", func(t *testing.T) {
		b := counting(t, 10)
		calls(t, b, "EE")
		for range 100 {
			calls(t, b, "S")
		}
		calls(t, b, "E")
		requireState(t, breaker.Closed, b)
	})
}

func TestABreakerHasNoGoroutine(t *testing.T) { // resilience4j issue 2241, hystrix-go issue 95
	before := runtime.NumGoroutine()
	for range 100 {
		b := newBreaker(t, breaker.WithAutomaticTransitionFromOpenToHalfOpenEnabled(true))
		transition(t, b, breaker.Open)
		require.NoError(t, b.Close())
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}
