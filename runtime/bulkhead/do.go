package bulkhead

import "context"

// Do waits for a slot if need be, calls fn, and gives the slot back, also if fn panics. Without a slot it returns the
// error of [Bulkhead.Begin] and does not call fn.
func Do[T any](ctx context.Context, b *Bulkhead, fn func(context.Context) (T, error)) (T, error) {
	call, err := b.Begin(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer call.End()
	return fn(ctx)
}

// Run is [Do] for a call without a result.
func Run(ctx context.Context, b *Bulkhead, fn func(context.Context) error) error {
	call, err := b.Begin(ctx)
	if err != nil {
		return err
	}
	defer call.End()
	return fn(ctx)
}

// Decorate returns fn with [Do] around it.
func Decorate[T any](b *Bulkhead, fn func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return Do(ctx, b, fn) }
}

// Submit is [Do] for a [Pool]: it runs fn, with ctx, on a goroutine of the pool and waits for it. It returns a
// [*FullError] if neither a goroutine nor the queue has room, and an [*InterruptedError] if ctx ends, or the pool is
// closed while fn is still in the queue. If ctx ends while fn runs, Submit returns and fn goes on until it sees that
// itself; its goroutine is free when it has returned, and what it returns is lost.
//
// If fn panics, Submit panics with the same value; if it calls runtime.Goexit, Submit does. If its caller has left by
// then, a panic is counted, published as PANIC, and lets the process live.
func Submit[T any](ctx context.Context, p *Pool, fn func(context.Context) (T, error)) (T, error) {
	if p.passes() {
		return fn(ctx)
	}
	var results struct {
		value T
		err   error
	}
	refusal := p.submit(ctx, func() { results.value, results.err = fn(ctx) })
	if refusal != nil {
		var none T // fn may be writing results
		return none, refusal
	}
	return results.value, results.err
}

// RunPool is [Submit] for a call without a result.
func RunPool(ctx context.Context, p *Pool, fn func(context.Context) error) error {
	_, err := Submit(ctx, p, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) })
	return err
}

// DecoratePool returns fn with [Submit] around it.
func DecoratePool[T any](p *Pool, fn func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return Submit(ctx, p, fn) }
}
