package resil_test

import (
	"context"
	"errors"
	"time"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// What follows is written as generated code is, for this interface:
//
//	//resil:retry name=inventory maxAttempts=3 waitDuration=100ms
//	//resil:circuitbreaker name=inventory-db failureRateThreshold=50 slidingWindowSize=4 minimumNumberOfCalls=4
//	//resil:timelimiter name=inventory timeoutDuration=2s
//	//resil:fallback use=stockMissing on=errNotFound
type client interface {
	Stock(ctx context.Context, sku string) (int, error)
}

var errNotFound = errors.New("not found")

func stockMissing(context.Context, string, error) (int, error) { return -1, nil }

const _ = resil.GeneratedV1

var _ client = (*resilientClient)(nil)

type resilientClient struct {
	next  client
	stock struct {
		retry       resil.Ref[retry.Retry]
		breaker     resil.Ref[breaker.Breaker]
		timeLimiter resil.Ref[timelimiter.TimeLimiter]
		fallback    resil.Ref[fallback.Fallback]
	}
}

func newResilientClient(next client, rt *resil.Runtime) (*resilientClient, error) {
	if next == nil {
		return nil, resil.NilNext("inventory.Client")
	}
	if _, wrapped := next.(*resilientClient); wrapped {
		return nil, resil.WrappedTwice("inventory.Client")
	}
	w := &resilientClient{next: next}
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Retry(&w.stock.retry, "inventory", retry.WithMaxAttempts(3), retry.WithWaitDuration(100*time.Millisecond))
	b.Breaker(&w.stock.breaker, "inventory-db", breaker.WithFailureRateThreshold(50),
		breaker.WithSlidingWindowSize(4), breaker.WithMinimumNumberOfCalls(4))
	b.TimeLimiter(&w.stock.timeLimiter, "inventory", timelimiter.WithTimeoutDuration(2*time.Second))
	b.Fallback(&w.stock.fallback, "inventory.Client.Stock")
	if err := b.Err(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *resilientClient) Stock(ctx context.Context, sku string) (int, error) {
	n, err := w.stockRetry(ctx, sku)
	if err == nil {
		return n, nil
	}
	err = policy.Unmark(err)
	if policy.Cancelled(ctx) {
		return n, err
	}
	if policy.Is(err, errNotFound) {
		n, answer := stockMissing(ctx, sku, err)
		w.stock.fallback.For(ctx).Answered("stockMissing", err, answer)
		return n, answer
	}
	return n, err
}

func (w *resilientClient) stockRetry(ctx context.Context, sku string) (int, error) {
	attempts := w.stock.retry.For(ctx).Begin()
	for {
		n, err := w.stockBreaker(ctx, sku)
		if !attempts.Again(ctx, &err) {
			return n, err
		}
	}
}

func (w *resilientClient) stockBreaker(ctx context.Context, sku string) (n int, err error) {
	call, err := w.stock.breaker.For(ctx).Begin()
	if err != nil {
		return n, policy.MarkInner(err)
	}
	defer call.Abort()
	n, err = w.stockTimeLimiter(ctx, sku)
	call.End(ctx, err)
	return n, err
}

func (w *resilientClient) stockTimeLimiter(ctx context.Context, sku string) (int, error) {
	ctx, call := w.stock.timeLimiter.For(ctx).Begin(ctx)
	defer call.Stop()
	n, err := w.next.Stock(ctx, sku)
	return n, call.End(err)
}

// counter is a client of two layers, whose calls allocate nothing.
type counter interface {
	Count(ctx context.Context) (int, error)
}

type resilientCounter struct {
	next  counter
	count struct {
		retry   resil.Ref[retry.Retry]
		breaker resil.Ref[breaker.Breaker]
	}
}

func newResilientCounter(next counter, rt *resil.Runtime) (*resilientCounter, error) {
	w := &resilientCounter{next: next}
	b := resil.Bind(rt, "example.com/shop/counter", "counter.Counter")
	b.Retry(&w.count.retry, "counter.Counter.Count")
	b.Breaker(&w.count.breaker, "counter.Counter.Count")
	if err := b.Err(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *resilientCounter) Count(ctx context.Context) (int, error) {
	n, err := w.countRetry(ctx)
	return n, policy.Unmark(err)
}

func (w *resilientCounter) countRetry(ctx context.Context) (int, error) {
	attempts := w.count.retry.For(ctx).Begin()
	for {
		n, err := w.countBreaker(ctx)
		if !attempts.Again(ctx, &err) {
			return n, err
		}
	}
}

func (w *resilientCounter) countBreaker(ctx context.Context) (n int, err error) {
	call, err := w.count.breaker.For(ctx).Begin()
	if err != nil {
		return n, policy.MarkInner(err)
	}
	defer call.Abort()
	n, err = w.next.Count(ctx)
	call.End(ctx, err)
	return n, err
}

// stockFunc is a client made of a function.
type stockFunc func(ctx context.Context, sku string) (int, error)

func (f stockFunc) Stock(ctx context.Context, sku string) (int, error) { return f(ctx, sku) }

type countFunc func(context.Context) (int, error)

func (f countFunc) Count(ctx context.Context) (int, error) { return f(ctx) }
