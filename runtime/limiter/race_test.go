package limiter_test

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// duration is how long a test under load runs: RESILGEN_LONG=1 makes it ten seconds.
func duration() time.Duration {
	switch {
	case os.Getenv("RESILGEN_LONG") != "":
		return 10 * time.Second
	case testing.Short():
		return 200 * time.Millisecond
	}
	return 400 * time.Millisecond
}

// A load is 64 goroutines that ask for permits in every way there is, and give up at random.
type load struct {
	l        *limiter.Limiter
	admitted atomic.Int64 // permits; counted after they were taken, so never more than are
	stretch  atomic.Int64 // a number that is never the same again, times 1000, plus the limit in force; 0: in between
	exceeded atomic.Int64 // admissions in a stretch at whose beginning the limit had been reached
	stop     context.Context
}

// count counts n permits that were taken since the other two were read.
func (o *load) count(n int, stretch, before int64) {
	o.admitted.Add(int64(n))
	if stretch != 0 && before+int64(n) > stretch%1000 && o.stretch.Load() == stretch {
		o.exceeded.Add(1)
	}
}

func (o *load) run(t *testing.T) *sync.WaitGroup {
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for o.stop.Err() == nil {
				o.call(t)
			}
		})
	}
	return &wg
}

func (o *load) call(t *testing.T) {
	n := 1 + rand.IntN(3)
	stretch, before := o.stretch.Load(), o.admitted.Load()
	switch rand.IntN(5) {
	case 0:
		if o.l.TryAcquire(n) {
			o.count(n, stretch, before)
		}
	case 1:
		r, err := o.l.Reserve(n)
		if err == nil && (r.Wait() == 0 || !r.Cancel()) {
			o.count(n, stretch, before)
		}
	case 2:
		defer func() { assert.Equal(t, "of the call", recover()) }()
		_ = limiter.Run(o.stop, o.l, func(context.Context) error {
			o.count(1, stretch, before)
			panic("of the call")
		})
		panic("of the call")
	default:
		ctx, cancel := context.WithTimeout(o.stop, time.Duration(rand.IntN(int(2*time.Millisecond))))
		defer cancel()
		if rand.IntN(2) == 0 {
			var quit context.CancelFunc
			ctx, quit = context.WithCancel(o.stop) // a cancellation, which nothing foresees
			time.AfterFunc(time.Duration(rand.IntN(int(2*time.Millisecond))), quit)
		}
		if o.l.Acquire(ctx, n) == nil {
			o.count(n, stretch, before)
		}
	}
}

// TestLimitInForceHoldsUnderLoad lets the limit of a cycle that does not end go up and down: nobody is admitted who
// came when the limit in force had been reached, and once all are quiet, exactly as much is taken as was counted.
func TestLimitInForceHoldsUnderLoad(t *testing.T) {
	for _, algorithm := range algorithms {
		t.Run(algorithm.String(), func(t *testing.T) {
			l := made(t, 10, 1000*time.Hour, limiter.WithAlgorithm(algorithm), limiter.WithBurst(10),
				limiter.WithTimeoutDuration(5000*time.Hour))
			l.SetLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
			ctx, cancel := context.WithTimeout(t.Context(), duration())
			defer cancel()
			o := &load{l: l, stop: ctx}
			wg := o.run(t)
			wg.Go(func() {
				for ctx.Err() == nil {
					unsubscribe := l.Subscribe(func(e policy.Event) {
						if e.Permits == 2 {
							panic("a listener")
						}
					})
					time.Sleep(time.Duration(rand.IntN(int(time.Millisecond))))
					unsubscribe()
				}
			})
			highest := 10
			for number := int64(1); ctx.Err() == nil; number++ {
				limit := 1 + rand.IntN(min(highest+20, 999))
				highest = max(highest, limit)
				if algorithm == limiter.Smooth {
					// A larger burst gives nothing away: after it was smaller, what is left is less than the
					// difference.
					limit = highest
				}
				o.stretch.Store(0)
				change(t, l, limiter.WithLimitForPeriod(limit), limiter.WithBurst(limit))
				o.stretch.Store(number*1000 + int64(limit))
				time.Sleep(time.Duration(rand.IntN(int(time.Millisecond))))
				require.LessOrEqual(t, o.admitted.Load(), int64(highest))
			}
			wg.Wait()
			m := l.Metrics()
			require.Zero(t, m.WaitingCalls)
			require.Zero(t, o.exceeded.Load())
			require.LessOrEqual(t, o.admitted.Load(), int64(highest))
			if algorithm == limiter.Smooth {
				return
			}
			change(t, l, limiter.WithLimitForPeriod(highest+100))
			require.EqualValues(t, int64(highest)+100-o.admitted.Load(), l.Metrics().AvailablePermits,
				"every permit that was reserved and given back is there")
		})
	}
}

// TestFixedLimitIsUsedUpExactly lets many goroutines take what there is, in rounds.
func TestFixedLimitIsUsedUpExactly(t *testing.T) {
	for _, algorithm := range algorithms {
		t.Run(algorithm.String(), func(t *testing.T) {
			t.Parallel()
			for deadline := time.Now().Add(duration() / 3); time.Now().Before(deadline); {
				l := made(t, 97, time.Hour, limiter.WithAlgorithm(algorithm), limiter.WithBurst(97),
					limiter.WithTimeoutDuration(time.Duration(rand.IntN(2))*24*time.Hour))
				ctx, cancel := context.WithTimeout(t.Context(), 48*time.Hour)
				var admitted atomic.Int64
				var wg sync.WaitGroup
				for range 64 {
					wg.Go(func() {
						for range 4 {
							if l.AcquireAt(ctx, policy.Now(), 1) == nil && admitted.Add(1) == 97 {
								cancel() // all others wait, or are refused
							}
						}
					})
				}
				wg.Wait()
				cancel()
				require.EqualValues(t, 97, admitted.Load())
				require.EqualValues(t, 0, l.Metrics().AvailablePermits)
				require.EqualValues(t, 97, l.Metrics().AdmittedCalls)
			}
		})
	}
}

// TestShortPeriodsNeverLetMorePass counts by the clock, which is read before and after each call.
func TestShortPeriodsNeverLetMorePass(t *testing.T) {
	for _, algorithm := range algorithms {
		t.Run(algorithm.String(), func(t *testing.T) {
			const limit, period = 20, time.Millisecond
			l := made(t, limit, period, limiter.WithAlgorithm(algorithm), limiter.WithTimeoutDuration(10*period))
			ctx, cancel := context.WithTimeout(t.Context(), duration()/2)
			defer cancel()
			start := time.Now()
			o := &load{l: l, stop: ctx}
			o.run(t).Wait()
			periods := int64(time.Since(start)/period) + 2 // one that has begun at each end
			require.LessOrEqual(t, o.admitted.Load(), periods*limit)
			require.Greater(t, o.admitted.Load(), int64(limit))
			require.Zero(t, l.Metrics().WaitingCalls)
			time.Sleep(20 * period)
			want := int64(limit)
			if algorithm == limiter.Smooth {
				want = 1
			}
			require.Equal(t, want, l.Metrics().AvailablePermits)
		})
	}
}
