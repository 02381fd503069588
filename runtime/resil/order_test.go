package resil_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// inOrder returns a document that orders layers.
func inOrder(kinds ...policy.Kind) *resil.Document {
	d := doc()
	d.Order = kinds
	return d
}

// bindOrdered does what the constructor of a wrapper does whose method Stock has these layers.
func bindOrdered(rt *resil.Runtime, layers ...policy.Kind) error {
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Breaker(new(resil.Ref[breaker.Breaker]), "ordered")
	b.PoolBulkhead(new(resil.Ref[bulkhead.Pool]), "ordered")
	b.Order("Stock", layers...)
	return b.Err()
}

func TestOrderOfLayersMustBeTheDocuments(t *testing.T) {
	t.Parallel()
	const cb, re, rl, tl, bh, pool = policy.CircuitBreaker, policy.Retry, policy.RateLimiter, policy.TimeLimiter,
		policy.Bulkhead, policy.ThreadPoolBulkhead
	for _, c := range []struct {
		order, layers []policy.Kind
		right         string // empty: they agree
	}{
		{nil, []policy.Kind{cb, re}, ""},
		{[]policy.Kind{cb, re}, []policy.Kind{cb, re}, ""},
		{[]policy.Kind{cb, re}, []policy.Kind{re, cb}, "circuitbreaker, retry"},
		{[]policy.Kind{cb, re}, []policy.Kind{cb, re, rl, tl, bh}, ""},
		{[]policy.Kind{cb, re}, []policy.Kind{policy.Fallback, cb, rl, tl, pool}, ""},
		{[]policy.Kind{bh}, []policy.Kind{re, cb, pool}, "thread-pool-bulkhead, retry, circuitbreaker"},
		{[]policy.Kind{bh}, []policy.Kind{bh, re, tl}, ""},
		{[]policy.Kind{tl, rl}, []policy.Kind{re, rl, tl}, "timelimiter, ratelimiter, retry"},
	} {
		rt := newRuntime(t, resil.WithSource(newSource(inOrder(c.order...))))
		err := bindOrdered(rt, c.layers...)
		_, bound := rt.Breaker("ordered")
		require.Equal(t, err == nil, bound, "all or nothing")
		if c.right == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "the layers of example.com/shop/inventory.Client.Stock are ")
		require.ErrorContains(t, err, ", from outside in, but in resil.yaml their order is "+c.right+
			"; run resilgen -config resil.yaml")
	}
	require.NoError(t, bindOrdered(resil.Passthrough(), cb, re))
}

func TestLiveDocumentCannotChangeTheOrder(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	require.NoError(t, bindOrdered(rt, policy.Retry, policy.CircuitBreaker))
	err := rt.Apply(resil.WithSource(newSource(inOrder(policy.CircuitBreaker))))
	require.EqualError(t, err, "the layers of example.com/shop/inventory.Client.Stock are retry, circuitbreaker, from outside in, "+
		"but in resil.yaml their order is circuitbreaker, retry; run resilgen -config resil.yaml")
	require.NoError(t, rt.Apply(resil.WithSource(newSource(inOrder(policy.Retry)))))

	source := newSource(inOrder(policy.TimeLimiter))
	rt = newRuntime(t, resil.WithSource(source))
	source.say(inOrder(policy.TimeLimiter, policy.Retry), nil)
	require.NoError(t, bindOrdered(rt, policy.TimeLimiter, policy.Retry), "it is the same order, said at greater length")
	var refused []error
	rt.Subscribe(func(e policy.Event) { refused = append(refused, e.Err) })
	source.say(inOrder(policy.RateLimiter), nil)
	require.Len(t, refused, 1)
	require.ErrorContains(t, refused[0], "the layers of example.com/shop/inventory.Client.Stock are timelimiter, retry")
	source.say(inOrder(policy.TimeLimiter, policy.Retry, policy.Bulkhead), nil)
	require.EqualError(t, refused[1], "resil.yaml: the order of layers is timelimiter, retry, bulkhead, circuitbreaker, ratelimiter, "+
		"and was timelimiter, retry, circuitbreaker, ratelimiter, bulkhead; wrappers that are in use cannot follow, so run "+
		"resilgen -config resil.yaml and start the program again")
}
