package breaker_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

// The paths that a program takes often, each as a function that makes one call.
func paths(tb testing.TB) map[string]func() {
	ctx := context.Background()
	fresh := func(opts ...breaker.Option) *breaker.Breaker {
		return newBreaker(tb, opts...)
	}
	call := func(b *breaker.Breaker) func() {
		return func() {
			call, err := b.Begin()
			if err != nil {
				return
			}
			defer call.Abort()
			call.End(ctx, nil)
		}
	}
	failing := errors.New("failing")
	mixed, n := fresh(breaker.WithFailureRateThreshold(100)), 0
	ask := func(context.Context) (int, error) { return 1, nil }
	byDo := fresh()
	return map[string]func(){
		"closed":            call(fresh()),
		"closed/no clock":   call(fresh(breaker.WithSlowCallDurationThreshold(0))),
		"closed/seconds":    call(fresh(breaker.WithSlidingWindowType(breaker.TimeBased), breaker.WithSlidingWindowSize(60))),
		"closed/do":         func() { _, _ = breaker.Do(ctx, byDo, ask) },
		"open":              call(fresh(breaker.WithInitialState(breaker.Open))),
		"forced open":       call(fresh(breaker.WithInitialState(breaker.ForcedOpen))),
		"metrics only":      call(fresh(breaker.WithInitialState(breaker.MetricsOnly))),
		"disabled":          call(fresh(breaker.WithInitialState(breaker.Disabled))),
		"half open/refused": exhausted(tb, fresh(breaker.WithInitialState(breaker.HalfOpen))),
		"closed/10 percent failures": func() {
			call, _ := mixed.Begin()
			defer call.Abort()
			if n++; n%10 == 0 {
				call.End(ctx, failing)
				return
			}
			call.End(ctx, nil)
		},
	}
}

// exhausted takes all the permits of HALF_OPEN and returns a call that is refused.
func exhausted(tb testing.TB, b *breaker.Breaker) func() {
	for range b.Config().PermittedNumberOfCallsInHalfOpenState {
		_, err := b.Begin()
		require.NoError(tb, err)
	}
	return func() { _, _ = b.Begin() }
}

func TestNoCallAllocates(t *testing.T) {
	for name, path := range paths(t) {
		require.Zero(t, testing.AllocsPerRun(200, path), name)
	}
}

func TestMarkingARefusalDoesNotAllocate(t *testing.T) {
	b := newBreaker(t, breaker.WithInitialState(breaker.ForcedOpen))
	outer := newBreaker(t)
	require.Zero(t, testing.AllocsPerRun(200, func() {
		call, _ := outer.Begin()
		_, err := b.Begin()
		call.End(context.Background(), policy.MarkInner(err))
	}))
}

func TestABreakerTakesHalfAKilobyte(t *testing.T) {
	const n = 2000
	keep := make([]*breaker.Breaker, n)
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	for i := range keep {
		keep[i], _ = breaker.New("inventory")
	}
	after := live()
	runtime.KeepAlive(keep)
	require.LessOrEqual(t, (after-before)/n, uint64(512))
}

// BenchmarkTwoClockReads is the floor that the others are measured against.
func BenchmarkTwoClockReads(b *testing.B) {
	var d time.Duration
	for b.Loop() {
		d += policy.Now().Sub(policy.Now())
	}
	_ = d
}

func BenchmarkCall(b *testing.B) {
	for name, path := range paths(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				path()
			}
		})
	}
}

func BenchmarkParallelCall(b *testing.B) {
	all := paths(b)
	for _, name := range []string{"closed", "closed/no clock", "closed/seconds", "open"} {
		b.Run(name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					all[name]()
				}
			})
		})
	}
}

// BenchmarkClosed is the first path without a function value in between, as generated code has it.
func BenchmarkClosed(b *testing.B) {
	ctx, closed := context.Background(), newBreaker(b)
	call := func() (err error) {
		call, err := closed.Begin()
		if err != nil {
			return err
		}
		defer call.Abort()
		call.End(ctx, nil)
		return nil
	}
	for b.Loop() {
		_ = call()
	}
}
