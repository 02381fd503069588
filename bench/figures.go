package main

import (
	"math"

	"github.com/resilgen/resilgen/bench/measure"
)

// A Figure is a bound that the runtime is held to, and what the run found.
type Figure struct {
	What   string
	Target float64
	Unit   string  // what the target counts, as in "two clock reads"
	Found  float64 // NaN if it was not measured
	Low    float64 // the quartiles of the rounds
	High   float64
	Side   float64 // what must be 0: allocations of a call, or goroutines of an instance

	id string // of the case or instance whose profile tells why
}

// Reached reports whether the figure was measured and is within its bound.
func (f Figure) Reached() bool { return f.Found <= f.Target && f.Side == 0 }

const (
	clockReads = "two clock reads"
	bytes      = "bytes"
)

// figures compares the run with what the runtime is held to.
func (o *Outcome) figures() []Figure {
	times := func(id string, g int, what string, target float64, base, unit string) Figure {
		c := o.find(id)
		f := Figure{What: what, Target: target, Unit: unit, Found: math.NaN(), Side: o.Allocations[c].Objects, id: id}
		if r, b := o.Results[c], o.Results[o.find(base)]; r != nil && b != nil {
			f.Found = r.Ratio(g, b, 1)
			f.Low, f.High = measure.Quartiles(r.Ratios(g, b, 1))
		}
		return f
	}
	of := func(id, what string, target float64) Figure { return times(id, 1, what, target, "floor", clockReads) }
	heap := func(id, what string, target float64) Figure {
		f := Figure{What: what, Target: target, Unit: bytes, Found: math.NaN(), id: id}
		if i := o.instance(id); i >= 0 {
			f.Found, f.Side = o.Footprints[i].Heap, o.Footprints[i].Goroutines
		}
		return f
	}
	return []Figure{
		of("closed", "generated call, circuit breaker closed, failure and slow call rate", 1.2),
		times("closed", 2, "the same with 2 goroutines", 1, "closed", "the call with 1 goroutine"),
		of("untimed", "generated call, circuit breaker closed, no duration needed", 0.35),
		of("open", "generated call, circuit breaker open, typed error with RetryAfter", 0.8),
		of("acquire", "rate limiter, Acquire", 0.7),
		of("acquireAt", "rate limiter, AcquireAt with an instant passed in", 0.2),
		of("bulkhead", "bulkhead, Begin and End", 0.25),
		of("retry", "generated call, retry, success at once", 0.15),
		of("chain", "generated call, retry, circuit breaker, rate limiter and bulkhead", 1.5),
		times("chain", 1, "the same", 0.35, "assembled", "gobreaker, x/time/rate, semaphore and retry-go"),
		times("chain", 1, "the same", 0.08, "failsafe", "failsafe-go"),
		times("tenant", 1, "generated call, retry and circuit breaker of its tenant", 1.5, "shared", "the same, one for all"),
		heap("heap100", "heap of a registered circuit breaker, window of 100 calls", 512),
		heap("heap10000", "heap of a registered circuit breaker, window of 10,000 calls", 3200),
		heap("heap60s", "heap of a registered circuit breaker, window of 60 s", 1800),
	}
}

// missed returns the IDs of the cases and instances that have a figure that was measured but not reached.
func (o *Outcome) missed() []string {
	var ids []string
	seen := map[string]bool{}
	for _, f := range o.figures() {
		if !f.Reached() && !math.IsNaN(f.Found) && !seen[f.id] {
			seen[f.id] = true
			ids = append(ids, f.id)
		}
	}
	return ids
}
