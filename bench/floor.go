package main

import (
	"context"
	"time"
)

// base is what the monotonic clock is read against.
var base = time.Now()

// floorWindows is how many windows of the floor there are in a round: every other case is compared with them.
const floorWindows = 3

func (s *scene) floors() []*Case {
	clock := step("time", "two monotonic clock reads", noError, func(_ context.Context, n int) {
		var sum time.Duration
		for range n {
			began := time.Since(base)
			sum += time.Since(base) - began
		}
		keep(sum)
	}).as("floor")
	clock.windows = floorWindows
	return []*Case{
		clock,
		step("time", "time.Now and time.Since", noError, func(_ context.Context, n int) {
			var sum time.Duration
			for range n {
				sum += time.Since(time.Now())
			}
			keep(sum)
		}),
		through("-", "the call, without any policy", s.next),
	}
}

func noError(context.Context) error { return nil }

// keep makes d observable without making goroutines share a variable for it.
//
//go:noinline
func keep(d time.Duration) {
	if d < 0 {
		panic("the monotonic clock runs backwards")
	}
}
