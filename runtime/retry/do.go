package retry

import (
	"context"
	"io"
	"reflect"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Do calls fn until an attempt succeeds, is not worth a repetition, or no attempt is left, and returns what the last
// attempt returned. RetryResult, if set, judges results that come without an error. A result of an earlier attempt is
// closed if it is an io.Closer, or points to a struct whose field Body is one, as *http.Response does.
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

// drop closes a result that nobody will see, if it or its Body can be closed. An error of Close concerns nobody.
func drop(result any) {
	if closed(result) {
		return
	}
	v := reflect.ValueOf(result)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return
	}
	field, ok := v.Type().Elem().FieldByName("Body")
	if !ok {
		return
	}
	if body, err := v.Elem().FieldByIndexErr(field.Index); err == nil {
		closed(body.Interface())
	}
}

// closed reports whether v is an io.Closer, which it has closed unless it is a nil pointer.
func closed(v any) bool {
	closer, ok := v.(io.Closer)
	if p := reflect.ValueOf(v); ok && (p.Kind() != reflect.Pointer || !p.IsNil()) {
		_ = closer.Close()
	}
	return ok
}
