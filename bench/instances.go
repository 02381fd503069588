package main

import (
	"time"

	eapache "github.com/eapache/go-resiliency/breaker"
	failsafebulkhead "github.com/failsafe-go/failsafe-go/bulkhead"
	failsafelimiter "github.com/failsafe-go/failsafe-go/ratelimiter"
	"github.com/slok/goresilience"
	slok "github.com/slok/goresilience/circuitbreaker"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/resil"
)

// An Instance is a policy of which many are made.
type Instance struct {
	Kind    string
	Library string
	Setting string
	ID      string // as in Case

	// build makes one for each name and returns what keeps them alive: a slice of pointers to them.
	build func(names []string) any
}

// The kinds of instances.
const (
	breakers  = "circuit breaker"
	limiters  = "rate limiter"
	bulkheads = "bulkhead"
	tenants   = "tenant"
)

// instances returns what is measured, in the order in which it must be: the last one leaves goroutines behind.
func instances() []*Instance {
	return []*Instance{
		{breakers, ours, "of a runtime; window of 100 calls", "heap100", bound(breaker.WithSlidingWindowSize(100))},
		{breakers, ours, "of a runtime; window of 10,000 calls", "heap10000", bound(breaker.WithSlidingWindowSize(10_000))},
		{breakers, ours, "of a runtime; window of 60 s", "heap60s",
			bound(breaker.WithSlidingWindowType(breaker.TimeBased), breaker.WithSlidingWindowSize(60))},
		{breakers, ours, "of breaker.New; window of 100 calls", "", each(func(name string) *breaker.Breaker {
			return must(breaker.New(name))
		})},
		{breakers, "sony/gobreaker", "fixed window of 60 s", "", goBreakers(gobreaker.Settings{Interval: time.Minute})},
		{breakers, "sony/gobreaker", "rolling window of 60 x 1 s", "",
			goBreakers(gobreaker.Settings{Interval: time.Minute, BucketPeriod: time.Second})},
		{breakers, "failsafe-go", "window of 100 calls", "", unnamed(safeBreakerOfCalls)},
		{breakers, "failsafe-go", "window of 60 s", "", unnamed(safeBreakerOfSeconds)},
		{breakers, "cep21/circuit", "window of 10 x 1 s", "", each(newCircuit)},
		{breakers, "eapache/go-resiliency", "a counter of errors", "",
			unnamed(func() *eapache.Breaker { return eapache.New(5, 1, time.Minute) })},

		{limiters, ours, "cycles", "", each(func(name string) *limiter.Limiter { return must(limiter.New(name)) })},
		{limiters, "x/time/rate", "", "", unnamed(func() *rate.Limiter { return rate.NewLimiter(50, 50) })},
		{limiters, "failsafe-go", "bursty", "", unnamed(func() failsafelimiter.RateLimiter[int] {
			return failsafelimiter.NewBursty[int](50, time.Second)
		})},

		{bulkheads, ours, "", "", each(func(name string) *bulkhead.Bulkhead { return must(bulkhead.New(name)) })},
		{bulkheads, "x/sync/semaphore", "", "", unnamed(func() *semaphore.Weighted { return semaphore.NewWeighted(slots) })},
		{bulkheads, "failsafe-go", "", "",
			unnamed(func() failsafebulkhead.Bulkhead[int] { return failsafebulkhead.New[int](slots) })},

		{tenants, ours, "a retry and a circuit breaker, window of 100 calls", "heapTenant", crowded},

		{breakers, "slok/goresilience", "window of 10 x 1 s", "", unnamed(func() goresilience.Runner {
			return slok.New(slok.Config{})
		})},
	}
}

// registered is what a program holds of bound instances: their runtime, and the references of its wrappers.
type registered struct {
	rt   *resil.Runtime
	refs []resil.Ref[breaker.Breaker]
}

// bound makes circuit breakers the way that generated constructors do: through the registry of a runtime.
func bound(options ...breaker.Option) func([]string) any {
	return func(names []string) any {
		rt := must(resil.New())
		refs := make([]resil.Ref[breaker.Breaker], len(names))
		binder := resil.Bind(rt, "example.com/bench", "bench.Client")
		for i, name := range names {
			binder.Breaker(&refs[i], name, options...)
		}
		check(binder.Err())
		return registered{rt, refs}
	}
}

func goBreakers(settings gobreaker.Settings) func([]string) any {
	return each(func(name string) *gobreaker.CircuitBreaker[int] {
		settings := settings
		settings.Name = name
		return gobreaker.NewCircuitBreaker[int](settings)
	})
}

// each makes one for each name.
func each[T any](build func(name string) T) func([]string) any {
	return func(names []string) any {
		all := make([]T, len(names))
		for i, name := range names {
			all[i] = build(name)
		}
		return all
	}
}

// unnamed makes as many as there are names, of what has none.
func unnamed[T any](build func() T) func([]string) any {
	return each(func(string) T { return build() })
}
