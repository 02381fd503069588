package fallback

import (
	"context"
	"slices"

	"github.com/resilgen/resilgen/runtime/policy"
)

// pick returns the handler that answers err, which is not nil, and whether there is one.
func pick[T any](ctx context.Context, err error, handlers []Handler[T]) (Handler[T], bool) {
	if policy.Cancelled(ctx) {
		for _, h := range handlers {
			if h.cancels && policy.Is(err, context.Canceled) {
				return h, true
			}
		}
		return Handler[T]{}, false
	}
	for _, class := range []class{exact, byInterface, otherwise} {
		var round []Handler[T]
		for _, h := range handlers {
			if h.class == class && h.fits != nil {
				round = append(round, h)
			}
		}
		if class == byInterface {
			round = narrowerFirst(round)
		}
		for _, h := range round {
			if h.fits(err) {
				return h, true
			}
		}
	}
	return Handler[T]{}, false
}

// narrowerFirst returns the handlers of interface types so that each stands after every one whose interface implements
// its own; among those that may come next it is always the first listed.
func narrowerFirst[T any](handlers []Handler[T]) []Handler[T] {
	sorted := make([]Handler[T], 0, len(handlers))
	for len(handlers) > 0 {
		next := slices.IndexFunc(handlers, func(h Handler[T]) bool {
			return !slices.ContainsFunc(handlers, func(other Handler[T]) bool { return narrower(other, h) })
		})
		sorted = append(sorted, handlers[next])
		handlers = slices.Delete(handlers, next, next+1)
	}
	return sorted
}

// narrower reports whether a's interface asks for more than b's.
func narrower[T any](a, b Handler[T]) bool {
	return a.face.Implements(b.face) && !b.face.Implements(a.face)
}
