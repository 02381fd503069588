package limiter_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// made returns a limiter of limit permits a period. The constructor's own defaults are hardly ever what a test wants.
func made(tb testing.TB, limit int, period time.Duration, options ...limiter.Option) *limiter.Limiter {
	tb.Helper()
	l, err := limiter.New("testName", append([]limiter.Option{
		limiter.WithLimitForPeriod(limit), limiter.WithLimitRefreshPeriod(period),
	}, options...)...)
	require.NoError(tb, err)
	return l
}

// change reconfigures a limiter.
func change(tb testing.TB, l *limiter.Limiter, options ...limiter.Option) {
	tb.Helper()
	config := l.Config()
	for _, option := range options {
		option(&config)
	}
	require.NoError(tb, l.Reconfigure(config))
}

// An outcome is how a call that ran beside the test ended, and when.
type outcome struct {
	err   error
	after time.Duration
}

// acquiring lets a goroutine acquire n permits; the outcome arrives in the channel.
func acquiring(ctx context.Context, l *limiter.Limiter, n int) <-chan outcome {
	done, start := make(chan outcome, 1), time.Now()
	go func() {
		err := l.Acquire(ctx, n)
		done <- outcome{err, time.Since(start)}
	}()
	return done
}

// events records the events of a limiter that is used by one goroutine.
func events(l *limiter.Limiter) *[]policy.Event {
	var seen []policy.Event
	l.Subscribe(func(e policy.Event) {
		e.Time = time.Time{}
		seen = append(seen, e)
	})
	return &seen
}

var algorithms = []limiter.Algorithm{limiter.Cycle, limiter.Sliding, limiter.Smooth}

// forEach runs a test with each algorithm, Smooth with a burst of the whole limit.
func forEach(t *testing.T, limit int, test func(*testing.T, []limiter.Option)) {
	for _, algorithm := range algorithms {
		t.Run(algorithm.String(), func(t *testing.T) {
			test(t, []limiter.Option{limiter.WithAlgorithm(algorithm), limiter.WithBurst(limit)})
		})
	}
}
