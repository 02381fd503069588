package resil

import (
	"context"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// A Reference is a wrapper's reference to instances of a policy, which a [Binder] sets: a [*Ref] or, for names with
// values of the call, a [*Keyed]; T is breaker.Breaker, retry.Retry and so on.
type Reference[T any] interface {
	follow(*slot[T], *router[T]) // one of them is nil
	keyed() bool
}

// A Ref is a wrapper's reference to the instance of a name that needs no value of the call beside its context. A
// constructor sets it through a [Binder], before the wrapper is used. It refers to the instance that the name has at
// the moment, so that wrappers follow when that is replaced.
type Ref[T any] struct {
	slot   *slot[T]   // nil where the name is not constant
	router *router[T] // nil where it is
}

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
func (r *Ref[T]) resolve(ctx context.Context) *T {
	if r.router == nil {
		panic(unset[T]())
	}
	return r.router.route(ctx, &noKey)
}

// noKey is the Key of calls whose names have no value of the call. Nobody writes it.
var noKey Key

func (r *Ref[T]) follow(s *slot[T], to *router[T]) { r.slot, r.router = s, to }

func (r *Ref[T]) keyed() bool { return false }

// A Keyed is a wrapper's reference to the instances of a name that has values of the call, as in
// inventory-{sku}. It is a [Ref] in all other respects.
type Keyed[T any] struct {
	slot   *slot[T]
	router *router[T]
}

// For returns the instance that a call with the context ctx and the values key uses; it is never nil. Where there is one
// already, For allocates nothing and takes no lock. It panics where no constructor has set r.
func (r *Keyed[T]) For(ctx context.Context, key Key) *T {
	switch {
	case r.router != nil:
		return r.router.route(ctx, &key)
	case r.slot != nil:
		return r.slot.load()
	}
	panic(unset[T]())
}

func (r *Keyed[T]) follow(s *slot[T], to *router[T]) { r.slot, r.router = s, to }

func (r *Keyed[T]) keyed() bool { return true }

// unset says what is wrong with a reference that nobody has set.
func unset[T any]() string {
	return fmt.Sprintf("resil: the wrapper has no %T; make it with its constructor, not as a literal", (*T)(nil))
}

// A slot is where wrappers find the instance of a name. It is an atomic.Pointer[T], whose Load would make For too large
// to be inlined.
type slot[T any] struct{ instance unsafe.Pointer } // a *T

func (s *slot[T]) load() *T { return (*T)(atomic.LoadPointer(&s.instance)) }

// swap stores p and returns what it replaces, nil for the first.
func (s *slot[T]) swap(p *T) (old *T) {
	return (*T)(atomic.SwapPointer(&s.instance, unsafe.Pointer(p)))
}
