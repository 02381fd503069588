package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/resilgen/resilgen/bench/measure"
	"github.com/resilgen/resilgen/runtime/resil"
)

// A Case is one way to make a call, or one step on its way: what is measured.
type Case struct {
	Library string // whose code it is, as in sony/gobreaker
	Setting string // how it is used and configured
	ID      string // by which a figure refers to it; empty where none does

	call    func(ctx context.Context, n int) (int, error) // one of them, which is checked
	loop    func(ctx context.Context, n int)              // n of them, which are measured
	refused func(error) bool                              // what the error must be; nil where the call must succeed

	waitsFrom, windows int // as in measure.Case
}

// A Group holds cases that do the same. The first case is the one that the others are compared with.
type Group struct {
	Name  string // of the flag -group
	Title string
	Cases []*Case
}

// ours is the Library of this module's cases.
const ours = "resilgen"

// A scene is what all cases share.
type scene struct {
	ctx  context.Context // cancellable, with a value, as a server's request has it
	next Client
	rt   *resil.Runtime
}

type contextKey struct{}

// newScene returns a scene and what tears it down.
func newScene() (*scene, func()) {
	rt := must(resil.New())
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), contextKey{}, "request"))
	return &scene{ctx: ctx, next: doubler{}, rt: rt}, func() {
		cancel()
		_ = rt.Close()
	}
}

// groups returns everything that can be measured, the floor first.
func (s *scene) groups() []Group {
	return []Group{
		{"floor", "The floor", s.floors()},
		{"closed", "Circuit breaker, closed: a call that succeeds", s.closed()},
		{"open", "Circuit breaker, open: a call that is refused", s.open()},
		{"limiter", "Rate limiter: one permit, which is free", s.limiters()},
		{"bulkhead", "Bulkhead: a slot taken and given back", s.bulkheads()},
		{"retry", "Retry: a call that succeeds at once", s.retries()},
		{"chain", "Retry(CircuitBreaker(RateLimiter(Bulkhead(call))))", s.chains()},
		{"tenants", "Retry(CircuitBreaker(call)) of many tenants", s.tenants()},
	}
}

// check makes one call and reports what is wrong with its answer.
func (c *Case) check(ctx context.Context) error {
	const n, want = 21, 42
	switch got, err := c.call(ctx, n); {
	case c.refused != nil && err == nil:
		return fmt.Errorf("%s, %s: the call succeeds; it must be refused", c.Library, c.Setting)
	case c.refused != nil && !c.refused(err):
		return fmt.Errorf("%s, %s: the error is %w; it must be a refusal", c.Library, c.Setting, err)
	case c.refused == nil && err != nil:
		return fmt.Errorf("%s, %s: the call fails with %w; it must succeed", c.Library, c.Setting, err)
	case c.refused == nil && got != want:
		return fmt.Errorf("%s, %s: the call returns %d; it must return %d", c.Library, c.Setting, got, want)
	}
	return nil
}

// looped returns what a measurement runs.
func (c *Case) looped(ctx context.Context) measure.Case {
	return measure.Case{
		Loop:      func(n int) { c.loop(ctx, n) },
		WaitsFrom: c.waitsFrom,
		Windows:   c.windows,
	}
}

// through returns a case that calls a client, the way a program does: by the interface.
func through(library, setting string, client Client) *Case {
	return &Case{
		Library: library,
		Setting: setting,
		call:    client.Call,
		loop: func(ctx context.Context, n int) {
			for i := range n {
				_, _ = client.Call(ctx, i)
			}
		},
	}
}

// step returns a case that is only a part of a call: loop takes the step n times.
func step(library, setting string, once func(ctx context.Context) error, loop func(ctx context.Context, n int)) *Case {
	return &Case{
		Library: library,
		Setting: setting,
		call:    func(ctx context.Context, n int) (int, error) { return 2 * n, once(ctx) },
		loop:    loop,
	}
}

// as gives the case the ID by which figures refer to it.
func (c *Case) as(id string) *Case {
	c.ID = id
	return c
}

// refusing says that the case must be refused, with an error that is target.
func (c *Case) refusing(target error) *Case {
	return c.refusingWith(func(err error) bool { return errors.Is(err, target) })
}

func (c *Case) refusingWith(match func(error) bool) *Case {
	c.refused = match
	return c
}

// locking says that calls of several goroutines wait for one another.
func (c *Case) locking() *Case {
	c.waitsFrom = 2
	return c
}

// handingOver says that the call is made on another goroutine.
func (c *Case) handingOver() *Case {
	c.waitsFrom = 1
	return c
}

// errFailing is what a case makes circuit breakers open with.
var errFailing = errors.New("failing")

// must returns v. An error is a mistake in a case, whose settings are all constant.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// granted returns an error unless ok.
func granted(ok bool) error {
	if !ok {
		return errNotGranted
	}
	return nil
}

var errNotGranted = errors.New("not granted")
