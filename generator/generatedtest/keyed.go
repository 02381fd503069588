package generatedtest

import (
	"context"
	"strconv"
)

// A Depot is where a store is; its parts may be missing.
type Depot struct {
	Region *Region
	Label  *string
}

// Above returns the region around the depot's.
func (d *Depot) Above() *Region { return d.Region.Parent }

// A Region is a part of the world.
type Region struct {
	Code   string
	Parent *Region
}

// A Shelf has a number and a text.
type Shelf int

func (s Shelf) String() string { return "shelf" + strconv.Itoa(int(s)) }

// aisleOf returns the aisle of a shelf, nil where there is none.
func aisleOf(s Shelf) *string {
	if s < 0 {
		return nil
	}
	aisle := "aisle" + strconv.Itoa(int(s)/10)
	return &aisle
}

// Stores has instances of their own for what its calls are about.
type Stores interface {
	// Tenant has a circuit breaker a tenant.
	//
	//resil:circuitbreaker name=tenant-{tenant} slidingWindowSize=2 minimumNumberOfCalls=2
	Tenant(ctx context.Context) error

	// Stock has a retry and a circuit breaker an article.
	//
	//resil:retry name=stock-{sku} maxAttempts=2 waitDuration=10ms
	//resil:circuitbreaker name=stock-{sku} slidingWindowSize=2 minimumNumberOfCalls=2
	Stock(ctx context.Context, sku string, n int) error

	// Local has what is nil on the path as an absent value.
	//
	//resil:circuitbreaker name=local-{d.Region.Code}
	//resil:bulkhead name=local-{d.Region.Code}
	Local(ctx context.Context, d *Depot) error

	// Above goes through a method, to a pointer.
	//
	//resil:circuitbreaker name=above-{d.Region.Parent.Code}-{d.Label}
	Above(ctx context.Context, d *Depot) error

	// Shelved has a text of its own, an integer and a function.
	//
	//resil:circuitbreaker name=shelved-{shelf}.{n}.{aisleOf(shelf)}
	Shelved(ctx context.Context, shelf Shelf, n int64) error

	// Family takes its configuration by the size that its name has.
	//
	//resil:circuitbreaker name=family-{size} configuration=size-{size}
	Family(ctx context.Context, size string) error

	// Pooled runs in a pool a queue.
	//
	//resil:bulkhead name=pooled-{queue} type=pool maxThreadPoolSize=1 coreThreadPoolSize=1 queueCapacity=0
	Pooled(ctx context.Context, queue uint8) error

	// Hot is a chain through which a call costs nothing.
	//
	//resil:retry name=hot-{sku}-{n} maxAttempts=2
	//resil:circuitbreaker name=hot-{sku}-{n}
	//resil:ratelimiter name=hot-{d.Region.Code} limitForPeriod=1000000000 limitRefreshPeriod=1s
	//resil:bulkhead name=hot-{tenant}
	Hot(ctx context.Context, sku string, n int, d *Depot) error
}
