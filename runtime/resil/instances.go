package resil

import (
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// Breaker returns the circuit breaker of that name, and whether a wrapper, an option or a call has named one.
func (rt *Runtime) Breaker(name string) (*breaker.Breaker, bool) {
	return rt.breakers.find(scoped(name, rt.scope))
}

// Retry returns the retry of that name, as [Runtime.Breaker] does.
func (rt *Runtime) Retry(name string) (*retry.Retry, bool) {
	return rt.retries.find(scoped(name, rt.scope))
}

// Limiter returns the rate limiter of that name, as [Runtime.Breaker] does.
func (rt *Runtime) Limiter(name string) (*limiter.Limiter, bool) {
	return rt.limiters.find(scoped(name, rt.scope))
}

// TimeLimiter returns the time limiter of that name, as [Runtime.Breaker] does.
func (rt *Runtime) TimeLimiter(name string) (*timelimiter.TimeLimiter, bool) {
	return rt.timeLimiters.find(scoped(name, rt.scope))
}

// Bulkhead returns the bulkhead of that name, as [Runtime.Breaker] does.
func (rt *Runtime) Bulkhead(name string) (*bulkhead.Bulkhead, bool) {
	return rt.bulkheads.find(scoped(name, rt.scope))
}

// PoolBulkhead returns the bulkhead with a pool of that name, as [Runtime.Breaker] does.
func (rt *Runtime) PoolBulkhead(name string) (*bulkhead.Pool, bool) {
	return rt.pools.find(scoped(name, rt.scope))
}

// Fallback returns the fallback of that name, which is the method's, as in inventory.Client.Stock, and whether there is
// one.
func (rt *Runtime) Fallback(name string) (*fallback.Fallback, bool) {
	return rt.fallbacks.find(scoped(name, rt.scope))
}

// Breakers returns the registry of circuit breakers.
func (rt *Runtime) Breakers() Registry[breaker.Breaker, breaker.Option] {
	return registryOf[breaker.Option](rt.breakers, rt.scope)
}

// Retries returns the registry of retries.
func (rt *Runtime) Retries() Registry[retry.Retry, retry.Option] {
	return registryOf[retry.Option](rt.retries, rt.scope)
}

// Limiters returns the registry of rate limiters.
func (rt *Runtime) Limiters() Registry[limiter.Limiter, limiter.Option] {
	return registryOf[limiter.Option](rt.limiters, rt.scope)
}

// TimeLimiters returns the registry of time limiters.
func (rt *Runtime) TimeLimiters() Registry[timelimiter.TimeLimiter, timelimiter.Option] {
	return registryOf[timelimiter.Option](rt.timeLimiters, rt.scope)
}

// Bulkheads returns the registry of bulkheads without a pool.
func (rt *Runtime) Bulkheads() Registry[bulkhead.Bulkhead, bulkhead.Option] {
	return registryOf[bulkhead.Option](rt.bulkheads, rt.scope)
}

// PoolBulkheads returns the registry of bulkheads with a pool.
func (rt *Runtime) PoolBulkheads() Registry[bulkhead.Pool, bulkhead.PoolOption] {
	return registryOf[bulkhead.PoolOption](rt.pools, rt.scope)
}

// A NoOption is the option of a policy that has nothing to configure. There is none.
type NoOption func(*noConfig)

// Fallbacks returns the registry of fallbacks.
func (rt *Runtime) Fallbacks() Registry[fallback.Fallback, NoOption] {
	return registryOf[NoOption](rt.fallbacks, rt.scope)
}
