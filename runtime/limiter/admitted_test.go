package limiter_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// TestEachAdmittedCallIsCountedOnce goes through all that moves the word from which the number is read: cycles that
// begin, calls for several permits, the queue, drains, and other settings.
func TestEachAdmittedCallIsCountedOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 11))
			l := made(t, 7, time.Second, limiter.WithTimeoutDuration(5*time.Second))
			var waiting sync.WaitGroup
			var admitted atomic.Uint64
			acquire := func(n int) {
				if l.Acquire(context.Background(), n) == nil {
					admitted.Add(1)
				}
			}
			for range 200 {
				switch random.IntN(12) {
				case 0:
					time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
				case 1:
					l.Drain()
				case 2:
					change(t, l, limiter.WithLimitForPeriod(1+random.IntN(9)))
				case 3:
					change(t, l, limiter.WithAlgorithm(limiter.Algorithm(random.IntN(3))))
				case 4:
					if r, err := l.Reserve(1 + random.IntN(3)); err == nil {
						admitted.Add(1)
						if random.IntN(2) == 0 {
							r.Cancel()
						}
					}
				case 5:
					if l.TryAcquire(1 + random.IntN(2)) {
						admitted.Add(1)
					}
				case 6, 7:
					n := 1 + random.IntN(3)
					waiting.Go(func() { acquire(n) })
					synctest.Wait()
				default:
					if l.AcquireAt(context.Background(), policy.Now(), 1) == nil {
						admitted.Add(1)
					}
				}
				synctest.Wait()
				require.Equal(t, admitted.Load(), l.Metrics().AdmittedCalls, "seed %d", seed)
			}
			waiting.Wait()
			require.Equal(t, admitted.Load(), l.Metrics().AdmittedCalls, "seed %d", seed)
		})
	}
}

// TestNumberOfAdmittedCallsNeverDecreases reads it while cycles of a microsecond begin all the time.
func TestNumberOfAdmittedCallsNeverDecreases(t *testing.T) {
	t.Parallel()
	l := made(t, 3, time.Microsecond, limiter.WithTimeoutDuration(0))
	var admitted atomic.Uint64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 5000 {
				if l.Acquire(context.Background(), 1+i%2) == nil {
					admitted.Add(1)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for last, running := uint64(0), true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		now := l.Metrics().AdmittedCalls
		require.GreaterOrEqual(t, now, last)
		last = now
	}
	require.Equal(t, admitted.Load(), l.Metrics().AdmittedCalls)
}
