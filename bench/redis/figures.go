package main

import (
	"math"

	"github.com/resilgen/resilgen/bench/measure"
)

// A figure is a bound that the Redis limiter is held to, and what the run found.
type figure struct {
	what   string
	unit   string
	target float64
	least  bool // target is the least, not the most
	found  float64
}

func (f figure) reached() bool {
	if f.least {
		return f.found >= f.target
	}
	return f.found <= f.target
}

// figures compares the run with what the limiter is held to.
func (b *bench) figures() []figure {
	script := func(base string) float64 { return measure.Median(measure.Paired(b.script[ours], b.script[base])) }
	rate := func(l load) float64 { return l.perSecond }
	cpu := func(l load) float64 { return l.cpu }
	of := func(goroutines int, base string, get func(load) float64) float64 {
		return b.ratio(ours, base, goroutines, get)
	}
	worst, most := math.NaN(), math.NaN()
	for _, g := range b.ours {
		most = maxNumber(most, g.memory)
		worst = g.sweep / 1e3 // the largest window comes last
	}
	return []figure{
		{"script time of a grant", "Redisson's, 100 live", 0.45, false, script(redisson1)},
		{"the same", "GCRA in one key", 1, false, script(gcra)},
		{"permits a second, one key, 64 goroutines", "Redisson's, 100 live", 10, true, of(64, redisson1, rate)},
		{"the same", "redis_rate", 8, true, of(64, rate10, rate)},
		{"the same, 1 goroutine", "Redisson's, 100 live", 1.4, true, of(1, redisson1, rate)},
		{"Redis CPU for a permit, 64 goroutines", "Redisson's, 100 live", 0.08, false, of(64, redisson1, cpu)},
		{"memory of one limiter, the most", "bytes", 17.4 * 1024, false, most},
		{"the call that finds 100,000 permits expired", "ms of the server", 1, false, worst},
		{"calls for a grant, 64 goroutines that wait", "calls", 2, false, b.wait[ours].callsPerGrant},
		{"replication bytes of a grant", "Redisson's, 100 live", 0.35, false, b.bytes[ours] / b.bytes[redisson1]},
	}
}

func maxNumber(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return math.Max(a, b)
}

// ratio returns how many times what a variant found another one found, as the median of the rounds.
func (b *bench) ratio(id, base string, goroutines int, get func(load) float64) float64 {
	values := func(id string) (values []float64) {
		for _, l := range b.found[measured{id, goroutines}] {
			values = append(values, get(l))
		}
		return values
	}
	return measure.Median(measure.Paired(values(id), values(base)))
}

// median returns the median of the rounds.
func (b *bench) median(id string, goroutines int, get func(load) float64) float64 {
	var values []float64
	for _, l := range b.found[measured{id, goroutines}] {
		values = append(values, get(l))
	}
	return measure.Median(values)
}
