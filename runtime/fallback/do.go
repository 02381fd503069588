package fallback

import (
	"context"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Do calls fn, and if it fails returns what the one handler that fits its error returns: result and error as they are.
// If none fits, it returns what fn returned. Handlers are given ctx. A panic is never handed to a handler.
func Do[T any](
	ctx context.Context, f *Fallback, fn func(context.Context) (T, error), handlers ...Handler[T],
) (T, error) {
	v, err := fn(ctx)
	if err == nil {
		return v, nil
	}
	err = policy.Unmark(err)
	handler, ok := pick(ctx, err, handlers)
	if !ok {
		return v, err
	}
	v, answer := handler.answer(ctx, err)
	f.Answered(handler.name, err, answer)
	return v, answer
}

// Run is [Do] for a call without a result. [NoResult] makes the answers of its handlers.
func Run(
	ctx context.Context, f *Fallback, fn func(context.Context) error, handlers ...Handler[struct{}],
) error {
	_, err := Do(ctx, f, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) }, handlers...)
	return err
}

// Decorate returns fn with [Do] around it.
func Decorate[T any](
	f *Fallback, fn func(context.Context) (T, error), handlers ...Handler[T],
) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return Do(ctx, f, fn, handlers...) }
}
