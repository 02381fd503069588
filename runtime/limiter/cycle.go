package limiter

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

const (
	// farthest bounds the positions that a cycle ledger hands out.
	farthest = 1 << 61
	// sealed, above every position, is what a ledger's word holds when another ledger has taken its place: to whoever
	// still looks at it, no permit is left.
	sealed = 1 << 62
)

// A cycle is the ledger of the algorithm Cycle. Permits are numbered from its start: those of cycle c are c*limit to
// (c+1)*limit-1, and one word says how far they are given away, those that queued calls have reserved included. In
// cycle c, (c+1)*limit - max(pos, c*limit) of them are free, and a call that takes permits up to number p can go in
// the cycle of p. That is Resilience4j's arithmetic, with its reservations across cycles, in a single word.
//
// take and judge need no lock. They may run while a method that needs the limiter's mutex does: such a method works
// on the word as read last saw it, and fails if it has moved since.
//
// How many calls take has admitted is not written by each of them: it is admitted + within(pos). What take adds to
// admitted, it adds when it is the first in a cycle, or takes other than one permit; what moves the word otherwise
// keeps the sum as it is.
type cycle struct {
	start   policy.Instant // of cycle 0
	period  int64          // ns
	limit   int64
	horizon uint64 // ns from start; from there on, numbers would grow too large
	excess  int64  // permits that were taken in cycle 0 beyond the limit, when that was higher

	admitted *atomic.Int64 // the limiter's; see above

	_     [64]byte // what a call writes stands apart from what it only reads
	pos   atomic.Int64
	front int64 // number of the first permit that the head of the queue has reserved, or would; guarded
	seen  int64 // the word at the time of read; guarded
	_     [40]byte
}

// newCycle returns a ledger whose first cycle begins at start with used permits taken already, and which counts in
// admitted.
func newCycle(
	start policy.Instant, limit int64, period time.Duration, used int64, admitted *atomic.Int64,
) *cycle {
	c := &cycle{
		start: start, period: int64(period), limit: limit,
		horizon: math.MaxInt64, excess: max(used-limit, 0), admitted: admitted,
	}
	if hi, lo := bits.Mul64(farthest/uint64(limit)-1, uint64(period)); hi == 0 {
		c.horizon = min(c.horizon, lo)
	}
	c.seen = min(used, limit)
	c.pos.Store(c.seen)
	admitted.Add(-c.within(c.seen))
	return c
}

// within returns how many permits are given away in the cycle of the last one that is.
func (c *cycle) within(pos int64) int64 {
	if pos == 0 {
		return 0
	}
	return (pos-1)%c.limit + 1
}

// take takes n permits if they are free at once. False may also mean that it cannot tell.
func (c *cycle) take(now policy.Instant, n int64) bool {
	floor, ok := c.opening(now, n)
	if !ok {
		return false
	}
	pos, ok := c.advance(floor, n)
	if ok && c.unsaid(pos, floor, n) {
		c.account(pos, floor, n)
	}
	return ok
}

// opening returns the number of the first permit of the cycle at now, unless n permits are more than there ever are, or
// less than one, or the ledger is worn.
func (c *cycle) opening(now policy.Instant, n int64) (floor int64, ok bool) {
	elapsed := uint64(now - c.start)
	if elapsed >= c.horizon || uint64(n-1) >= uint64(c.limit) {
		return 0, false
	}
	return int64(elapsed) / c.period * c.limit, true
}

// advance takes n permits of the cycle that begins with floor, if they are left, and returns where the word was before.
func (c *cycle) advance(floor, n int64) (pos int64, ok bool) {
	for {
		pos = c.pos.Load()
		next := max(pos, floor) + n
		if next > floor+c.limit {
			return pos, false
		}
		if c.pos.CompareAndSwap(pos, next) {
			return pos, true
		}
	}
}

// unsaid reports whether the word does not say by itself that advance has admitted one call.
func (c *cycle) unsaid(pos, floor, n int64) bool { return pos <= floor || n != 1 }

// account adds to admitted what the word says no more, or too much, since advance has moved it.
func (c *cycle) account(pos, floor, n int64) {
	add := 1 - n
	if pos <= floor {
		add += c.within(pos)
	}
	c.admitted.Add(add)
}

