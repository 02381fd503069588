// Package catalog is the client of a service that keeps the price lists of many tenants. One wrapper serves them all:
// {tenant} in a name gives each of them an instance of its own.
package catalog

import "context"

//go:generate go tool resilgen

// Client asks the catalog service.
type Client interface {
	// Price returns the price of sku, in cents, on the list of the tenant of ctx.
	//
	//resil:circuitbreaker name=catalog-{tenant} slidingWindowSize=4 minimumNumberOfCalls=4 failureRateThreshold=50 waitDurationInOpenState=1m
	//resil:ratelimiter name=catalog-{tenant} limitForPeriod=5 limitRefreshPeriod=1m timeoutDuration=0s
	Price(ctx context.Context, sku string) (int, error)
}
