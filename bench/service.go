package main

import "context"

//go:generate go tool resilgen

// A Client is what every case calls, directly or through policies.
type Client interface {
	// Call returns twice n.
	Call(ctx context.Context, n int) (int, error)
}

// A doubler is the Client behind them all. Its method does as little as a method can that the compiler may not inline.
type doubler struct{}

// Call implements [Client].
//
//go:noinline
func (doubler) Call(_ context.Context, n int) (int, error) { return 2 * n, nil }

// The interfaces below have the one method of Client each, with the annotations that are to be measured. A wrapper that
// is generated for one of them is a Client, too.

// Closed has a circuit breaker that judges failures and slow calls among the last 100 calls.
type Closed interface {
	//resil:circuitbreaker name=closed slidingWindowSize=100 slowCallDurationThreshold=1s
	Call(ctx context.Context, n int) (int, error)
}

// ClosedUntimed has a circuit breaker that has no use for durations.
type ClosedUntimed interface {
	//resil:circuitbreaker name=untimed slidingWindowSize=100 slowCallDurationThreshold=0s
	Call(ctx context.Context, n int) (int, error)
}

// ClosedSeconds has a circuit breaker that judges failures and slow calls of the last 60 seconds.
type ClosedSeconds interface {
	//resil:circuitbreaker name=seconds slidingWindowType=TIME_BASED slidingWindowSize=60 slowCallDurationThreshold=1s
	Call(ctx context.Context, n int) (int, error)
}

// Opened has a circuit breaker that, once open, stays so for as long as a benchmark may last.
type Opened interface {
	//resil:circuitbreaker name=opened waitDurationInOpenState=24h
	Call(ctx context.Context, n int) (int, error)
}

// Retried has a retry.
type Retried interface {
	//resil:retry name=retried maxAttempts=3 waitDuration=100ms
	Call(ctx context.Context, n int) (int, error)
}

// Limited has a rate limiter that never has to refuse.
type Limited interface {
	//resil:ratelimiter name=limited limitForPeriod=1000000000 limitRefreshPeriod=1s
	Call(ctx context.Context, n int) (int, error)
}

// Bounded has a bulkhead.
type Bounded interface {
	//resil:bulkhead name=bounded maxConcurrentCalls=25
	Call(ctx context.Context, n int) (int, error)
}

// Chained has four policies around its call.
type Chained interface {
	//resil:retry name=chained maxAttempts=3 waitDuration=100ms
	//resil:circuitbreaker name=chained slidingWindowSize=100 slowCallDurationThreshold=1s
	//resil:ratelimiter name=chained limitForPeriod=1000000000 limitRefreshPeriod=1s timeoutDuration=0s
	//resil:bulkhead name=chained maxConcurrentCalls=25
	Call(ctx context.Context, n int) (int, error)
}

// Shared has a retry and a circuit breaker for all calls.
type Shared interface {
	//resil:retry name=shared maxAttempts=3 waitDuration=100ms
	//resil:circuitbreaker name=shared slidingWindowSize=100 slowCallDurationThreshold=1s
	Call(ctx context.Context, n int) (int, error)
}

// Tenanted has them for each tenant.
type Tenanted interface {
	//resil:retry name=tenanted-{tenant} maxAttempts=3 waitDuration=100ms
	//resil:circuitbreaker name=tenanted-{tenant} slidingWindowSize=100 slowCallDurationThreshold=1s
	Call(ctx context.Context, n int) (int, error)
}
