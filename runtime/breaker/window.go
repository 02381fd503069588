package breaker

import "sync/atomic"

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

// A head numbers the outcomes of a window. It is the one word that a successful call writes, so it has a cache line of
// its own (64 bytes, alone in its size class), shared only with the counters of a count window, which are written by
// those that have just written the head.
//
// Sealing the head is how a window ends: the number of outcomes before the seal is exact, and each outcome after it
// learns from the very addition that it has come too late.
type head struct {
	n      atomic.Uint64 // outcomes so far; the top bit is the seal
	counts atomic.Uint64 // count windows: failed in the low half, slow in the high half, both biased
	_      [48]byte
}

const seal = 1 << 63

// seal ends the window and returns how many outcomes it was given.
func (h *head) seal() uint64 { return h.n.Or(seal) &^ seal }

// given returns how many outcomes the window was given.
func (h *head) given() uint64 { return h.n.Load() &^ seal }

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
