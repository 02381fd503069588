package fallback

import (
	"context"
	"reflect"
	"slices"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Handler answers in place of a call that failed, for the errors it names. Make one with [OnType], [OnError],
// [OnMatch] or [Otherwise]; the zero Handler answers nothing.
type Handler[T any] struct {
	name    string
	class   class
	face    reflect.Type // of a byInterface handler
	cancels bool         // names context.Canceled
	fits    func(error) bool
	answer  func(context.Context, error) (T, error)
}

// A class is one of the rounds in which handlers are tried.
type class int

const (
	exact       class = iota // names concrete types, values, or what a predicate finds
	byInterface              // names an interface type
	otherwise                // takes every error
)

// Name returns the name under which the handler is counted.
func (h Handler[T]) Name() string { return h.name }

// OnType returns a handler for the errors of type E, in the sense of errors.As: a concrete type, an interface type, or
// error itself, which is [Otherwise]. A nil answer panics.
func OnType[E error, T any](name string, answer func(context.Context, E) (T, error)) Handler[T] {
	if answer == nil {
		panic("fallback: OnType needs a function, not nil")
	}
	h := Handler[T]{
		name: name,
		fits: func(err error) bool { _, ok := policy.As[E](err); return ok },
		answer: func(ctx context.Context, err error) (T, error) {
			e, _ := policy.As[E](err)
			return answer(ctx, e)
		},
	}
	switch face := reflect.TypeFor[E](); {
	case face == reflect.TypeFor[error]():
		return Otherwise(name, any(answer).(func(context.Context, error) (T, error)))
	case face.Kind() == reflect.Interface:
		h.class, h.face = byInterface, face
	}
	return h
}

// OnError returns a handler for the errors that are one of the targets, in the sense of errors.Is. One that names
// context.Canceled is the only kind that runs when the caller has cancelled. A nil answer panics.
func OnError[T any](name string, answer func(context.Context, error) (T, error), targets ...error) Handler[T] {
	if answer == nil {
		panic("fallback: OnError needs a function, not nil")
	}
	targets = slices.Clone(targets)
	return Handler[T]{
		name:    name,
		cancels: slices.ContainsFunc(targets, func(target error) bool { return target == context.Canceled }),
		fits: func(err error) bool {
			return slices.ContainsFunc(targets, func(target error) bool { return policy.Is(err, target) })
		},
		answer: answer,
	}
}

// OnMatch returns a handler for the errors that match reports; it is asked about no typed nil. A nil answer or match
// panics.
func OnMatch[T any](name string, answer func(context.Context, error) (T, error), match func(error) bool) Handler[T] {
	if answer == nil || match == nil {
		panic("fallback: OnMatch needs two functions, not nil")
	}
	return Handler[T]{
		name: name,
		fits: func(err error) bool {
			_, sound := policy.As[error](err) // every error but a typed nil is an error
			return sound && match(err)
		},
		answer: answer,
	}
}

// Otherwise returns a handler for every error that no other handler takes. A nil answer panics.
func Otherwise[T any](name string, answer func(context.Context, error) (T, error)) Handler[T] {
	if answer == nil {
		panic("fallback: Otherwise needs a function, not nil")
	}
	return Handler[T]{name: name, class: otherwise, fits: func(error) bool { return true }, answer: answer}
}

// NoResult makes an answer for [Run] of a function that has no result beside its error.
func NoResult[E error](answer func(context.Context, E) error) func(context.Context, E) (struct{}, error) {
	return func(ctx context.Context, err E) (struct{}, error) { return struct{}{}, answer(ctx, err) }
}
