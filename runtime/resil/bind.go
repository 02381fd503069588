package resil

import (
	"errors"
	"fmt"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// GeneratedV1 ties generated code to this package: each generated file refers to it, so that code which needs another
// shape of this API than the one here does not compile, where it could misbehave. A change that generated code of
// earlier versions cannot work with gets a constant GeneratedV2 beside this one; a minor version never drops one.
const GeneratedV1 = true

// A Binder collects the instances that a generated constructor needs, and the settings of their annotations. Nothing
// happens before [Binder.Err]. It is used by one goroutine.
//
// Names are templates: {tenant} stands for the tenant of a call, {scope} for the scope of the runtime, any other text in
// braces for the next value of the call's [Key], and {{ for a brace. A name with a value of the call needs a [Keyed]; a
// [Ref] does for all others. A name has at most four values, the tenant included.
type Binder struct {
	*binding
	configuration string
}

// binding is what a Binder and its views share.
type binding struct {
	runtime      *Runtime
	site         site
	breakers     batch[breaker.Breaker, breaker.Config]
	retries      batch[retry.Retry, retry.Config]
	limiters     batch[limiter.Limiter, limiter.Config]
	timeLimiters batch[timelimiter.TimeLimiter, timelimiter.Config]
	bulkheads    batch[bulkhead.Bulkhead, bulkhead.Config]
	pools        batch[bulkhead.Pool, bulkhead.PoolConfig]
	fallbacks    batch[fallback.Fallback, noConfig]
	ordered      []layered
	err          error
}

// Bind begins to bind a wrapper to the instances of rt. The import path is that of the wrapper's package; the label is
// the package and the interface, as in inventory.Client, with which the names that its annotations have by default
// begin.
func Bind(rt *Runtime, importPath, label string) *Binder {
	b := &binding{runtime: rt, site: wrapperSite(importPath, label)}
	if rt == nil {
		b.err = withoutRuntime(b.site)
		return &Binder{binding: b}
	}
	b.err = rt.scopeError()
	b.breakers = rt.breakers.binding(rt.scope, b.site)
	b.retries = rt.retries.binding(rt.scope, b.site)
	b.limiters = rt.limiters.binding(rt.scope, b.site)
	b.timeLimiters = rt.timeLimiters.binding(rt.scope, b.site)
	b.bulkheads = rt.bulkheads.binding(rt.scope, b.site)
	b.pools = rt.pools.binding(rt.scope, b.site)
	b.fallbacks = rt.fallbacks.binding(rt.scope, b.site)
	return &Binder{binding: b}
}

// Configuration returns a view of b whose calls name that configuration. It is a template as names are, and has no other
// values than the name; where there is no configuration of the name that it comes to, an instance gets the default one.
//
//	b.Configuration("shared").Breaker(&w.stock.breaker, "inventory")
func (b *Binder) Configuration(name string) *Binder {
	return &Binder{binding: b.binding, configuration: name}
}

// Breaker asks for the circuit breaker of that name. The options are what the annotation sets.
func (b *Binder) Breaker(ref Reference[breaker.Breaker], name string, opts ...breaker.Option) {
	b.breakers.request(name, b.configuration, functions(opts), ref)
}

// Retry asks for the retry of that name. The options are what the annotation sets.
func (b *Binder) Retry(ref Reference[retry.Retry], name string, opts ...retry.Option) {
	b.retries.request(name, b.configuration, functions(opts), ref)
}

// Limiter asks for the rate limiter of that name. The options are what the annotation sets.
func (b *Binder) Limiter(ref Reference[limiter.Limiter], name string, opts ...limiter.Option) {
	b.limiters.request(name, b.configuration, functions(opts), ref)
}

// TimeLimiter asks for the time limiter of that name. The options are what the annotation sets.
func (b *Binder) TimeLimiter(ref Reference[timelimiter.TimeLimiter], name string, opts ...timelimiter.Option) {
	b.timeLimiters.request(name, b.configuration, functions(opts), ref)
}

// Bulkhead asks for the bulkhead of that name. The options are what the annotation sets.
func (b *Binder) Bulkhead(ref Reference[bulkhead.Bulkhead], name string, opts ...bulkhead.Option) {
	b.bulkheads.request(name, b.configuration, functions(opts), ref)
}

// PoolBulkhead asks for the bulkhead with a pool of that name. The options are what the annotation sets.
func (b *Binder) PoolBulkhead(ref Reference[bulkhead.Pool], name string, opts ...bulkhead.PoolOption) {
	b.pools.request(name, b.configuration, functions(opts), ref)
}

// Fallback asks for the fallback of that name.
func (b *Binder) Fallback(ref Reference[fallback.Fallback], name string) {
	b.fallbacks.request(name, b.configuration, nil, ref)
}

// Err makes what was asked for, or nothing at all: with one error no instance is made or changed and no [Ref] is set,
// and the constructor throws its wrapper away. All errors are joined; each names the instance, and the wrapper or
// wrappers that it concerns. Constructing a wrapper twice in one runtime is no error: both use the same instances.
func (b *Binder) Err() error {
	if b.err != nil {
		return b.err
	}
	b.err = b.runtime.change(&b.breakers, &b.retries, &b.limiters, &b.timeLimiters, &b.bulkheads, &b.pools, &b.fallbacks,
		&ordering{b.runtime, b.ordered})
	if errors.Is(b.err, ErrClosed) {
		b.err = fmt.Errorf("the wrapper of %s: %w", b.site.label, b.err)
	}
	return b.err
}
