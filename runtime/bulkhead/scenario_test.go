package bulkhead_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
)

func TestBulkheadOfTwoAndATaskOfTenSecondsEvery200Milliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(t, bulkhead.WithMaxConcurrentCalls(2))
		start := time.Now()
		type end struct {
			refused bool
			at      time.Duration
		}
		ends := make(chan end, 5)
		for range 5 {
			go func() {
				err := bulkhead.Run(t.Context(), b, func(context.Context) error {
					time.Sleep(10 * time.Second)
					return nil
				})
				ends <- end{err != nil, time.Since(start)}
			}()
			time.Sleep(200 * time.Millisecond)
		}
		for _, at := range []time.Duration{400, 600, 800} {
			require.Equal(t, end{true, at * time.Millisecond}, <-ends)
		}
		require.Equal(t, end{false, 10 * time.Second}, <-ends)
		require.Equal(t, end{false, 10200 * time.Millisecond}, <-ends)
	})
}

func TestWaitingCallsAreLetInInTheOrderInWhichTheyCame(t *testing.T) {
	for _, fair := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := made(t, bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(time.Hour),
				bulkhead.WithFairCallHandlingEnabled(fair))
			call := begun(t, b)
			var waiting []<-chan beginningEnd
			for range 3 {
				waiting = append(waiting, beginning(t.Context(), b))
				synctest.Wait()
			}
			for i, next := range waiting {
				time.Sleep(time.Second)
				call.End()
				end := <-next
				require.NoError(t, end.err)
				require.Equal(t, time.Duration(i+1)*time.Second, end.after)
				require.Equal(t, 2-i, b.Metrics().WaitingCalls)
				call = &end.call
			}
			call.End()
		})
	}
}

func TestCoreGoroutinesStayAndOthersEndAfterKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooled(t, bulkhead.WithMaxThreadPoolSize(4), bulkhead.WithCoreThreadPoolSize(2),
			bulkhead.WithQueueCapacity(0), bulkhead.WithKeepAliveDuration(time.Second))
		var all []*work
		for range 4 {
			all = append(all, working(t.Context(), p))
		}
		for _, w := range all {
			w.finish()
		}
		time.Sleep(time.Second - 1)
		synctest.Wait()
		require.Equal(t, 4, p.Metrics().ThreadPoolSize)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Equal(t, 2, p.Metrics().ThreadPoolSize)
		time.Sleep(time.Hour)
		again := working(t.Context(), p)
		require.Equal(t, 2, p.Metrics().ThreadPoolSize, "one of the core has taken it")
		again.finish()
		require.NoError(t, p.Close())
		synctest.Wait()
		require.Equal(t, 0, p.Metrics().ThreadPoolSize)
	})
}
