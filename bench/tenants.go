package main

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/resilgen/resilgen/runtime/resil"
)

// A crowd is a client that is called for many tenants, one after the other.
type crowd struct {
	client Client
	ctxs   func() []context.Context // one for each, made when they are needed first
	next   atomic.Uint64
}

// tenantID returns the id of a tenant, of the length that such ids have.
func tenantID(i int) string { return "tenant-" + strconv.Itoa(1_000_000+i) }

// newCrowd returns a client with that many tenants, each of which has instances already when it is measured. They come in
// the order in which their instances were made, or in one that has nothing to do with it.
func newCrowd(parent context.Context, client Client, tenants int, shuffled bool) *crowd {
	return &crowd{client: client, ctxs: sync.OnceValue(func() []context.Context {
		ctxs := make([]context.Context, tenants)
		for i := range ctxs {
			ctxs[i] = resil.ContextWithTenant(parent, tenantID(i))
			_, err := client.Call(ctxs[i], i)
			check(err)
		}
		if shuffled {
			random := rand.New(rand.NewPCG(1, 2))
			random.Shuffle(tenants, func(i, j int) { ctxs[i], ctxs[j] = ctxs[j], ctxs[i] })
		}
		return ctxs
	})}
}

// measured returns the case of its calls.
func (c *crowd) measured(setting string) *Case {
	return &Case{
		Library: ours,
		Setting: setting,
		call: func(_ context.Context, n int) (int, error) {
			ctxs := c.ctxs()
			return c.client.Call(ctxs[c.next.Add(1)%uint64(len(ctxs))], n)
		},
		loop: func(_ context.Context, n int) {
			ctxs := c.ctxs()
			at := int(c.next.Add(uint64(n)) % uint64(len(ctxs)))
			for i := range n {
				_, _ = c.client.Call(ctxs[at], i)
				if at++; at == len(ctxs) {
					at = 0
				}
			}
		},
	}
}

func (s *scene) tenants() []*Case {
	tenanted := must(NewResilientTenanted(s.next, s.rt))
	return []*Case{
		through(ours, "one circuit breaker for all", must(NewResilientShared(s.next, s.rt))).as("shared"),
		newCrowd(s.ctx, tenanted, 1, false).measured("one for each tenant, 1 tenant").as("tenant"),
		newCrowd(s.ctx, tenanted, 1000, false).measured("1,000 tenants, in turn"),
		newCrowd(s.ctx, tenanted, manyTenants, false).measured("100,000 tenants, in turn"),
		newCrowd(s.ctx, tenanted, manyTenants, true).measured("100,000 tenants, shuffled"),
	}
}

const manyTenants = 100_000

// crowded makes the instances of a retry and a circuit breaker for each name, by a call for the tenant of that name.
func crowded(names []string) any {
	rt := must(resil.New())
	client := must(NewResilientTenanted(doubler{}, rt))
	for i, name := range names {
		_, err := client.Call(resil.ContextWithTenant(context.Background(), name), i)
		check(err)
	}
	return rt
}
