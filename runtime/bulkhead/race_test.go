package bulkhead_test

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
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
	return 600 * time.Millisecond
}

// impatient returns a context that may be cancelled, or end, at any time.
func impatient(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	time.AfterFunc(time.Duration(rand.IntN(int(2*time.Millisecond))), cancel)
	if rand.IntN(2) == 0 {
		return context.WithTimeout(ctx, time.Duration(rand.IntN(int(time.Millisecond))))
	}
	return ctx, cancel
}

// A gauge counts the calls under way. Each counts itself after it was let in and before it gives its slot back, so
// that the gauge never shows more than are under way.
type gauge struct {
	calls    atomic.Int64
	stretch  atomic.Int64 // a number that is never the same again, times 256, plus the limit in force; 0: in between
	exceeded atomic.Int64
}

func (g *gauge) in() {
	stretch := g.stretch.Load()
	n := g.calls.Add(1)
	if stretch != 0 && n > stretch%256 && g.stretch.Load() == stretch {
		g.exceeded.Add(1)
	}
}

func (g *gauge) out() { g.calls.Add(-1) }

// hold lets a limit be in force for a while, once no more are under way.
func (g *gauge) hold(number, limit int, underWay func() int) {
	for deadline := time.Now().Add(10 * time.Millisecond); underWay() > limit; {
		if time.Now().After(deadline) {
			return
		}
		runtime.Gosched()
	}
	g.stretch.Store(int64(number)*256 + int64(limit))
	time.Sleep(time.Duration(rand.IntN(int(3 * time.Millisecond))))
	g.stretch.Store(0)
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// TestLimitInForceHoldsUnderLoad lets the limit go up and down under 64 goroutines that begin, wait, give up and
// panic.
func TestLimitInForceHoldsUnderLoad(t *testing.T) {
	for _, fair := range []bool{true, false} {
		b := made(t, bulkhead.WithMaxConcurrentCalls(10), bulkhead.WithMaxWaitDuration(time.Millisecond),
			bulkhead.WithFairCallHandlingEnabled(fair))
		b.SetLogger(quiet())
		ctx, stop := context.WithTimeout(t.Context(), duration())
		defer stop()
		var g gauge
		var admitted atomic.Int64
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for ctx.Err() == nil {
					func() {
						ctx, cancel := impatient(ctx)
						defer cancel()
						defer func() {
							if p := recover(); p != nil {
								assert.Equal(t, "of the call", p)
							}
						}()
						_ = bulkhead.Run(ctx, b, func(context.Context) error {
							g.in()
							defer g.out()
							admitted.Add(1)
							switch rand.IntN(4) {
							case 0:
								panic("of the call")
							case 1:
								time.Sleep(time.Duration(rand.IntN(int(time.Millisecond))))
							default:
								runtime.Gosched()
							}
							return nil
						})
					}()
				}
			})
		}
		for number := 1; ctx.Err() == nil; number++ {
			limit := 1 + rand.IntN(20)
			change(t, b, bulkhead.WithMaxConcurrentCalls(limit))
			unsubscribe := b.Subscribe(func(policy.Event) {
				if rand.IntN(10) == 0 {
					panic("a listener")
				}
			})
			g.hold(number, limit, func() int { return b.Metrics().ConcurrentCalls })
			unsubscribe()
		}
		wg.Wait()
		m := b.Metrics()
		require.Zero(t, g.exceeded.Load())
		require.Zero(t, m.ConcurrentCalls)
		require.Zero(t, m.WaitingCalls)
		require.EqualValues(t, admitted.Load(), m.AdmittedCalls)
		for range m.MaxAllowedConcurrentCalls {
			begun(t, b)
		}
	}
}

func TestPoolHoldsItsLimitUnderLoad(t *testing.T) {
	p := pooled(t, bulkhead.WithMaxThreadPoolSize(8), bulkhead.WithCoreThreadPoolSize(2), bulkhead.WithQueueCapacity(8),
		bulkhead.WithKeepAliveDuration(100*time.Microsecond))
	p.SetLogger(quiet())
	ctx, stop := context.WithTimeout(t.Context(), duration())
	defer stop()
	var g gauge
	var ran atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for ctx.Err() == nil {
				func() {
					ctx, cancel := impatient(ctx)
					defer cancel()
					defer func() {
						if p := recover(); p != nil {
							assert.Equal(t, "of the call", p)
						}
					}()
					result, err := bulkhead.Submit(ctx, p, func(context.Context) (int64, error) {
						g.in()
						defer g.out()
						ran.Add(1)
						switch rand.IntN(4) {
						case 0:
							panic("of the call")
						case 1:
							time.Sleep(time.Duration(rand.IntN(int(time.Millisecond))))
						}
						return 7, nil
					})
					if err == nil {
						assert.EqualValues(t, 7, result)
					} else {
						assert.Zero(t, result)
					}
				}()
			}
		})
	}
	for number := 1; ctx.Err() == nil; number++ {
		config := p.Config()
		config.MaxThreadPoolSize = 1 + rand.IntN(16)
		config.CoreThreadPoolSize = 1 + rand.IntN(config.MaxThreadPoolSize)
		config.QueueCapacity = rand.IntN(16)
		require.NoError(t, p.Reconfigure(config))
		unsubscribe := p.Subscribe(func(policy.Event) {
			if rand.IntN(10) == 0 {
				panic("a listener")
			}
		})
		g.hold(number, config.MaxThreadPoolSize, func() int { return p.Metrics().ActiveThreadCount })
		unsubscribe()
	}
	wg.Wait()
	require.NoError(t, p.Close())
	require.Eventually(t, func() bool { return p.Metrics().ThreadPoolSize == 0 }, 10*time.Second, time.Millisecond)
	m := p.Metrics()
	require.Zero(t, m.QueueDepth)
	require.Zero(t, g.calls.Load())
	require.Zero(t, g.exceeded.Load())
	require.LessOrEqual(t, ran.Load(), int64(m.AdmittedCalls))
	require.NotZero(t, m.InterruptedCalls)
}
