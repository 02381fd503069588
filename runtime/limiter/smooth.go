package limiter

import (
	"math"
	"math/bits"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A smooth is the ledger of the algorithm Smooth, which others call GCRA or a token bucket: each permit takes up the
// time period/limit, one after the other, and may go as early as burst of them before its own time is over. A call
// for more than the burst goes when they are saved up. Times are kept exactly, with their fraction of a nanosecond.
type smooth struct {
	limit, period, burst int64

	front    policy.Instant // what has gone takes up the time until here
	fraction int64          // and so many limit-ths of a nanosecond
}

func newSmooth(now policy.Instant, limit int64, period time.Duration, burst, used int64) *smooth {
	s := &smooth{limit: limit, period: int64(period), burst: max(burst, 1), front: now}
	s.pop(min(used, s.burst))
	return s
}

func (s *smooth) read() policy.Instant { return policy.Now() }

func (s *smooth) settle(now policy.Instant, empty bool) {
	if empty && s.front < now {
		s.front, s.fraction = now, 0
	}
}

// span returns the time that n permits take up, in whole nanoseconds and limit-ths of one, or false if there is no
// number for it.
func (s *smooth) span(n int64) (ns, fraction int64, ok bool) {
	hi, lo := bits.Mul64(uint64(n), uint64(s.period))
	if hi >= uint64(s.limit) {
		return 0, 0, false
	}
	quotient, rest := bits.Div64(hi, lo, uint64(s.limit))
	return int64(quotient), int64(rest), quotient <= math.MaxInt64
}

func (s *smooth) when(ahead, n int64) (policy.Instant, bool) {
	if n > math.MaxInt64-ahead {
		return 0, false
	}
	last := ahead + n - s.burst
	ns, fraction, ok := s.span(max(last, -last))
	switch {
	case last <= 0 && (!ok || s.front < math.MinInt64+policy.Instant(ns)):
		return math.MinInt64, true
	case last <= 0:
		at := s.front - policy.Instant(ns)
		if s.fraction > fraction {
			at++ // rounded up: a permit goes no earlier than its time
		}
		return at, true
	case !ok || s.front > math.MaxInt64-2-policy.Instant(ns):
		return 0, false
	}
	at := s.front + policy.Instant(ns)
	fraction += s.fraction
	return at + policy.Instant((fraction+s.limit-1)/s.limit), true
}

func (s *smooth) push(int64, int64) bool { return true }

func (s *smooth) pop(n int64) {
	ns, fraction, ok := s.span(n)
	if !ok || s.front > math.MaxInt64-2-policy.Instant(ns) {
		s.front, s.fraction = math.MaxInt64, 0 // longer than anybody counts
		return
	}
	s.fraction += fraction
	s.front += policy.Instant(ns + s.fraction/s.limit)
	s.fraction %= s.limit
}

func (s *smooth) drop(now policy.Instant, _ int64, first bool) bool {
	s.settle(now, first) // to those behind it is as if nobody had been there
	return true
}

func (s *smooth) free(now policy.Instant, queued int64) int64 {
	return s.burst - s.used(now, 0) - queued
}

func (s *smooth) drain(now policy.Instant) (int64, bool) {
	free := max(s.free(now, 0), 0)
	s.pop(free)
	return free, true
}

func (s *smooth) least(n int64) (time.Duration, bool) {
	if n <= s.burst {
		return 0, true
	}
	ns, fraction, ok := s.span(n - s.burst)
	if fraction > 0 && ns < math.MaxInt64 {
		ns++
	}
	return time.Duration(ns), ok
}

func (s *smooth) used(now policy.Instant, _ int64) int64 {
	if s.front < now || s.front == now && s.fraction == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(s.front-now), uint64(s.limit))
	lo, carry := bits.Add64(lo, uint64(s.fraction), 0)
	hi += carry
	if hi >= uint64(s.period) {
		return math.MaxInt32
	}
	permits, rest := bits.Div64(hi, lo, uint64(s.period))
	if rest > 0 {
		permits++
	}
	return int64(min(permits, math.MaxInt32))
}
