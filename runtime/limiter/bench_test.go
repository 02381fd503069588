package limiter_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// roomy is a limiter that never runs out within a benchmark.
func roomy(tb testing.TB, options ...limiter.Option) *limiter.Limiter {
	tb.Helper()
	l, err := limiter.New("bench", append([]limiter.Option{
		limiter.WithLimitForPeriod(1 << 30), limiter.WithLimitRefreshPeriod(time.Second), limiter.WithBurst(1 << 30),
	}, options...)...)
	require.NoError(tb, err)
	return l
}

var sink policy.Instant

// BenchmarkTwoClockReads is what the others are compared with.
func BenchmarkTwoClockReads(b *testing.B) {
	for b.Loop() {
		sink = policy.Now()
		sink = policy.Now()
	}
}

func BenchmarkAcquire(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	for _, algorithm := range []limiter.Algorithm{limiter.Cycle, limiter.Sliding, limiter.Smooth} {
		b.Run(algorithm.String(), func(b *testing.B) {
			period := time.Second
			if algorithm == limiter.Sliding {
				period = 100 * time.Microsecond // its log should not grow with the benchmark
			}
			l := roomy(b, limiter.WithAlgorithm(algorithm), limiter.WithLimitRefreshPeriod(period))
			b.ReportAllocs()
			for b.Loop() {
				if err := l.Acquire(ctx, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAcquireAt(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	l, now := roomy(b), policy.Now()
	b.ReportAllocs()
	for b.Loop() {
		if err := l.AcquireAt(ctx, now, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAcquireParallel(b *testing.B) {
	l := roomy(b)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := l.Acquire(context.Background(), 1); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkRefusal(b *testing.B) {
	l := roomy(b, limiter.WithLimitForPeriod(1), limiter.WithLimitRefreshPeriod(time.Hour), limiter.WithTimeoutDuration(0))
	require.True(b, l.TryAcquire(1))
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Acquire(context.Background(), 1); err == nil {
			b.Fatal("admitted")
		}
	}
}
