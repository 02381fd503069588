package resil

import (
	"context"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// A Ref is a wrapper's reference to an instance of a policy; T is breaker.Breaker, retry.Retry and so on. A constructor
// sets it through a [Binder], before the wrapper is used. It refers to the instance that its name has at the moment, so
// that wrappers follow when that is replaced.
type Ref[T any] struct{ slot *slot[T] }

// For returns the instance that a call with the context ctx uses; it is never nil. With a constant name it is the same
// for all calls until it is replaced, and For loads a pointer that hardly ever changes. It panics where no constructor
// has set r, as in a wrapper that was written as a literal.
func (r *Ref[T]) For(ctx context.Context) *T {
	if r.slot != nil {
		return (*T)(atomic.LoadPointer(&r.slot.instance)) // as slot.load does
	}
	return r.resolve(ctx)
}

// resolve finds the instance where there is not one for all calls. With it inlined, For would be too large to be
// inlined itself.
//
//go:noinline
func (r *Ref[T]) resolve(context.Context) *T {
	panic(fmt.Sprintf("resil: the wrapper has no %T; make it with its constructor, not as a literal", (*T)(nil)))
}

func (r *Ref[T]) follow(s *slot[T]) { r.slot = s }

// A slot is where wrappers find the instance of a name. It is an atomic.Pointer[T], whose Load would make For too large
// to be inlined.
type slot[T any] struct{ instance unsafe.Pointer } // a *T

func (s *slot[T]) load() *T { return (*T)(atomic.LoadPointer(&s.instance)) }

// swap stores p and returns what it replaces, nil for the first.
func (s *slot[T]) swap(p *T) (old *T) {
	return (*T)(atomic.SwapPointer(&s.instance, unsafe.Pointer(p)))
}
