package policy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// A Backoff is the arithmetic of growing and randomised waits, shared by the waits between retries and by the time that
// a circuit breaker stays open. The names are Resilience4j's.
type Backoff struct {
	Initial     time.Duration // the first wait, and every wait without Exponential
	Exponential bool          // multiply by Multiplier after each attempt
	Multiplier  float64       // at least 1
	Max         time.Duration // the longest wait, applied last; 0 means none
	Randomized  bool          // draw from the wait's neighbourhood
	Factor      float64       // how far, as a share of the wait, 0 to 1: 0.5 draws from half to one and a half
}

// Validate reports the first field that is out of range.
func (b Backoff) Validate() error {
	switch {
	case b.Initial < 0:
		return fmt.Errorf("wait is %v; it must not be negative", b.Initial)
	case b.Exponential && !(b.Multiplier >= 1 && b.Multiplier <= math.MaxFloat64):
		return fmt.Errorf("exponentialBackoffMultiplier is %v; it must be at least 1", b.Multiplier)
	case b.Max < 0:
		return fmt.Errorf("longest wait is %v; it must not be negative", b.Max)
	case b.Randomized && !(b.Factor >= 0 && b.Factor <= 1):
		return fmt.Errorf("randomizedWaitFactor is %v; it must be from 0 to 1", b.Factor)
	}
	return nil
}

// Wait returns the wait after the given attempt; the first attempt is 1, and what is below it counts as 1. It never
// overflows and is never negative: what is too long to tell is the longest time.Duration, or Max.
func (b Backoff) Wait(attempt int) time.Duration {
	longest := b.Max
	if longest <= 0 {
		longest = math.MaxInt64
	}
	if b.Initial <= 0 || !b.Exponential && !b.Randomized {
		return min(max(b.Initial, 0), longest)
	}
	wait := float64(b.Initial)
	if b.Exponential && attempt > 1 {
		wait = min(wait*math.Pow(b.Multiplier, float64(attempt-1)), math.MaxInt64) // +Inf has no neighbourhood to draw from
	}
	if b.Randomized {
		wait += wait * b.Factor * (2*rand.Float64() - 1)
	}
	if wait >= float64(longest) {
		return longest
	}
	if !b.Randomized {
		return max(time.Duration(wait), b.Initial) // which a float64 may have rounded down
	}
	return time.Duration(wait)
}
