package resil

import (
	"iter"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// Breaker returns the circuit breaker of that name, and whether a wrapper or an option has named one.
func (rt *Runtime) Breaker(name string) (*breaker.Breaker, bool) { return rt.breakers.find(name) }

// Retry returns the retry of that name, and whether a wrapper or an option has named one.
func (rt *Runtime) Retry(name string) (*retry.Retry, bool) { return rt.retries.find(name) }

// TimeLimiter returns the time limiter of that name, and whether a wrapper or an option has named one.
func (rt *Runtime) TimeLimiter(name string) (*timelimiter.TimeLimiter, bool) {
	return rt.timeLimiters.find(name)
}

// Fallback returns the fallback of that name, which is the method's, as in inventory.Client.Stock, and whether there is
// one.
func (rt *Runtime) Fallback(name string) (*fallback.Fallback, bool) { return rt.fallbacks.find(name) }

// Breakers iterates over the circuit breakers in the order of their names. One that is made during the iteration is not
// among them.
func (rt *Runtime) Breakers() iter.Seq[*breaker.Breaker] { return rt.breakers.all() }

// Retries iterates over the retries, as [Runtime.Breakers] does.
func (rt *Runtime) Retries() iter.Seq[*retry.Retry] { return rt.retries.all() }

// TimeLimiters iterates over the time limiters, as [Runtime.Breakers] does.
func (rt *Runtime) TimeLimiters() iter.Seq[*timelimiter.TimeLimiter] { return rt.timeLimiters.all() }

// Fallbacks iterates over the fallbacks, as [Runtime.Breakers] does.
func (rt *Runtime) Fallbacks() iter.Seq[*fallback.Fallback] { return rt.fallbacks.all() }
