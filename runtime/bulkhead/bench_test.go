package bulkhead_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/policy"
)

var sink policy.Instant

// BenchmarkTwoClockReads is what the others are compared with.
func BenchmarkTwoClockReads(b *testing.B) {
	for b.Loop() {
		sink = policy.Now()
		sink = policy.Now()
	}
}

func BenchmarkBeginEnd(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	bh := made(b)
	b.ReportAllocs()
	for b.Loop() {
		call, err := bh.Begin(ctx)
		if err != nil {
			b.Fatal(err)
		}
		call.End()
	}
}

func BenchmarkBeginEndParallel(b *testing.B) {
	bh := made(b)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			call, err := bh.Begin(context.Background())
			if err != nil {
				b.Error(err)
				return
			}
			call.End()
		}
	})
}

func BenchmarkRefusal(b *testing.B) {
	bh := made(b, bulkhead.WithMaxConcurrentCalls(1))
	_, err := bh.Begin(b.Context())
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bh.Begin(context.Background()); err == nil {
			b.Fatal("admitted")
		}
	}
}

func BenchmarkSubmit(b *testing.B) {
	p, err := bulkhead.NewPool("bench")
	require.NoError(b, err)
	defer p.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bulkhead.Submit(b.Context(), p, func(context.Context) (int, error) { return 1, nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCallThatNeedNotWaitAllocatesNothing(t *testing.T) {
	bh := made(t, bulkhead.WithMaxConcurrentCalls(1))
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		call, err := bh.Begin(ctx)
		if err != nil {
			t.Error(err)
		}
		call.End()
	}))
	call, err := bh.Begin(ctx)
	require.NoError(t, err)
	defer call.End()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := bh.Begin(ctx); err == nil || policy.MarkInner(err) == nil {
			t.Error("admitted")
		}
	}), "a refusal, and its mark")
}
