package breaker

import (
	"sync"
	"sync/atomic"
)

// An outcome is how a call ended that counts: two bits.
type outcome uint8

const (
	succeeded outcome = 0
	failed    outcome = 1
	slow      outcome = 2 // beside either
)

// A verdict is what a window says to an outcome that it is given.
type verdict uint8

const (
	// unchanged: the outcome is recorded and can't have raised a rate to its threshold.
	unchanged verdict = iota
	// judge: the outcome is recorded and the rates have to be compared.
	judge
	// sealed: the window takes no outcomes any more, and this one is not in it.
	sealed
	// late: the permit of the outcome has passed on to another call.
	late
	// decided: the outcome is the last one that HALF_OPEN waited for.
	decided
)

// A head numbers the outcomes of a window and counts the failures among them, in one word, so that whoever reads it
// sees both as of the same moment. It is the one word that a successful call writes, and has a cache line of its own (64
// bytes, alone in its size class), shared only with what is written by those that have just written the head.
//
// Sealing the head is how a window ends: the numbers before the seal are exact, and each outcome after it learns from
// the very addition that it has come too late.
type head struct {
	n      atomic.Uint64 // seal | failures (27 bits) | outcomes (36 bits)
	counts atomic.Uint64 // count windows: failed in the low half, slow in the high half, both biased
	mu     sync.Mutex    // guards past, and that n and past are read together
	past   totals        // what was taken out of n, so that it does not overflow
	_      [24]byte
}

const (
	seal       = 1 << 63
	oneFailure = 1 << 36
	outcomes   = oneFailure - 1

	// brim has the seal and the top bits of both fields, which are reached after billions of outcomes or millions of
	// failures, long before a field is full. A value without any of them needs no further thought.
	halfFailures = 1 << 62
	halfOutcomes = 1 << 35
	brim         = seal | halfFailures | halfOutcomes
)

// Totals are how many outcomes a window was given, and how many of them were failures.
type totals struct{ outcomes, failed uint64 }

func (t totals) minus(other totals) totals {
	return totals{t.outcomes - other.outcomes, t.failed - other.failed}
}

// split returns the totals in a value of head.n.
func split(n uint64) totals {
	return totals{outcomes: n & outcomes, failed: n &^ seal / oneFailure}
}

// next numbers an outcome, from 1. If the value has a bit of brim, it is for relieve.
func (h *head) next(o outcome) uint64 { return h.n.Add(1 + uint64(o&failed)*oneFailure) }

// spotless reports whether the window holds successes only and n, the value after one more, is not for relieve. That
// success has nothing to replace, and no rate can reach its threshold by it.
func (h *head) spotless(n uint64) bool { return n&brim == 0 && h.counts.Load() == biasedZero }

// relieve reports whether the head is sealed. If not, it makes room in it, which changes neither the number modulo
// multiple, at most 1<<32, nor by so much that the window would seem to be less than full.
func (h *head) relieve(multiple uint64) (isSealed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.n.Load()
	if n&seal != 0 {
		return true
	}
	var taken totals
	if n&halfOutcomes != 0 {
		taken.outcomes = halfOutcomes/2 - halfOutcomes/2%multiple
	}
	if n&halfFailures != 0 {
		taken.failed = halfFailures / oneFailure / 2
	}
	h.past.outcomes += taken.outcomes
	h.past.failed += taken.failed
	h.n.Add(-(taken.failed*oneFailure + taken.outcomes))
	return false
}

// seal ends the window and returns the last value of n, and all that the window was given.
func (h *head) seal() (last uint64, given totals) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last = h.n.Or(seal) &^ seal
	return last, h.since(last)
}

// given returns all that the window was given.
func (h *head) given() totals {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since(h.n.Load())
}

func (h *head) since(n uint64) totals {
	t := split(n)
	return totals{h.past.outcomes + t.outcomes, h.past.failed + t.failed}
}

// A tally is what a window holds, and what is judged.
type tally struct {
	total, failed, slow uint64
	slowFailed          uint64 // filled where it is shown, not where rates are judged
	minimum             uint64 // fewer than these mean nothing
}

func (t *tally) add(o outcome) {
	t.total++
	t.failed += uint64(o & failed)
	t.slow += uint64(o & slow >> 1)
	t.slowFailed += uint64(o & (o >> 1))
}

// enough reports whether the rates mean anything.
func (t *tally) enough() bool { return t.total > 0 && t.total >= t.minimum }

// exceeded reports which rates have reached their thresholds. It compares products, so that a rate equal to its
// threshold is seen as equal.
func (t *tally) exceeded(c *Config) (failure, slowCall bool) {
	if !t.enough() {
		return false, false
	}
	total := float64(t.total)
	return float64(t.failed)*100 >= c.FailureRateThreshold*total, float64(t.slow)*100 >= c.SlowCallRateThreshold*total
}

// rate returns n as a share of the total in percent, or -1 where that means nothing.
func (t *tally) rate(n uint64) float64 {
	if !t.enough() {
		return -1
	}
	return float64(n) * 100 / float64(t.total)
}
