package generatedtest

import (
	"context"
	"strings"
)

// A Country is named by its code.
type Country string

// A Route has a text, which only a pointer to it gives.
type Route struct{ from, to Country }

// RouteOf returns the route between two countries.
func RouteOf(from, to Country) *Route { return &Route{from, to} }

func (r *Route) String() string { return string(r.from) + "." + string(r.to) }

// A Sender may be a company.
type Sender struct {
	*Company
	Legs []*Route
	Asks int // how often it was asked for its first leg
}

// A Company is in a country.
type Company struct{ Country Country }

// First returns the first leg of the way, nil where there is none. It is another one, or nil, when it is asked again.
func (s *Sender) First() *Leg {
	s.Asks++
	if s.Asks > len(s.Legs) {
		return nil
	}
	return &Leg{Route: s.Legs[s.Asks-1]}
}

// A Leg is a part of a way.
type Leg struct{ Route *Route }

// longest returns the longest of some texts, nil of none.
func longest(texts []string) *string {
	var found *string
	for i := range texts {
		if found == nil || len(texts[i]) > len(*found) {
			found = &texts[i]
		}
	}
	return found
}

// initials returns the first letters of two texts.
func initials(a, b string) string { return strings.ToUpper(a[:1] + b[:1]) }

// Parcels has names with values of all types, and with words.
//
//resil:bulkhead name={interface}.{method}-{tenant}
type Parcels interface {
	// Send has a named string, and what only a pointer has.
	//
	//resil:circuitbreaker name=send-{to}-{route}
	Send(ctx context.Context, to Country, route *Route) error

	// Weigh has integers.
	//
	//resil:circuitbreaker name=weigh-{grams}-{boxes}-{0}
	Weigh(weight int8, ctx context.Context, grams uint64, boxes *int32) error

	// From goes through what is embedded as a pointer.
	//
	//resil:circuitbreaker name=from-{s.Country}
	From(ctx context.Context, s *Sender) error

	// Leg asks for what may be another thing when it is asked again.
	//
	//resil:circuitbreaker name=leg-{s.First().Route}
	Leg(ctx context.Context, s *Sender) error

	// Track has all its layers in one name.
	//
	//resil:retry name=track-{len(codes)} maxAttempts=1
	//resil:circuitbreaker name=track-{longest(codes)} slidingWindowSize=2 minimumNumberOfCalls=2
	//resil:ratelimiter name=track-{longest(codes)} limitForPeriod=3 limitRefreshPeriod=1h timeoutDuration=0s
	//resil:timelimiter name=track-{longest(codes)}
	Track(ctx context.Context, codes ...string) error

	// Label has no context, and a name with braces of its own.
	//
	//resil:skip bulkhead
	//resil:circuitbreaker "name={{label}}-{initials(a, b)}-{scope}"
	Label(a, b string) error
}

// Cache is of strings of any type.
type Cache[K ~string, V any] interface {
	//resil:circuitbreaker name=cache-{k}-{e.Key} slidingWindowSize=2 minimumNumberOfCalls=2
	//resil:bulkhead name=cache-{k}-{e.Key} maxConcurrentCalls=1
	Put(ctx context.Context, k K, e *Entry[K, V]) error
}

// An Entry is one of a [Cache].
type Entry[K ~string, V any] struct {
	Key   K
	Value V
}
