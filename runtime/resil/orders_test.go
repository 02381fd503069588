package resil_test

import (
	"context"
	"time"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/resil"
)

// What follows is written as generated code is, for this interface. The limits of one name are three instances: a rate
// limiter, a bulkhead, and a bulkhead with a pool.
type orders interface {
	//resil:ratelimiter name=orders limitForPeriod=2 limitRefreshPeriod=1m timeoutDuration=0s
	//resil:bulkhead name=orders maxConcurrentCalls=2
	Place(ctx context.Context, sku string) (int, error)
	//resil:bulkhead name=orders type=pool maxThreadPoolSize=1 queueCapacity=1
	Report(ctx context.Context) (string, error)
}

type resilientOrders struct {
	next  orders
	place struct {
		limiter  resil.Ref[limiter.Limiter]
		bulkhead resil.Ref[bulkhead.Bulkhead]
	}
	report struct {
		bulkhead resil.Ref[bulkhead.Pool]
	}
}

func newResilientOrders(next orders, rt *resil.Runtime) (*resilientOrders, error) {
	if next == nil {
		return nil, resil.NilNext("orders.Orders")
	}
	w := &resilientOrders{next: next}
	b := resil.Bind(rt, "example.com/shop/orders", "orders.Orders")
	b.Limiter(&w.place.limiter, "orders", limiter.WithLimitForPeriod(2), limiter.WithLimitRefreshPeriod(time.Minute),
		limiter.WithTimeoutDuration(0))
	b.Bulkhead(&w.place.bulkhead, "orders", bulkhead.WithMaxConcurrentCalls(2))
	b.PoolBulkhead(&w.report.bulkhead, "orders", bulkhead.WithMaxThreadPoolSize(1), bulkhead.WithQueueCapacity(1))
	if err := b.Err(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *resilientOrders) Place(ctx context.Context, sku string) (int, error) {
	return w.placeLimiter(ctx, sku)
}

func (w *resilientOrders) placeLimiter(ctx context.Context, sku string) (n int, err error) {
	if err := w.place.limiter.For(ctx).Acquire(ctx, 1); err != nil {
		return n, err
	}
	return w.placeBulkhead(ctx, sku)
}

func (w *resilientOrders) placeBulkhead(ctx context.Context, sku string) (n int, err error) {
	call, err := w.place.bulkhead.For(ctx).Begin(ctx)
	if err != nil {
		return n, err
	}
	defer call.End()
	return w.next.Place(ctx, sku)
}

func (w *resilientOrders) Report(ctx context.Context) (string, error) {
	return w.reportBulkhead(ctx)
}

func (w *resilientOrders) reportBulkhead(ctx context.Context) (string, error) {
	return bulkhead.Submit(ctx, w.report.bulkhead.For(ctx), func(ctx context.Context) (string, error) {
		return w.next.Report(ctx)
	})
}

// ordersFunc answers both methods with one function.
type ordersFunc func(context.Context) error

func (f ordersFunc) Place(ctx context.Context, _ string) (int, error) { return 1, f(ctx) }
func (f ordersFunc) Report(ctx context.Context) (string, error)       { return "report", f(ctx) }

// held is an orders whose calls last until it is released.
func held() (next orders, release func()) {
	released := make(chan struct{})
	return ordersFunc(func(context.Context) error {
		<-released
		return nil
	}), func() { close(released) }
}
