package resiltest

import (
	"context"
	"sync"
	"testing"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// Fill takes up all free slots of the bulkhead of that name, and all goroutines and the queue of the bulkhead with a pool
// of that name; where there are both, of both. Every call gets a [*bulkhead.FullError]: in a bulkhead after its
// maxWaitDuration, or before its context's deadline, in a pool at once. Calls that are under way already make room when
// they end.
//
// Release, which may be called more than once and is called when the test ends, gives back what Fill took. A pool is
// filled by calls that do nothing, on goroutines of their own, and has no queue until then.
func Fill(t testing.TB, rt *resil.Runtime, name string) (release func()) {
	t.Helper()
	b, isBulkhead := rt.Bulkhead(name)
	p, isPool := rt.PoolBulkhead(name)
	if !isBulkhead && !isPool {
		known := append(namesOf(rt.Bulkheads()), namesOf(rt.PoolBulkheads())...)
		missing(t, rt, "bulkhead", name, known, policy.Bulkhead, policy.ThreadPoolBulkhead)
	}
	var releases []func()
	release = sync.OnceFunc(func() {
		for _, release := range releases {
			release()
		}
	})
	t.Cleanup(release)
	if isBulkhead {
		releases = append(releases, fillBulkhead(t, b))
	}
	if isPool {
		releases = append(releases, fillPool(t, p))
	}
	return release
}

func fillBulkhead(t testing.TB, b *bulkhead.Bulkhead) (release func()) {
	t.Helper()
	if !b.Config().Enabled {
		off(t, "bulkhead", b.Name())
	}
	countable(t, "bulkhead", b.Name(), "maxConcurrentCalls", b.Config().MaxConcurrentCalls)
	ended, cancel := context.WithCancel(context.Background())
	cancel() // a call with it takes a slot that is free, and does not wait for one
	var calls []bulkhead.Call
	for b.Metrics().AvailableConcurrentCalls > 0 {
		call, err := b.Begin(ended)
		if err != nil {
			break // somebody else was faster
		}
		calls = append(calls, call)
	}
	return func() {
		for i := range calls {
			calls[i].End()
		}
	}
}

func fillPool(t testing.TB, p *bulkhead.Pool) (release func()) {
	t.Helper()
	before := p.Config()
	if !before.Enabled {
		off(t, "bulkhead with a pool", p.Name())
	}
	countable(t, "bulkhead with a pool", p.Name(), "maxThreadPoolSize", before.MaxThreadPoolSize)
	unqueued := before
	unqueued.QueueCapacity = 0 // a call is run or refused, so that one can tell when no more go in
	if err := p.Reconfigure(unqueued); err != nil {
		t.Fatalf("resiltest: %v", err)
	}
	var callers sync.WaitGroup
	over := make(chan struct{})
	for enter(p, &callers, over) {
	}
	return func() {
		now := p.Config()
		now.QueueCapacity = before.QueueCapacity
		if err := p.Reconfigure(now); err != nil {
			t.Errorf("resiltest: %v", err)
		}
		close(over)
		callers.Wait()
	}
}

// countable ends the test where there are so many places that taking each of them would take up the machine.
func countable(t testing.TB, what, name, key string, places int) {
	t.Helper()
	const most = 100_000
	if places > most {
		t.Fatalf("resiltest: the %s %q has %s=%d, and Fill takes each place; give it at most %d in this test",
			what, name, key, places, most)
	}
}

// enter begins a call in p that ends when over is closed, and reports whether there was room for it.
func enter(p *bulkhead.Pool, callers *sync.WaitGroup, over <-chan struct{}) bool {
	begun, refused := make(chan struct{}), make(chan struct{})
	callers.Go(func() {
		err := bulkhead.RunPool(context.Background(), p, func(context.Context) error {
			close(begun)
			<-over
			return nil
		})
		if err != nil {
			close(refused)
		}
	})
	select {
	case <-begun:
		return true
	case <-refused:
		return false
	}
}
