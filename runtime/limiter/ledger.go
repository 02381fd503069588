package limiter

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A ledger is an algorithm with its book of permits: who has gone, and when a call would go that stands behind all
// those who are queued. It does not know the queue, but is told of each change to it. All methods need the limiter's
// mutex.
//
// push, drop and drain may fail, having changed nothing, where calls are admitted without the mutex; read and what
// follows it is then done again.
type ledger interface {
	// read returns the current instant, at which the others look at the ledger.
	read() policy.Instant
	// settle tells that nobody in the queue is due any more; empty says that nobody is queued at all. It comes before
	// whatever depends on the current instant.
	settle(now policy.Instant, empty bool)
	// when returns when n permits can go behind ahead queued ones; possible is false if that is never. It is in the
	// past, or now, where they can go at once.
	when(ahead, n int64) (at policy.Instant, possible bool)
	// push books n permits behind ahead queued ones.
	push(ahead, n int64) bool
	// pop tells that the head of the queue, with n permits, has gone, at the time that when named.
	pop(n int64)
	// drop tells that somebody in the queue, with n permits, gave up; first says that it was the head. Those behind
	// it move up, but have got nothing that was free before now.
	drop(now policy.Instant, n int64, first bool) bool
	// free returns how many permits are left at now; queued ones count as taken, so it may be negative.
	free(now policy.Instant, queued int64) int64
	// drain takes what is left and returns how much that was.
	drain(now policy.Instant) (int64, bool)
	// least returns the shortest time that a call for n permits has to wait in the best case; possible is false if it
	// can never go.
	least(n int64) (wait time.Duration, possible bool)
	// used returns how many permits count against the limit at now, without the queued ones.
	used(now policy.Instant, queued int64) int64
}

// newLedger returns the ledger for config, with used permits taken just now. Calls that it admits without the mutex it
// counts in admitted.
func newLedger(config *Config, queue *queue, now policy.Instant, used int64, admitted *atomic.Int64) ledger {
	limit, period := int64(config.LimitForPeriod), config.LimitRefreshPeriod
	switch config.Algorithm {
	case Sliding:
		return newSliding(queue, now, limit, period, used)
	case Smooth:
		return newSmooth(now, limit, period, int64(config.Burst), used)
	}
	return newCycle(now, limit, period, used, admitted)
}

// successor returns the ledger that takes the place of old at now. It knows what counts of the past.
func successor(
	old ledger, config *Config, queue *queue, now policy.Instant, admitted *atomic.Int64,
) ledger {
	limit, period := int64(config.LimitForPeriod), config.LimitRefreshPeriod
	used := old.used(now, queue.permits)
	switch old := old.(type) {
	case *cycle:
		if config.Algorithm == Cycle && int64(period) == old.period && !old.worn(now) {
			return newCycle(old.began(now), limit, period, used, admitted) // the cycles go on as they were
		}
	case *sliding:
		if config.Algorithm == Sliding {
			return old.with(now, limit, period)
		}
	case *smooth:
		if config.Algorithm == Smooth { // a larger burst does not bring back what has gone
			burst := max(int64(config.Burst), 1)
			used = burst - min(max(old.burst-used, 0), burst)
		}
	}
	return newLedger(config, queue, now, used, admitted)
}

// until returns the time from now to at, 0 if that is not to come, or the longest time that there is.
func until(now, at policy.Instant) time.Duration {
	switch wait := at.Sub(now); {
	case at <= now:
		return 0
	case wait < 0:
		return math.MaxInt64
	default:
		return wait
	}
}

// later returns the instant d after i, or the last one there is.
func later(i policy.Instant, d time.Duration) policy.Instant {
	if i > math.MaxInt64-policy.Instant(d) {
		return math.MaxInt64
	}
	return i.Add(d)
}
