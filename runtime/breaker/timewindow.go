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
// Every word of a bucket carries the lap in which it was written: seconds divided by size, plus one. A word of another
// lap counts as empty. Nothing is rolled on, no lock is taken, no outcome is lost, and after hours of idleness the next
// call costs the same as any other.
type timeWindow struct {
	origin  policy.Instant // where second 0 starts
	size    uint64         // in seconds
	buckets []bucket
	head    *head
	// next holds the second in which the rates were last judged and, in its low half, the number of the outcome with
	// which the window reaches its minimum in this second. Within a second nothing leaves the window, so that a success
	// with another number can only lower the rates.
	next atomic.Uint64
}

// A bucket is one second: words of lap<<32 | number.
type bucket struct {
	start      atomic.Uint64 // the low half of the head where the second starts
	failed     atomic.Uint64
	slow       atomic.Uint64
	slowFailed atomic.Uint64
}

const never = 1<<64 - 1 // a value of next that stands for no second

func newTimeWindow(size int, origin policy.Instant) *timeWindow {
	w := &timeWindow{origin: origin, size: uint64(size), buckets: make([]bucket, size), head: new(head)}
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
	b := &w.buckets[second%w.size]
	lap := w.lap(second)
	if o&failed != 0 {
		count(&b.failed, lap)
	}
	if o&slow != 0 {
		count(&b.slow, lap)
	}
	if o == failed|slow {
		count(&b.slowFailed, lap)
	}
	return judge
}

// start notes where the second starts. It is done before the head is advanced, so that the outcomes of a second are
// always among those counted from its start.
func (w *timeWindow) start(second uint64) {
	word := &w.buckets[second%w.size].start
	lap := w.lap(second)
	for {
		v := word.Load()
		if v>>32 >= lap || word.CompareAndSwap(v, lap<<32|uint64(uint32(w.head.n.Load()))) {
			return
		}
	}
}

// count adds one to a word, which starts anew in each lap. A word of a later lap stays as it is: a call that is late by
// the length of the window has nothing to add to it.
func count(word *atomic.Uint64, lap uint64) {
	for {
		v := word.Load()
		next := v + 1
		switch l := v >> 32; {
		case l > lap:
			return
		case l < lap:
			next = lap<<32 | 1
		}
		if word.CompareAndSwap(v, next) {
			return
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
		t.failed += w.valid(&b.failed, i, second)
		t.slow += w.valid(&b.slow, i, second)
		t.slowFailed += w.valid(&b.slowFailed, i, second)
		if v := b.start.Load(); w.within(v, i, second) {
			if start := uint32(v); !started || int32(start-oldest) < 0 {
				started, oldest = true, start
			}
		}
	}
	n := uint32(w.head.n.Load())
	if !started {
		oldest = n
	}
	t.total = uint64(n - oldest)
	t.failed, t.slow, t.slowFailed = min(t.failed, t.total), min(t.slow, t.total), min(t.slowFailed, t.total)
	return t, oldest
}

func (w *timeWindow) valid(word *atomic.Uint64, i int, second uint64) uint64 {
	if v := word.Load(); w.within(v, i, second) {
		return uint64(uint32(v))
	}
	return 0
}

// within reports whether a word of the bucket at index i belongs to the window that ends with the second. That of a
// later second, by a call that is ahead, does too.
func (w *timeWindow) within(word uint64, i int, second uint64) bool {
	lap := word >> 32
	return lap > 0 && (lap-1)*w.size+uint64(i)+w.size > second
}

// resized returns a window of another size with the newest seconds of this one, as far as they fit. The window has been
// sealed; last is the last value of its head.
func (w *timeWindow) resized(size int, last uint64, now policy.Instant) *timeWindow {
	other := newTimeWindow(size, w.origin)
	other.head.n.Store(last) // the starts are numbers of it
	end := w.second(now)
	for second := end - min(end, w.size-1, other.size-1); second <= end; second++ {
		from, to := &w.buckets[second%w.size], &other.buckets[second%other.size]
		lap, newLap := w.lap(second), other.lap(second)
		move := func(from, to *atomic.Uint64) {
			if v := from.Load(); v>>32 == lap {
				to.Store(newLap<<32 | uint64(uint32(v)))
			}
		}
		move(&from.start, &to.start)
		move(&from.failed, &to.failed)
		move(&from.slow, &to.slow)
		move(&from.slowFailed, &to.slowFailed)
	}
	return other
}
