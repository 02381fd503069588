package main

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// A ledger is the provider's account of the requests that it got.
type ledger struct {
	mu      sync.Mutex
	counted map[string]int // by node, since take was called last
	once    sync.Once
	first   chan struct{} // closed with the first request
}

// charge serves a request.
func (l *ledger) charge(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready()
	l.once.Do(func() { close(l.first) })
	l.counted[r.URL.Query().Get("node")]++
}

func (l *ledger) ready() {
	if l.counted == nil {
		l.counted, l.first = map[string]int{}, make(chan struct{})
	}
}

// awaitFirst waits for the first request.
func (l *ledger) awaitFirst(ctx context.Context) {
	l.mu.Lock()
	l.ready()
	l.mu.Unlock()
	select {
	case <-l.first:
	case <-time.After(10 * time.Second):
	case <-ctx.Done():
	}
}

// take returns how many requests came from each node since the last time.
func (l *ledger) take() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready()
	counted := l.counted
	l.counted = map[string]int{}
	return counted
}
