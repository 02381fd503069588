package breaker

import (
	"context"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Do calls fn if b permits it, and settles the call by what fn returns, as [Call.End], RecordResult and TransitionOnResult
// say. It returns what fn returned; if the call is not permitted, the zero value and an [*OpenError]. A panic of fn, of a
// rule or of one of those functions counts as a failure and goes on to the caller.
//
// fn is given ctx. If it returns the refusal of another policy as it is, the two are taken for one chain: the refusal
// counts neither way unless RecordErrors has it.
func Do[T any](ctx context.Context, b *Breaker, fn func(context.Context) (T, error)) (T, error) {
	call, err := b.Begin()
	if err != nil {
		var none T
		return none, err
	}
	defer call.Abort()
	result, err := fn(ctx)
	err = policy.InnerRefusal(err)
	s := b.settings.Load()
	counted := call.generation != nil
	call.EndResult(ctx, err, counted && err == nil && s.RecordResult != nil && s.RecordResult(result))
	err = policy.Unmark(err)
	if counted && s.TransitionOnResult != nil {
		call.Transition(s.TransitionOnResult(result, err))
	}
	return result, err
}

// Run is [Do] for functions that return an error alone. RecordResult is not asked, TransitionOnResult is given nil.
func Run(ctx context.Context, b *Breaker, fn func(context.Context) error) error {
	call, err := b.Begin()
	if err != nil {
		return err
	}
	defer call.Abort()
	err = policy.InnerRefusal(fn(ctx))
	call.End(ctx, err)
	err = policy.Unmark(err)
	if s := b.settings.Load(); call.generation != nil && s.TransitionOnResult != nil {
		call.Transition(s.TransitionOnResult(nil, err))
	}
	return err
}

// Decorate returns a function that calls fn through [Do].
func Decorate[T any](b *Breaker, fn func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) { return Do(ctx, b, fn) }
}
