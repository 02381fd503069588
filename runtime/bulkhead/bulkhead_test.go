package bulkhead_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/policy"
)

func made(tb testing.TB, options ...bulkhead.Option) *bulkhead.Bulkhead {
	tb.Helper()
	b, err := bulkhead.New("testName", options...)
	require.NoError(tb, err)
	return b
}

func pooled(tb testing.TB, options ...bulkhead.PoolOption) *bulkhead.Pool {
	tb.Helper()
	p, err := bulkhead.NewPool("testName", options...)
	require.NoError(tb, err)
	return p
}

// begun begins a call that has to be let in at once.
func begun(t *testing.T, b *bulkhead.Bulkhead) *bulkhead.Call {
	t.Helper()
	call, err := b.Begin(context.Background())
	require.NoError(t, err)
	return &call
}

// A record is what was published, by several goroutines.
type record struct {
	mu     sync.Mutex
	events []policy.Event
}

// listening records what an instance publishes.
func listening(subscribe func(func(policy.Event)) func()) *record {
	r := &record{}
	subscribe(func(e policy.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, e)
	})
	return r
}

func (r *record) types() (types []policy.EventType) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		types = append(types, e.Type)
	}
	return types
}

// change reconfigures a bulkhead.
func change(tb testing.TB, b *bulkhead.Bulkhead, options ...bulkhead.Option) {
	tb.Helper()
	config := b.Config()
	for _, option := range options {
		option(&config)
	}
	require.NoError(tb, b.Reconfigure(config))
}

// A beginningEnd is how a Begin that ran beside the test ended, and when.
type beginningEnd struct {
	call  bulkhead.Call
	err   error
	after time.Duration
}

// beginning lets a goroutine begin a call; its end arrives in the channel.
func beginning(ctx context.Context, b *bulkhead.Bulkhead) <-chan beginningEnd {
	done, start := make(chan beginningEnd, 1), time.Now()
	go func() {
		call, err := b.Begin(ctx)
		done <- beginningEnd{call, err, time.Since(start)}
	}()
	return done
}

// A work is a call in a pool that goes on until it is told to finish, whatever becomes of its context.
type work struct {
	result chan int
	end    chan error
}

// working submits work in a bubble and waits until it runs or is queued.
func working(ctx context.Context, p *bulkhead.Pool) *work {
	w := &work{make(chan int), make(chan error, 1)}
	go func() {
		_, err := bulkhead.Submit(ctx, p, func(context.Context) (int, error) { return <-w.result, nil })
		w.end <- err
	}()
	synctest.Wait()
	return w
}

func (w *work) finish() {
	w.result <- 1
	synctest.Wait()
}
