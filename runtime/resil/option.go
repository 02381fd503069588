package resil

import (
	"fmt"
	"log/slog"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// defaultConfiguration is the name of the configuration that all others, and all instances, start from.
const defaultConfiguration = "default"

// An Option configures a [Runtime] that [New] makes. Options of the same kind for the same name add up, in order.
type Option func(*construction)

// construction is a runtime that New is about to return.
type construction struct {
	runtime *Runtime
	errs    []error
}

// WithLogger sets where the runtime and its instances report what nobody else can be told, such as a listener's panic.
// The default, and nil, is [slog.Default].
func WithLogger(logger *slog.Logger) Option {
	return func(c *construction) { c.runtime.logger = logger }
}

// WithBreaker sets options of the circuit breaker of that name. They are the strongest layer: they win over annotations
// and configurations. The instance exists from the start, and wrappers that bind the name later use it.
func WithBreaker(name string, opts ...breaker.Option) Option {
	return func(c *construction) { addCode(c, c.runtime.breakers, name, opts) }
}

// WithRetry sets options of the retry of that name, as [WithBreaker] does.
func WithRetry(name string, opts ...retry.Option) Option {
	return func(c *construction) { addCode(c, c.runtime.retries, name, opts) }
}

// WithTimeLimiter sets options of the time limiter of that name, as [WithBreaker] does.
func WithTimeLimiter(name string, opts ...timelimiter.Option) Option {
	return func(c *construction) { addCode(c, c.runtime.timeLimiters, name, opts) }
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

// WithTimeLimiterConfig describes a named configuration of time limiters, as [WithBreakerConfig] does.
func WithTimeLimiterConfig(configuration string, opts ...timelimiter.Option) Option {
	return func(c *construction) { addConfiguration(c, c.runtime.timeLimiters, configuration, opts) }
}

func addCode[P instance, C any, O ~func(*C)](c *construction, r *registry[P, C], name string, opts []O) {
	if name == "" {
		c.errs = append(c.errs, fmt.Errorf("%s set in code has no name; give it one", r.kind))
		return
	}
	r.coded[name] = append(r.coded[name], functions[C](opts)...)
}

func addConfiguration[P instance, C any, O ~func(*C)](c *construction, r *registry[P, C], name string, opts []O) {
	if name == "" {
		c.errs = append(c.errs, fmt.Errorf("%s configuration has no name; give it one", r.kind))
		return
	}
	r.configurations[name] = append(r.configurations[name], functions[C](opts)...)
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
