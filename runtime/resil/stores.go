package resil

import (
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

// templated is the template of a policy, from which instances with the same terms are made, so that they share their
// Config.
type templated[T any] interface{ New(name string) *T }

// templateMaker returns the maker of a store whose policy has templates.
func templateMaker[T, C any, M templated[T]](template func(C) (M, error)) func(C) func(string) (*T, error) {
	return func(config C) func(string) (*T, error) {
		t, err := template(config)
		return func(name string) (*T, error) {
			if err != nil {
				return nil, err
			}
			return t.New(name), nil
		}
	}
}

func newBreakerStore(rt *Runtime) *store[breaker.Breaker, breaker.Config] {
	s := newStore(rt, policy.CircuitBreaker, breaker.DefaultConfig, breaker.New,
		func(c *breaker.Config) { c.Enabled = false })
	s.begin = func(c *breaker.Config, state forcing) { c.InitialState = state }
	s.enforce = enforce
	s.healthy = healthOfBreaker
	s.maker = templateMaker[breaker.Breaker](breaker.NewTemplate)
	s.quiet = (*breaker.Breaker).Quiet
	return s
}

func newRetryStore(rt *Runtime) *store[retry.Retry, retry.Config] {
	s := newStore(rt, policy.Retry, retry.DefaultConfig, retry.New, func(c *retry.Config) { c.Enabled = false })
	s.maker = templateMaker[retry.Retry](retry.NewTemplate)
	return s
}

func newBulkheadStore(rt *Runtime) *store[bulkhead.Bulkhead, bulkhead.Config] {
	s := newStore(rt, policy.Bulkhead, bulkhead.DefaultConfig, bulkhead.New,
		func(c *bulkhead.Config) { c.Enabled = false })
	s.maker = templateMaker[bulkhead.Bulkhead](bulkhead.NewTemplate)
	return s
}

func newPoolStore(rt *Runtime) *store[bulkhead.Pool, bulkhead.PoolConfig] {
	s := newStore(rt, policy.ThreadPoolBulkhead, bulkhead.DefaultPoolConfig, bulkhead.NewPool,
		func(c *bulkhead.PoolConfig) { c.Enabled = false })
	s.released = true // its goroutines
	return s
}