// judge returns how long n permits would have to be waited for, with known false where it cannot tell without the
// lock.
func (c *cycle) judge(n int64) (wait time.Duration, possible, known bool) {
	pos := c.pos.Load()
	now := policy.Now() // after pos, which may be of a cycle that has just begun
	if pos == sealed || c.worn(now) {
		return 0, false, false
	}
	at, possible := c.due(max(pos, c.floor(now)), n)
	return until(now, at), possible, true
}

// worn reports whether the ledger has to be replaced by a new one: its numbers have become too large, or it counts
// from an instant that is not in the past, because it was made outside the synctest bubble in which it is used.
func (c *cycle) worn(now policy.Instant) bool { return uint64(now-c.start) >= c.horizon }

// floor returns the number of the first permit of the cycle at now, or of the last one that has numbers.
func (c *cycle) floor(now policy.Instant) int64 {
	return min(max(int64(now-c.start), 0), int64(c.horizon)) / c.period * c.limit
}

// due returns when n permits from number first on can go.
func (c *cycle) due(first, n int64) (policy.Instant, bool) {
	if first >= farthest || n >= farthest {
		return 0, false
	}
	hi, after := bits.Mul64(uint64((first+n-1)/c.limit), uint64(c.period))
	if hi != 0 || after > math.MaxInt64 || c.start > math.MaxInt64-policy.Instant(after) {
		return 0, false
	}
	return c.start + policy.Instant(after), true
}

func (c *cycle) read() policy.Instant {
	c.seen = c.pos.Load()
	return policy.Now() // after seen: who is in the queue then, and was passed by take, is due
}

func (c *cycle) settle(now policy.Instant, empty bool) {
	if empty {
		c.front = max(c.seen, c.floor(now))
	}
}

func (c *cycle) when(ahead, n int64) (policy.Instant, bool) { return c.due(c.front+ahead, n) }

func (c *cycle) push(ahead, n int64) bool { return c.move(c.front + ahead + n) }

func (c *cycle) pop(n int64) { c.front += n }

func (c *cycle) drop(now policy.Instant, n int64, first bool) bool {
	front := c.front
	if first { // permits of cycles that have passed are gone
		front = max(front, c.floor(now))
	}
	if !c.move(c.seen - n + (front - c.front)) {
		return false
	}
	c.front = front
	return true
}

// move sets the word, unless it has moved since read.
func (c *cycle) move(pos int64) bool {
	if !c.pos.CompareAndSwap(c.seen, pos) {
		return false
	}
	c.admitted.Add(c.within(c.seen) - c.within(pos))
	c.seen = pos
	return true
}

func (c *cycle) free(now policy.Instant, _ int64) int64 {
	floor := c.floor(now)
	return floor + c.limit - max(c.seen, floor)
}

func (c *cycle) drain(now policy.Instant) (int64, bool) {
	free := c.free(now, 0)
	if free <= 0 {
		return 0, true
	}
	return free, c.move(c.floor(now) + c.limit)
}

func (c *cycle) least(n int64) (time.Duration, bool) {
	cycles := (n - 1) / c.limit
	if cycles == 0 {
		return 0, true
	}
	hi, lo := bits.Mul64(uint64(cycles-1), uint64(c.period)) // asked for at the very end of a cycle
	return time.Duration(lo) + 1, hi == 0 && lo < math.MaxInt64
}

// seal ends the use of the ledger and returns the instant, after it, at which the number of its permits is final.
func (c *cycle) seal() policy.Instant {
	c.seen = c.pos.Swap(sealed)
	c.admitted.Add(c.within(c.seen))
	return policy.Now()
}

func (c *cycle) used(now policy.Instant, queued int64) int64 {
	floor, used := c.floor(now), c.seen
	if queued > 0 {
		used = c.front
	}
	used = max(used-floor, 0)
	if floor == 0 {
		used += c.excess
	}
	return used
}

// began returns when the cycle at now began.
func (c *cycle) began(now policy.Instant) policy.Instant {
	return c.start + policy.Instant(max(int64(now-c.start), 0)/c.period*c.period)
}
