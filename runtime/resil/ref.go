package resil

import (
	"context"
	"fmt"
)

// A Ref is a wrapper's reference to an instance of a policy; T is breaker.Breaker, retry.Retry and so on. A constructor
// sets it through a [Binder], before the wrapper is used, and it does not change afterwards.
type Ref[T any] struct{ instance *T }

// For returns the instance that a call with the context ctx uses; it is never nil. With a constant name it is the same
// for all calls, and For is the load of a pointer. It panics where no constructor has set r, as in a wrapper that was
// written as a literal.
func (r *Ref[T]) For(ctx context.Context) *T {
	if r.instance != nil {
		return r.instance
	}
	return r.resolve(ctx)
}

// resolve finds the instance where there is not one for all calls. With it inlined, For would be too large to be
// inlined itself.
//
//go:noinline
func (r *Ref[T]) resolve(context.Context) *T {
	panic(fmt.Sprintf("resil: the wrapper has no %T; make it with its constructor, not as a literal", r.instance))
}

func (r *Ref[T]) set(instance *T) { r.instance = instance }
