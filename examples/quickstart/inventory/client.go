// Package inventory is the client of an inventory service: the kind of package that resilgen is for. Client is what the
// rest of a program depends on, HTTPClient is the real thing, and ResilientClient, in client_resil.go, is what resilgen
// made of the comments on Client.
package inventory

import (
	"context"
	"errors"

	"github.com/resilgen/resilgen/runtime/breaker"
)

//go:generate go tool resilgen

// ErrNotFound says that the service does not know the sku. It is an answer, not a failure of the service.
var ErrNotFound = errors.New("no such sku")

// Client asks the inventory service.
//
//resil:wrapper fallbacks=*LastKnown expected=ErrNotFound
type Client interface {
	// Stock reports how many units of sku are on the shelf.
	//
	//resil:retry name=inventory maxAttempts=3 waitDuration=100ms
	//resil:circuitbreaker name=inventory slidingWindowSize=10 failureRateThreshold=50 waitDurationInOpenState=1s permittedNumberOfCallsInHalfOpenState=2 fallback=WhenOpen,stockUnknown
	//resil:timelimiter name=inventory timeoutDuration=400ms
	//resil:fallback use=stockMissing on=ErrNotFound
	Stock(ctx context.Context, sku string) (int, error)
}

// Unknown is the stock of a sku that nobody can tell.
const Unknown = -1

// stockMissing answers for a sku that does not exist: there is none of it.
func stockMissing(context.Context, string, error) (int, error) { return 0, nil }

// stockUnknown answers whatever no other fallback does.
func stockUnknown(error) (int, error) { return Unknown, nil }

// WhenOpen answers while the circuit breaker keeps calls from the service.
func (k *LastKnown) WhenOpen(_ context.Context, sku string, _ *breaker.OpenError) (int, error) {
	return k.Recall(sku), nil
}
