package generatedtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
)

// Shop limits how often and how many at a time its methods are called.
//
//resil:wrapper expected=ErrMissing
type Shop interface {
	// Order has all five policies, and an answer for each of four kinds of failure.
	//
	//resil:retry name=shop maxAttempts=3 waitDuration=10ms
	//resil:circuitbreaker name=order slidingWindowSize=20 fallback=orderWhenOpen
	//resil:ratelimiter name=order limitForPeriod=10 limitRefreshPeriod=1s timeoutDuration=0s permits={qty}
	//resil:timelimiter name=order timeoutDuration=50ms
	//resil:bulkhead name=order maxConcurrentCalls=1 fallback=orderWhenFull
	//resil:fallback use=orderMissing on=ErrMissing
	//resil:fallback use=orderAnyhow
	Order(ctx context.Context, sku string, qty int) (string, error)

	// Count has the policies that a call through costs nothing, and no fallback.
	//
	//resil:retry name=shop maxAttempts=3 waitDuration=10ms
	//resil:circuitbreaker name=count slidingWindowSize=20
	//resil:ratelimiter name=count limitForPeriod=1000000000 limitRefreshPeriod=1s permits={id}
	//resil:bulkhead name=count
	Count(ctx context.Context, id ID) (int, error)

	// Ship takes a permit for each parcel, and has the rest taken away when the far side has had enough.
	//
	//resil:ratelimiter name=ship limitForPeriod=10 limitRefreshPeriod=1s timeoutDuration=0s permits={parcels(skus)} drainPermissionsOnResult=enough
	Ship(ctx context.Context, skus ...string) (int, error)

	// Pack runs in a pool, whose refusals the circuit breaker does not count.
	//
	//resil:circuitbreaker name=pack slidingWindowSize=20
	//resil:bulkhead name=pack type=pool maxThreadPoolSize=1 coreThreadPoolSize=1 queueCapacity=0
	Pack(ctx context.Context, sku string) (string, int, error)

	// Guard answers at the layer inside of its time limit.
	//
	//resil:timelimiter name=guard timeoutDuration=50ms
	//resil:bulkhead name=guard fallback=deadlineOf fallbackAt=layer
	Guard(ctx context.Context) (string, error)
}

// An ID is an integer of a type of its own.
type ID uint16

// ErrEnough is what the far side says when it has had enough.
var ErrEnough = errors.New("enough")

func orderWhenOpen(_ context.Context, _ string, _ int, _ *breaker.OpenError) (string, error) {
	return "open", nil
}

func orderWhenFull(_ context.Context, _ string, _ int, err *bulkhead.FullError) (string, error) {
	return "full: " + err.Name(), nil
}

func orderMissing(_ context.Context, sku string, _ int, _ error) (string, error) {
	return "no " + sku, nil
}

func orderAnyhow(err error) (string, error) { return fmt.Sprintf("any %T", err), nil }

func parcels(skus []string) int32 { return int32(len(skus)) }

func enough(_ int, err error) bool { return errors.Is(err, ErrEnough) }

func deadlineOf(ctx context.Context, err error) (string, error) {
	_, limited := ctx.Deadline()
	return fmt.Sprintf("%v, limited %t", err, limited), nil
}
