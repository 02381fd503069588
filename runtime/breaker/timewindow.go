package breaker

import (
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A timeWindow holds the outcomes of the current second, as far as it has gone, and of the size-1 seconds before it.
//
// The head numbers all outcomes. The first call of each second notes the number at which the second starts; the total
// of the window is how far the head has come since its oldest second started, so that a success costs one addition and
// one load. Failed and slow outcomes are counted in the bucket of their second.
//
// Every word of a bucket carries the lap in which it was written: seconds divided by size, plus one. What is of another
// lap counts as empty. Nothing is rolled on, no lock is taken, no outcome is lost, and after hours of idleness the next
// call costs the same as any other.
type timeWindow struct {
	origin  policy.Instant // where second 0 starts
	size    uint64         // in seconds
	buckets []bucket
	both    []atomic.Uint32 // of each bucket: outcomes that are failed and slow
	head    *head
	// next holds the second in which the rates were last judged and, in its low half, the number of the outcome with
	// which the window reaches its minimum in this second. Within a second nothing leaves the window, so that a success
	// with another number can only lower the rates.
	next atomic.Uint64
}

// A bucket is one second. Its start says which one, by a whole lap. Its counts, here and in both, are emptied before a
// second starts, and have a tag beside them, the lowest bits of the lap: enough to turn away a call that is late by a
// lap, and so little that a second takes 20 bytes. No machine fills a count within a second.
type bucket struct {
	start  atomic.Uint64 // lap<<32 | the low half of the head where the second starts
	counts atomic.Uint64 // tag of 12 bits | failed | slow
}

const (
	countBits = 26
	countMask = 1<<countBits - 1
	tagShift  = 2 * countBits
	tagMask   = 1<<(64-tagShift) - 1

	bothShift   = 24 // in a word of both: tag of 8 bits | count
	bothMask    = 1<<bothShift - 1
	bothTagMask = 1<<(32-bothShift) - 1
)

const never = 1<<64 - 1 // a value of next that stands for no second

func newTimeWindow(size int, origin policy.Instant) *timeWindow {
	w := &timeWindow{
		origin:  origin,
		size:    uint64(size),
		buckets: make([]bucket, size),
		both:    make([]atomic.Uint32, size),
		head:    new(head),
	}
	w.next.Store(never)
	return w
}

func (w *timeWindow) second(now policy.Instant) uint64 {
	return uint64(max(0, now.Sub(w.origin)) / time.Second)
}

func (w *timeWindow) lap(second uint64) uint64 { return second/w.size + 1 }

// record adds o, which arrived at now. The rates can reach a threshold by an outcome that is failed or slow, by the one
// with which the window reaches its minimum, and by the first of a second, because older ones have left the window.
func (w *timeWindow) record(o outcome, now policy.Instant) verdict {
	second := w.second(now)
	next := w.next.Load()
	known := uint32(next>>32) == uint32(second)
	if !known {
		w.start(second)
	}
	n := w.head.next(o)
	if n&brim != 0 && w.head.relieve(1<<32) {
		return sealed
	}
	if o == succeeded {
		if known && uint32(next) != uint32(n) {
			return unchanged
		}
		return judge
	}
	w.count(o, second)
	return judge
}

// start notes where the second starts. It is done before the head is advanced, so that the outcomes of a second are
// always among those counted from its start. The counts are read before start is: of several calls that start the second
// at once, none empties what another one has counted since.
func (w *timeWindow) start(second uint64) {
	i, lap := second%w.size, w.lap(second)
	b, both := &w.buckets[i], &w.both[i]
	for {
		counts, slowFailed := b.counts.Load(), both.Load()
		start := b.start.Load()
		if start>>32 >= lap {
			return
		}
		if b.counts.CompareAndSwap(counts, lap<<tagShift) &&
			both.CompareAndSwap(slowFailed, uint32(lap<<bothShift)) &&
			b.start.CompareAndSwap(start, lap<<32|uint64(uint32(w.head.n.Load()))) {
			return
		}
	}
}

// count adds a failed or slow outcome to its second, which has started. Where the bucket belongs to a later lap, it does
// nothing: a call that is late by the length of the window has nothing to add to it.
func (w *timeWindow) count(o outcome, second uint64) {
	i, lap := second%w.size, w.lap(second)
	add := uint64(o&failed)<<countBits | uint64(o&slow>>1)
	for word := &w.buckets[i].counts; ; {
		v := word.Load()
		if v>>tagShift != lap&tagMask || word.CompareAndSwap(v, v+add) {
			break
		}
	}
	if o != failed|slow {
		return
	}
	for word := &w.both[i]; ; {
		v := word.Load()
		if v>>bothShift != uint32(lap&bothTagMask) || word.CompareAndSwap(v, v+1) {
			break
		}
	}
}

// tally returns what the window holds at now.
func (w *timeWindow) tally(minimum uint64, now policy.Instant) tally {
	t, _ := w.scan(minimum, w.second(now))
	return t
}

// judged is tally, and notes with which number a success has to be judged again before the second is over.
func (w *timeWindow) judged(minimum uint64, now policy.Instant) tally {
	second := w.second(now)
	w.start(second) // those that find their second in next do not ask
	t, oldest := w.scan(minimum, second)
	w.next.Store(second<<32 | uint64(oldest+uint32(minimum)))
	return t
}

// scan adds up the window that ends with the second, and returns also the number at which its oldest second started.
// Each failure is written after the head was advanced for it, and read before the head is: there are never more
// failures than outcomes.
func (w *timeWindow) scan(minimum, second uint64) (t tally, oldest uint32) {
	t.minimum = minimum
	started := false
	for i := range w.buckets {
		b := &w.buckets[i]
		start := b.start.Load()
		if !w.within(start>>32, i, second) {
			continue
		}
		if n := uint32(start); !started || int32(n-oldest) < 0 {
			started, oldest = true, n
		}
		counts := b.counts.Load()
		t.failed += counts >> countBits & countMask
		t.slow += counts & countMask
		t.slowFailed += uint64(w.both[i].Load() & bothMask)
	}
	n := uint32(w.head.n.Load())
	if !started {
		oldest = n
	}
	t.total = uint64(n - oldest)
	t.failed, t.slow, t.slowFailed = min(t.failed, t.total), min(t.slow, t.total), min(t.slowFailed, t.total)
	return t, oldest
}

// within reports whether the bucket at index i, in that lap, belongs to the window that ends with the second. That of a
// later second, by a call that is ahead, does too.
func (w *timeWindow) within(lap uint64, i int, second uint64) bool {
	return lap > 0 && (lap-1)*w.size+uint64(i)+w.size > second
}

// resized returns a window of another size with the newest seconds of this one, as far as they fit. The window has been
// sealed; last is the last value of its head.
func (w *timeWindow) resized(size int, last uint64, now policy.Instant) *timeWindow {
	other := newTimeWindow(size, w.origin)
	other.head.n.Store(last) // the starts are numbers of it
	end := w.second(now)
	for second := end - min(end, w.size-1, other.size-1); second <= end; second++ {
		from, to := second%w.size, second%other.size
		start, counts := w.buckets[from].start.Load(), w.buckets[from].counts.Load()
		if start>>32 != w.lap(second) {
			continue
		}
		lap := other.lap(second)
		other.buckets[to].start.Store(lap<<32 | uint64(uint32(start)))
		other.buckets[to].counts.Store(lap<<tagShift | counts&(1<<tagShift-1))
		other.both[to].Store(uint32(lap<<bothShift) | w.both[from].Load()&bothMask)
	}
	return other
}
