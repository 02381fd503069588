package breaker

import (
	"math/bits"
	"sync/atomic"
)

// A countWindow holds the last size outcomes: a ring of two-bit outcomes, 32 in a word, with running counts. Any number
// of calls record at once without a lock. A success in a window that holds nothing else, as nearly all are while all is
// well, costs one addition and one load of the same line; see [Call.End]. An outcome that is like the one it pushes out
// costs one more load.
//
// Called one after the other it is exact. Under concurrency the last size outcomes are those that were numbered last,
// and the counts are equal to the ring whenever no call is inside record. A call that is held up between two steps of
// record, for as long as it takes to fill the window, may leave an outcome there until it is filled once more.
type countWindow struct {
	size uint64
	ring []atomic.Uint64
	head *head
}

const (
	// bias keeps a half of the counts from borrowing of the other when a writer that has been stalled for a whole lap is
	// overtaken, and a count is less than zero for a moment.
	bias       = 1 << 20
	biasedZero = bias<<32 | bias

	// bothBits has the first bit of every outcome of a word.
	bothBits = 0x5555555555555555
)

func newCountWindow(size int) *countWindow {
	w := &countWindow{size: uint64(size), ring: make([]atomic.Uint64, (size+31)/32), head: new(head)}
	w.head.counts.Store(biasedZero)
	return w
}

// record adds o. The rates can reach a threshold by an outcome that is failed or slow, and by the one with which the
// window reaches its minimum; any other outcome can only lower them.
func (w *countWindow) record(o outcome, minimum uint64) verdict {
	return w.place(w.head.next(o), o, minimum)
}

// place is record once the head has given the outcome its number.
func (w *countWindow) place(n uint64, o outcome, minimum uint64) verdict {
	if n&brim != 0 && w.head.relieve(w.size) {
		return sealed
	}
	n &= outcomes
	slot := (n - 1) % w.size
	word, shift := &w.ring[slot>>5], slot&31*2
	if o != succeeded || word.Load()>>shift&3 != 0 {
		w.replace(word, shift, uint64(o))
	}
	if o == succeeded && n != minimum {
		return unchanged
	}
	return judge
}

// replace puts o in place of what the slot holds, and the difference into the counts: in one addition, so that nobody
// sees the one without the other. It is kept out of record, which is short without it.
//
//go:noinline
func (w *countWindow) replace(word *atomic.Uint64, shift, o uint64) {
	for {
		v := word.Load()
		old := v >> shift & 3
		if old == o {
			return
		}
		if word.CompareAndSwap(v, v&^(3<<shift)|o<<shift) {
			w.head.counts.Add((o&1 - old&1) + (o>>1-old>>1)<<32)
			return
		}
	}
}

// tally returns what the window holds, without slowFailed.
func (w *countWindow) tally(minimum uint64) tally {
	c := w.head.counts.Load()
	total := min(w.head.n.Load()&outcomes, w.size)
	return tally{
		total:   total,
		failed:  unbiased(uint32(c), total),
		slow:    unbiased(uint32(c>>32), total),
		minimum: minimum,
	}
}

func unbiased(n uint32, total uint64) uint64 {
	return min(uint64(max(0, int64(n)-bias)), total)
}

// complete fills in slowFailed, which is counted in the ring.
func (w *countWindow) complete(t tally) tally {
	var n int
	for i := range w.ring {
		v := w.ring[i].Load()
		n += bits.OnesCount64(v & (v >> 1) & bothBits)
	}
	t.slowFailed = min(uint64(n), t.failed, t.slow)
	return t
}

// resized returns a window of another size that holds the newest outcomes of this one, as far as they fit. The window
// has been sealed; last is the last value of its head.
func (w *countWindow) resized(size int, last uint64) *countWindow {
	n := last & outcomes
	other := newCountWindow(size)
	for i := n - min(n, w.size, other.size); i < n; i++ {
		slot := i % w.size
		other.record(outcome(w.ring[slot>>5].Load()>>(slot&31*2)&3), 0)
	}
	return other
}
