package retry_test

import (
	"context"
	"testing"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

//go:noinline
func answer(context.Context) (int, error) { return 7, nil }

// generated is the layer as generated code writes it.
//
//go:noinline
func generated(ctx context.Context, r *retry.Retry, call func(context.Context) (int, error)) (int, error) {
	attempts := r.Begin()
	for {
		n, err := call(ctx)
		if !attempts.Again(ctx, &err) {
			return n, err
		}
	}
}

func TestFirstSuccessAllocatesNothing(t *testing.T) {
	ctx := t.Context()
	for name, r := range map[string]*retry.Retry{
		"defaults":     newRetry(t),
		"MaxDuration":  newRetry(t, retry.WithMaxDuration(time.Minute)),
		"switched off": newRetry(t, retry.WithEnabled(false)),
	} {
		for form, call := range map[string]func(){
			"generated": func() { _, _ = generated(ctx, r, answer) },
			"Do":        func() { _, _ = retry.Do(ctx, r, answer) },
			"Run":       func() { _ = retry.Run(ctx, r, func(ctx context.Context) error { _, err := answer(ctx); return err }) },
		} {
			if n := testing.AllocsPerRun(100, call); n != 0 {
				t.Errorf("%s, %s: %v allocations", name, form, n)
			}
		}
	}
}

func TestAttemptsWithoutAWaitAllocateNothing(t *testing.T) {
	ctx := t.Context()
	r := newRetry(t, retry.WithWaitDuration(0))
	fail := func(context.Context) (int, error) { return 0, errBoom }
	if n := testing.AllocsPerRun(100, func() { _, _ = generated(ctx, r, fail) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDirectCall(b *testing.B) {
	ctx := b.Context()
	call := answer
	for b.Loop() {
		_, _ = call(ctx)
	}
}

func BenchmarkTwoClockReads(b *testing.B) {
	for b.Loop() {
		_ = policy.Now()
		_ = policy.Now()
	}
}

func BenchmarkFirstSuccess(b *testing.B) {
	ctx := b.Context()
	r := newRetry(b)
	b.Run("generated", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = generated(ctx, r, answer)
		}
	})
	b.Run("Do", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = retry.Do(ctx, r, answer)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = generated(ctx, r, answer)
			}
		})
	})
}

func BenchmarkAllAttemptsFail(b *testing.B) {
	ctx := b.Context()
	r := newRetry(b, retry.WithWaitDuration(0))
	fail := func(context.Context) (int, error) { return 0, errBoom }
	b.ReportAllocs()
	for b.Loop() {
		_, _ = generated(ctx, r, fail)
	}
}
