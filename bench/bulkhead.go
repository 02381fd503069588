package main

import (
	"context"
	"time"

	eapache "github.com/eapache/go-resiliency/semaphore"
	failsafebulkhead "github.com/failsafe-go/failsafe-go/bulkhead"
	slok "github.com/slok/goresilience/bulkhead"
	"golang.org/x/sync/semaphore"

	"github.com/resilgen/resilgen/runtime/bulkhead"
)

// slots is how many calls may be under way, Resilience4j's default.
const slots = 25

func (s *scene) bulkheads() []*Case {
	byHand := must(bulkhead.New("by hand", bulkhead.WithMaxConcurrentCalls(slots)))
	weighted := semaphore.NewWeighted(slots)
	safe := failsafebulkhead.New[int](slots)
	tickets := eapache.New(slots, time.Second)
	return []*Case{
		step(ours, "Begin and End",
			func(ctx context.Context) error {
				call, err := byHand.Begin(ctx)
				if err == nil {
					call.End()
				}
				return err
			},
			func(ctx context.Context, n int) {
				for range n {
					call, err := byHand.Begin(ctx)
					if err == nil {
						call.End()
					}
				}
			}).as("bulkhead"),
		step("x/sync/semaphore", "TryAcquire and Release",
			func(context.Context) error {
				ok := weighted.TryAcquire(1)
				if ok {
					weighted.Release(1)
				}
				return granted(ok)
			},
			func(_ context.Context, n int) {
				for range n {
					if weighted.TryAcquire(1) {
						weighted.Release(1)
					}
				}
			}).locking(),
		step("x/sync/semaphore", "Acquire and Release",
			func(ctx context.Context) error {
				err := weighted.Acquire(ctx, 1)
				if err == nil {
					weighted.Release(1)
				}
				return err
			},
			func(ctx context.Context, n int) {
				for range n {
					if weighted.Acquire(ctx, 1) == nil {
						weighted.Release(1)
					}
				}
			}).locking(),
		step("failsafe-go", "by hand; TryAcquirePermit and ReleasePermit",
			func(context.Context) error {
				ok := safe.TryAcquirePermit()
				if ok {
					safe.ReleasePermit()
				}
				return granted(ok)
			},
			func(_ context.Context, n int) {
				for range n {
					if safe.TryAcquirePermit() {
						safe.ReleasePermit()
					}
				}
			}).locking(),
		step("eapache/go-resiliency", "Acquire and Release",
			func(context.Context) error {
				err := tickets.Acquire()
				if err == nil {
					tickets.Release()
				}
				return err
			},
			func(_ context.Context, n int) {
				for range n {
					if tickets.Acquire() == nil {
						tickets.Release()
					}
				}
			}).locking(),
		through(ours, "generated, with the call", must(NewResilientBounded(s.next, s.rt))),
		through("x/sync/semaphore", "Acquire, with the call", &bySemaphore{s.next, semaphore.NewWeighted(slots)}).locking(),
		through("failsafe-go", "executor, with the call", bySafeExecutor(s.next, failsafebulkhead.New[int](slots))).locking(),
		through("slok/goresilience", "a pool of goroutines, with the call",
			&byRunner{s.next, slok.New(slok.Config{Workers: slots})}).handingOver(),
	}
}

// bySemaphore calls through x/sync/semaphore.
type bySemaphore struct {
	next  Client
	slots *semaphore.Weighted
}

func (s *bySemaphore) Call(ctx context.Context, n int) (int, error) {
	if err := s.slots.Acquire(ctx, 1); err != nil {
		return 0, err
	}
	defer s.slots.Release(1)
	return s.next.Call(ctx, n)
}
