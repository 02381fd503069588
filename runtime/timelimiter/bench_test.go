package timelimiter_test

import (
	"context"
	"testing"
	"time"

	"github.com/resilgen/resilgen/runtime/timelimiter"
)

//go:noinline
func answer(context.Context) (int, error) { return 7, nil }

// generated is the layer as generated code writes it.
//
//go:noinline
func generated(ctx context.Context, l *timelimiter.TimeLimiter, do func(context.Context) (int, error)) (int, error) {
	ctx, call := l.Begin(ctx)
	defer call.Stop()
	n, err := do(ctx)
	return n, call.End(err)
}

func TestOnlyTheLimitedContextIsAllocated(t *testing.T) {
	l := newLimiter(t)
	off := newLimiter(t, timelimiter.WithEnabled(false))
	sooner, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for name, call := range map[string]func(){
		"an earlier deadline of the caller's": func() { _, _ = generated(sooner, l, answer) },
		"an earlier deadline, by hand":        func() { _, _ = timelimiter.Do(sooner, l, answer) },
		"switched off":                        func() { _, _ = generated(t.Context(), off, answer) },
	} {
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	own := testing.AllocsPerRun(100, func() { _, _ = generated(t.Context(), l, answer) })
	bare := testing.AllocsPerRun(100, func() { // what a careful engineer would write
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errBoom)
		_, _ = answer(ctx)
		cancel()
	})
	if own > bare {
		t.Errorf("%v allocations, %v without the layer", own, bare)
	}
}

func BenchmarkCall(b *testing.B) {
	l := newLimiter(b)
	sooner, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	long := newLimiter(b, timelimiter.WithTimeoutDuration(2*time.Hour))
	b.Run("limited", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = generated(b.Context(), l, answer)
		}
	})
	b.Run("bare context", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ctx, cancel := context.WithTimeoutCause(b.Context(), time.Second, errBoom)
			_, _ = answer(ctx)
			cancel()
		}
	})
	b.Run("caller's deadline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = generated(sooner, long, answer)
		}
	})
	b.Run("detached", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = timelimiter.Detach(b.Context(), l, answer)
		}
	})
}
