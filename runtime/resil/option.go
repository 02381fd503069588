package resil

import (
	"fmt"
	"log/slog"
	"maps"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// defaultConfiguration is the name of the configuration that all others, and all instances, start from.
const defaultConfiguration = "default"

// An Option configures a [Runtime] that [New] makes; some also one that lives, see [Runtime.Apply]. Options of the same kind for the same name add up, in order.
type Option func(*construction)

// construction is a runtime that New is about to return or, for Apply, one that only holds what is added to the code's
// layers.
type construction struct {
	runtime *Runtime
	sources []Source
	live    bool // the option that ran last is one that Apply takes
	errs    []error
}

// WithLogger sets where the runtime and its instances report what nobody else can be told, such as a listener's panic.
// The default, and nil, is [slog.Default].
func WithLogger(logger *slog.Logger) Option {
	return func(c *construction) { c.runtime.logger = logger }
}

// WithBreaker sets options of the circuit breaker of that name. They are the strongest layer: they win over annotations
// and configurations. The instance exists from the start, and wrappers that bind the name later use it. Where it is the base
// name of names with values, which wrappers bind, the options are those of all their instances.
func WithBreaker(name string, opts ...breaker.Option) Option {
	return func(c *construction) { addCode(c, c.runtime.breakers, name, opts) }
}

// WithRetry sets options of the retry of that name, as [WithBreaker] does.
func WithRetry(name string, opts ...retry.Option) Option {
	return func(c *construction) { addCode(c, c.runtime.retries, name, opts) }
}

// WithLimiter sets options of the rate limiter of that name, as [WithBreaker] does.
func WithLimiter(name string, opts ...limiter.Option) Option {
	return func(c *construction) { addCode(c, c.runtime.limiters, name, opts) }
}

// WithTimeLimiter sets options of the time limiter of that name, as [WithBreaker] does.
func WithTimeLimiter(name string, opts ...timelimiter.Option) Option {
	return func(c *construction) { addCode(c, c.runtime.timeLimiters, name, opts) }
}

// WithBulkhead sets options of the bulkhead of that name, as [WithBreaker] does.
func WithBulkhead(name string, opts ...bulkhead.Option) Option {
	return func(c *construction) { addCode(c, c.runtime.bulkheads, name, opts) }
}

// WithPoolBulkhead sets options of the bulkhead with a pool of that name, as [WithBreaker] does. It is another one than
// the bulkhead that [WithBulkhead] names so.
func WithPoolBulkhead(name string, opts ...bulkhead.PoolOption) Option {
	return func(c *construction) { addCode(c, c.runtime.pools, name, opts) }
}

// WithBreakerConfig describes a named configuration of circuit breakers, which annotations name by configuration=. It
// must be valid by itself. The one named "default", which always exists, is what all other configurations and all
// circuit breakers start from. Lists and functions replace those of a weaker layer.
func WithBreakerConfig(configuration string, opts ...breaker.Option) Option {
	return func(c *construction) { addConfiguration(c, c.runtime.breakers, configuration, opts) }
}

// WithRetryConfig describes a named configuration of retries, as [WithBreakerConfig] does.
func WithRetryConfig(configuration string, opts ...retry.Option) Option {
	return func(c *construction) { addConfiguration(c, c.runtime.retries, configuration, opts) }
}

// WithLimiterConfig describes a named configuration of rate limiters, as [WithBreakerConfig] does.
func WithLimiterConfig(configuration string, opts ...limiter.Option) Option {
	return func(c *construction) { addConfiguration(c, c.runtime.limiters, configuration, opts) }
}

// WithTimeLimiterConfig describes a named configuration of time limiters, as [WithBreakerConfig] does.
func WithTimeLimiterConfig(configuration string, opts ...timelimiter.Option) Option {
	return func(c *construction) { addConfiguration(c, c.runtime.timeLimiters, configuration, opts) }
}

// WithBulkheadConfig describes a named configuration of bulkheads, as [WithBreakerConfig] does.
func WithBulkheadConfig(configuration string, opts ...bulkhead.Option) Option {
	return func(c *construction) { addConfiguration(c, c.runtime.bulkheads, configuration, opts) }
}

// WithPoolBulkheadConfig describes a named configuration of bulkheads with a pool, as [WithBreakerConfig] does.
func WithPoolBulkheadConfig(configuration string, opts ...bulkhead.PoolOption) Option {
	return func(c *construction) { addConfiguration(c, c.runtime.pools, configuration, opts) }
}

// WithTags gives all instances of all policies these tags, which say where they run or to whom they belong. See
// [Registry.Tags]. Given several times, the tags add up, and the later value of a key wins.
func WithTags(tags map[string]string) Option {
	return func(c *construction) { maps.Copy(c.runtime.tags, tags) }
}

func addCode[T, C any, O ~func(*C)](c *construction, s *store[T, C], name string, opts []O) {
	c.live = true
	if name == "" {
		c.errs = append(c.errs, fmt.Errorf("%s set in code has no name; give it one", s.kind))
		return
	}
	s.coded[name] = append(s.coded[name], functions[C](opts)...)
}

func addConfiguration[T, C any, O ~func(*C)](c *construction, s *store[T, C], name string, opts []O) {
	c.live = true
	if name == "" {
		c.errs = append(c.errs, fmt.Errorf("%s configuration has no name; give it one", s.kind))
		return
	}
	s.configurations[name] = append(s.configurations[name], functions[C](opts)...)
}

// functions returns a policy's options as what they are, without nil ones.
func functions[C any, O ~func(*C)](opts []O) []func(*C) {
	var plain []func(*C)
	for _, opt := range opts {
		if opt != nil {
			plain = append(plain, opt)
		}
	}
	return plain
}
