package redislimiter_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

const (
	loadRate     = 40
	loadInterval = 400 * time.Millisecond
	budget       = 300 * time.Millisecond // of a call
	slack        = 3 * time.Second        // for a machine that is busy
	recovery     = 40 * time.Second
)

// A load is callers of a limiter of 40 permits in 400 ms, of two processes, who go on whatever happens to its server.
type load struct {
	*testing.T
	stop  chan struct{}
	group sync.WaitGroup

	mu      sync.Mutex
	grants  []grant
	strange []error // that no caller should get
	failed  int
	longest time.Duration
}

// startLoad starts callers; connect makes a process's client, which is closed in the end.
func startLoad(t *testing.T, connect func() redis.UniversalClient, options ...redislimiter.Option) *load {
	t.Helper()
	f := &load{T: t, stop: make(chan struct{})}
	for range 2 {
		client := connect()
		t.Cleanup(func() { client.Close() })
		more := append([]redislimiter.Option{redislimiter.WithCallTimeout(budget)}, options...)
		l := made(t, client, named(t), rate(loadRate, loadInterval, more...)...)
		for i := range 4 {
			f.group.Go(func() { f.call(l, time.Duration(i%2)*50*time.Millisecond) })
		}
	}
	t.Cleanup(func() { f.end() })
	f.recovers()
	return f
}

// call acquires until the load ends, waiting so long for permits.
func (f *load) call(l *redislimiter.RateLimiter, wait time.Duration) {
	for {
		select {
		case <-f.stop:
			return
		case <-time.After(2 * time.Millisecond):
		}
		began := time.Now()
		ok, err := l.TryAcquireFor(f.Context(), 1, wait)
		ended := time.Now()
		f.mu.Lock()
		f.longest = max(f.longest, ended.Sub(began)-wait)
		switch {
		case ok:
			f.grants = append(f.grants, grant{began, ended, 1})
		case errors.Is(err, redislimiter.ErrUnavailable), errors.Is(err, redislimiter.ErrUnknownOutcome):
			f.failed++
		case err != nil && f.Context().Err() == nil:
			f.strange = append(f.strange, err)
		}
		f.mu.Unlock()
	}
}

// recovers waits until permits are granted from now on.
func (f *load) recovers() {
	f.Helper()
	now := time.Now()
	require.Eventually(f, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		n := len(f.grants)
		return n > 0 && f.grants[n-1].began.After(now)
	}, recovery, 10*time.Millisecond, "no permits are granted any more")
}

// fails waits until calls have failed since it was asked.
func (f *load) fails() {
	f.Helper()
	f.mu.Lock()
	before := f.failed
	f.mu.Unlock()
	require.Eventually(f, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.failed > before
	}, recovery, 5*time.Millisecond, "no call fails")
}

func (f *load) end() {
	select {
	case <-f.stop:
	default:
		close(f.stop)
	}
	f.group.Wait()
}

// verdict ends the load and checks what its callers got: at most so many permits in any interval, and each its answer in
// time.
func (f *load) verdict(most int) {
	f.Helper()
	f.end()
	require.Empty(f, f.strange)
	require.Less(f, f.longest, budget+slack, "each is answered within its budget")
	require.LessOrEqual(f, mostWithin(f.grants, loadInterval-time.Millisecond), most)
}

// single returns what connects to one node, with the timeouts that go-redis has by default.
func single(addr string) func() redis.UniversalClient {
	return func() redis.UniversalClient { return redis.NewClient(&redis.Options{Addr: addr}) }
}
