package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// A warehouse is an inventory service that behaves as the script tells it to: each request takes the next of the
// behaviours that were ordered, and the last one stays.
type warehouse struct {
	mu        sync.Mutex
	behaviour []behaviour
}

// A behaviour answers one request.
type behaviour func(w http.ResponseWriter, r *http.Request)

// order sets what the next requests meet.
func (s *warehouse) order(next ...behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour = next
}

// ServeHTTP implements http.Handler.
func (s *warehouse) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	behave := s.behaviour[0]
	if len(s.behaviour) > 1 {
		s.behaviour = s.behaviour[1:]
	}
	s.mu.Unlock()
	behave(w, r)
}

func healthy(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/stock/anvil" {
		http.NotFound(w, r)
		return
	}
	fmt.Fprintln(w, 42)
}

func broken(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "the forklift is on fire", http.StatusServiceUnavailable)
}

// slow answers long after anybody waits, or not at all once the client has gone.
func slow(w http.ResponseWriter, r *http.Request) {
	select {
	case <-time.After(3 * time.Second):
		healthy(w, r)
	case <-r.Context().Done():
	}
}
