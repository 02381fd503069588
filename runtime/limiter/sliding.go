package limiter

import (
	"sort"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A sliding is the ledger of the algorithm Sliding: a log of who went when, for one period, followed by the plan of
// when the queued calls will go. Permits are numbered since the ledger was made; number p may go one period after
// number p-limit did.
type sliding struct {
	period time.Duration
	limit  int64
	queue  *queue

	log   []acquisition
	from  int            // those in log before it have lapsed
	gone  int            // those before it have happened; the others are planned
	base  int64          // permits that have lapsed; whoever is not due yet waits for later ones
	front int64          // permits that have gone, base included
	floor policy.Instant // queued calls go no earlier: nobody was there, or somebody gave up, until then
	stale bool           // log has no plan, though there may be a queue
}

// An acquisition is an entry of the log: permits up to number end, which is not among them, went at that instant.
type acquisition struct {
	at  policy.Instant
	end int64
}

func newSliding(queue *queue, now policy.Instant, limit int64, period time.Duration, used int64) *sliding {
	s := &sliding{period: period, limit: limit, queue: queue, floor: now}
	if used > 0 {
		s.log, s.gone, s.front = []acquisition{{now, used}}, 1, used
	}
	return s
}

// with returns the ledger for another limit and period, with the same log and nothing planned.
func (s *sliding) with(now policy.Instant, limit int64, period time.Duration) *sliding {
	next := *s
	next.period, next.limit, next.floor, next.stale = period, limit, now, false
	next.log = s.log[:s.gone]
	return &next
}

func (s *sliding) read() policy.Instant { return policy.Now() }

func (s *sliding) settle(now policy.Instant, empty bool) {
	if empty {
		s.floor, s.stale = now, false
	}
	for s.from < s.gone && later(s.log[s.from].at, s.period) <= now {
		s.base = s.log[s.from].end
		s.from++
	}
	if s.from > len(s.log)/2 {
		s.log = s.log[:copy(s.log, s.log[s.from:])]
		s.gone, s.from = s.gone-s.from, 0
	}
}

func (s *sliding) when(ahead, n int64) (policy.Instant, bool) {
	if n > s.limit {
		return 0, false
	}
	before := s.front + ahead + n - s.limit // the permits before this number have to be back
	if before <= s.base {
		return s.floor, true
	}
	if before > s.front {
		s.plan()
	}
	live := s.log[s.from:]
	i := sort.Search(len(live), func(i int) bool { return live[i].end >= before })
	return max(s.floor, later(live[i].at, s.period)), true
}

// plan books those in the queue again.
func (s *sliding) plan() {
	if !s.stale {
		return
	}
	s.stale = false
	ahead := int64(0)
	for t := s.queue.first; t != nil; t = t.next {
		s.push(ahead, t.permits)
		ahead += t.permits
	}
}

func (s *sliding) push(ahead, n int64) bool {
	if s.stale {
		return true // it will be planned with the others
	}
	at, _ := s.when(ahead, n)
	s.log = append(s.log, acquisition{at, s.front + ahead + n})
	return true
}

func (s *sliding) pop(n int64) {
	if s.stale {
		at, _ := s.when(0, n)
		s.log = append(s.log, acquisition{at, s.front + n})
	}
	s.gone++
	s.front += n
}

func (s *sliding) drop(now policy.Instant, _ int64, _ bool) bool {
	s.log, s.stale, s.floor = s.log[:s.gone], true, now
	return true
}

func (s *sliding) free(_ policy.Instant, queued int64) int64 {
	return s.limit - (s.front - s.base) - queued
}

func (s *sliding) drain(now policy.Instant) (int64, bool) {
	free := max(s.free(now, s.queue.permits), 0)
	if free > 0 {
		s.push(0, free)
		s.pop(free)
	}
	return free, true
}

func (s *sliding) least(n int64) (time.Duration, bool) { return 0, n <= s.limit }

func (s *sliding) used(policy.Instant, int64) int64 { return s.front - s.base }
