package timelimiter

import (
	"context"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Do calls fn with a context that ends when the limit runs out, and returns what it returned: it depends on fn to heed
// its context; [Detach] does not. An error of a call whose limit has run out becomes a [*TimeoutError]. The context ends
// when Do returns, so a result that is read through it, as the Body of an http.Response is, must be read inside fn;
// [Call.KeepUntilClose] is for one that can't be.
func Do[T any](ctx context.Context, l *TimeLimiter, fn func(context.Context) (T, error)) (T, error) {
	ctx, call := l.Begin(ctx)
	defer call.Stop()
	v, err := fn(ctx)
	return v, policy.Unmark(call.End(policy.InnerRefusal(err)))
}

// Run is [Do] for a call without a result.
func Run(ctx context.Context, l *TimeLimiter, fn func(context.Context) error) error {
	ctx, call := l.Begin(ctx)
	defer call.Stop()
	return policy.Unmark(call.End(policy.InnerRefusal(fn(ctx))))
}

// Decorate returns fn with [Do] around it.
func Decorate[T any](l *TimeLimiter, fn func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return Do(ctx, l, fn) }
}
