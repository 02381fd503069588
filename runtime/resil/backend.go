package resil

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/runtime/internal/spelling"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// WithLimiterBackend registers a backend under the name by which annotations, options and configurations of rate
// limiters choose it: backend=redis, or limiter.WithBackend("redis"). A limiter that names no backend decides in this
// process. A name can be registered once. Deciders are made by constructors, while the runtime is locked: making one must
// not call the runtime. They are closed with their limiters; the backend is not.
func WithLimiterBackend(name string, backend limiter.Backend) Option {
	return func(c *construction) {
		registered := c.runtime.backends
		switch {
		case name == "":
			c.errs = append(c.errs, errors.New("a backend of rate limiters has no name; give it one"))
		case backend == nil:
			c.errs = append(c.errs, fmt.Errorf("the backend %q of rate limiters is nil; register one that decides", name))
		case registered[name] != nil:
			c.errs = append(c.errs, fmt.Errorf("two backends of rate limiters are named %q; give them two names", name))
		default:
			registered[name] = backend
		}
	}
}

// newLimiterStore returns the store of rate limiters, which knows their backends.
func newLimiterStore(rt *Runtime) *store[limiter.Limiter, limiter.Config] {
	s := newStore(rt, policy.RateLimiter, limiter.DefaultConfig, limiter.New,
		func(c *limiter.Config) { c.Enabled = false })
	s.healthy = healthOfLimiter
	s.validate = func(c limiter.Config) error {
		return errors.Join(c.Validate(), c.CheckBackend(), rt.checkBackend(c.Backend))
	}
	s.released = true // a backend's Decider
	s.maker = func(config limiter.Config) func(string) (*limiter.Limiter, error) {
		template, err := limiter.NewTemplate(config, rt.backends[config.Backend])
		if err != nil {
			return func(string) (*limiter.Limiter, error) { return nil, err }
		}
		return template.New
	}
	s.fixed = func(old, new limiter.Config) error {
		if old.Backend == new.Backend {
			return nil
		}
		return fmt.Errorf("backend is %q, but an instance whose backend is %q is in use already; "+
			"name the backend where that is made", new.Backend, old.Backend)
	}
	return s
}

// checkBackend returns an error if a backend is named that is not registered.
func (rt *Runtime) checkBackend(name string) error {
	if name == "" || rt.backends[name] != nil {
		return nil
	}
	registered := slices.Sorted(maps.Keys(rt.backends))
	which := "none is registered"
	if len(registered) > 0 {
		which = "registered are " + strings.Join(registered, ", ")
	}
	if near := spelling.Nearest(name, registered); near != "" {
		return fmt.Errorf("backend is %q; did you mean %q? %s", name, near, which)
	}
	return fmt.Errorf("backend is %q; %s; write resil.WithLimiterBackend(%[1]q, ...) in resil.New", name, which)
}
