package resil

import "github.com/resilgen/resilgen/runtime/breaker"

// The keys of a document that are no fields of a Config.
const (
	keyForceState                 = "forceState"
	keyRegisterHealthIndicator    = "registerHealthIndicator"
	keyAllowHealthIndicatorToFail = "allowHealthIndicatorToFail"
	keyEventConsumerBufferSize    = "eventConsumerBufferSize"
)

// operations are what a document says to operate an instance, beside its Config. nil is not said.
type operations struct {
	force     *breaker.State // CLOSED: not forced
	health    *bool          // whether it is part of Runtime.Health
	mayFail   *bool          // whether it can make that DOWN
	remembers *int           // how many events Runtime.RecentEvents has
}

// add adds what a stronger layer says.
func (o *operations) add(other operations) {
	stronger(&o.force, other.force)
	stronger(&o.health, other.health)
	stronger(&o.mayFail, other.mayFail)
	stronger(&o.remembers, other.remembers)
}

func stronger[V any](value **V, other *V) {
	if other != nil {
		*value = other
	}
}

// same reports whether two say the same.
func (o operations) same(other operations) bool {
	return orZero(o.force) == orZero(other.force) && orZero(o.health) == orZero(other.health) &&
		orZero(o.mayFail) == orZero(other.mayFail) && orZero(o.remembers) == orZero(other.remembers)
}

// orZero returns the value of p, or the zero value, which is what is not said comes to.
func orZero[V any](p *V) V {
	if p == nil {
		var none V
		return none
	}
	return *p
}

// A forcing is the state that a circuit breaker is forced into, or 0, which is CLOSED, where it is free.
type forcing = breaker.State

func (o operations) forcing() forcing { return orZero(o.force) }

// enforce puts a circuit breaker into the state that it is forced into; one that is free again is reset.
func enforce(b *breaker.Breaker, was, is forcing) error {
	switch {
	case is != breaker.Closed && b.State() != is:
		return b.TransitionTo(is)
	case is == breaker.Closed && was != breaker.Closed:
		b.Reset()
	}
	return nil
}
