package retry

import (
	"context"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Do calls fn until an attempt succeeds, is not worth a repetition, or no attempt is left, and returns what the last
// attempt returned. RetryResult, if set, judges results that come without an error. A result of an earlier attempt is
// closed if it is an io.Closer, or points to a struct whose field Body is one; a Body of type io.ReadCloser, as that of
// *http.Response is, goes by [DropBody].
//
// A refusal that fn returns, as by a circuit breaker inside it, is not retried unless RetryErrors matches it; one that
// fn's error merely wraps is an error as any other.
func Do[T any](ctx context.Context, r *Retry, fn func(context.Context) (T, error)) (T, error) {
	attempts := r.Begin()
	for {
		v, err := fn(ctx)
		err = policy.InnerRefusal(err)
		var bad bool
		var result any // boxed only where somebody looks at it
		if err == nil && attempts.judgesResults() {
			result = v
			bad = attempts.settings.RetryResult(result)
		}
		if !attempts.again(ctx, &err, bad, result) {
			return v, policy.Unmark(err)
		}
		if bad && attempts.settings.ConsumeResultBeforeRetryAttempt != nil {
			attempts.settings.ConsumeResultBeforeRetryAttempt(attempts.Number(), result)
		}
		drop(v)
	}
}

// Run is [Do] for a call without a result. RetryResult is not asked.
func Run(ctx context.Context, r *Retry, fn func(context.Context) error) error {
	attempts := r.Begin()
	for {
		err := policy.InnerRefusal(fn(ctx))
		if !attempts.Again(ctx, &err) {
			return policy.Unmark(err)
		}
	}
}

// Decorate returns fn with [Do] around it.
func Decorate[T any](r *Retry, fn func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return Do(ctx, r, fn) }
}

func (a *Attempts) judgesResults() bool { return a.pending() && a.settings.RetryResult != nil }
