package resil

import (
	"cmp"
	"slices"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// A HealthStatus says how something is doing. The texts are those of Spring Boot and of Resilience4j.
type HealthStatus string

// The statuses.
const (
	// Up: it works.
	Up HealthStatus = "UP"
	// Down: it does not work.
	Down HealthStatus = "DOWN"
	// Unknown: there is nothing to go by, or a circuit breaker is in a state that somebody has put it into.
	Unknown HealthStatus = "UNKNOWN"
	// CircuitOpen: a circuit breaker is OPEN, which is not allowed to mean DOWN.
	CircuitOpen HealthStatus = "CIRCUIT_OPEN"
	// CircuitHalfOpen: a circuit breaker is HALF_OPEN.
	CircuitHalfOpen HealthStatus = "CIRCUIT_HALF_OPEN"
	// RateLimited: calls wait longer for a rate limiter than they may, which is not allowed to mean DOWN.
	RateLimited HealthStatus = "RATE_LIMITED"
)

// Health says how the instances are doing that a document has registered for it.
type Health struct {
	// Status is DOWN if that of one instance is, else UP if that of one is, else UNKNOWN: the states of single circuits
	// are no reason to take a program out of service, unless allowHealthIndicatorToFail says so.
	Status HealthStatus
	// Instances are those with registerHealthIndicator, by policy and name.
	Instances []InstanceHealth
}

// InstanceHealth says how one instance is doing.
type InstanceHealth struct {
	Kind   policy.Kind
	Name   string
	Status HealthStatus
}

// Health returns how those circuit breakers and rate limiters are doing of which a document says
// registerHealthIndicator: true.
//
// A circuit breaker is UP in CLOSED, CIRCUIT_HALF_OPEN in HALF_OPEN, CIRCUIT_OPEN in OPEN or, with
// allowHealthIndicatorToFail, DOWN; UNKNOWN in the other states. A rate limiter is UP while it has permits or nobody
// waits. Else it is RATE_LIMITED or, with allowHealthIndicatorToFail, DOWN if a call would have to wait longer than its
// timeoutDuration, and UNKNOWN otherwise. One whose limit a backend keeps is UP: to ask that would take time.
func (rt *Runtime) Health() Health {
	h := Health{Status: Unknown}
	for _, s := range rt.stores() {
		h.Instances = append(h.Instances, s.health()...)
	}
	slices.SortStableFunc(h.Instances, func(a, b InstanceHealth) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	for _, i := range h.Instances {
		switch i.Status {
		case Down:
			h.Status = Down
		case Up:
			if h.Status == Unknown {
				h.Status = Up
			}
		}
	}
	return h
}

func (s *store[T, C]) health() (all []InstanceHealth) {
	if s.healthy == nil {
		return nil
	}
	for _, at := range s.registered() {
		all = append(all, InstanceHealth{s.kind, at.name, s.healthy(at.instance, at.mayFail)})
	}
	return all
}

// A registration is an instance that is part of the health.
type registration[T any] struct {
	name     string
	instance *T
	mayFail  bool
}

func (s *store[T, C]) registered() (all []registration[T]) {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	for at := range s.everyone() {
		if o := at.terms.operations; orZero(o.health) {
			all = append(all, registration[T]{at.name, at.current.load(), orZero(o.mayFail)})
		}
	}
	return all
}

func healthOfBreaker(b *breaker.Breaker, mayFail bool) HealthStatus {
	switch b.State() {
	case breaker.Closed:
		return Up
	case breaker.HalfOpen:
		return CircuitHalfOpen
	case breaker.Open:
		if mayFail {
			return Down
		}
		return CircuitOpen
	}
	return Unknown
}

func healthOfLimiter(l *limiter.Limiter, mayFail bool) HealthStatus {
	switch m := l.Metrics(); {
	case l.Config().Backend != "":
		return Up
	case m.AvailablePermits > 0 || m.WaitingCalls == 0:
		return Up
	case m.TimeToWait <= l.Config().TimeoutDuration:
		return Unknown
	case mayFail:
		return Down
	}
	return RateLimited
}
