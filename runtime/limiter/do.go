package limiter

import "context"

// Do takes one permit, waits for it if need be, and calls fn. Without the permit it returns the error of
// [Limiter.Acquire] and does not call fn. What fn returned may take away the permits that are left, if
// DrainPermissionsOnResult says so. A call that needs more permits takes them with Acquire.
func Do[T any](ctx context.Context, l *Limiter, fn func(context.Context) (T, error)) (T, error) {
	if err := l.Acquire(ctx, 1); err != nil {
		var none T
		return none, err
	}
	v, err := fn(ctx)
	if drains := l.config.Load().DrainPermissionsOnResult; drains != nil && drains(v, err) {
		l.drain(context.WithoutCancel(ctx))
	}
	return v, err
}

// Run is [Do] for a call without a result.
func Run(ctx context.Context, l *Limiter, fn func(context.Context) error) error {
	if err := l.Acquire(ctx, 1); err != nil {
		return err
	}
	err := fn(ctx)
	if drains := l.config.Load().DrainPermissionsOnResult; drains != nil && drains(nil, err) {
		l.drain(context.WithoutCancel(ctx))
	}
	return err
}

// Decorate returns fn with [Do] around it.
func Decorate[T any](l *Limiter, fn func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return Do(ctx, l, fn) }
}
