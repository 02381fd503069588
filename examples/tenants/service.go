package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/resilgen/resilgen/runtime/resil"
)

// A service is the catalog service. In a real program it is far away; all that matters here is for whom it fails.
type service struct {
	mu    sync.Mutex
	shaky []string // tenants of whose calls every second one fails
	calls int
}

// failFor makes every second call of these tenants fail, and none of the others'.
func (s *service) failFor(tenants ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shaky, s.calls = tenants, 0
}

var errDown = errors.New("the shard is down")

// Price implements catalog.Client.
func (s *service) Price(ctx context.Context, _ string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.calls%2 == 0 && slices.Contains(s.shaky, resil.TenantFromContext(ctx)) {
		return 0, errDown
	}
	return 1999, nil
}
