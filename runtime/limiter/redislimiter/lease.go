package redislimiter

import (
	"context"
	"sync"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

const longestLease = 100 * time.Millisecond

// A lease is permits that this process has taken in advance. Redis has them stamped with the time when they could be
// used last, so that none is back before one interval after its use.
type lease struct {
	limiter *RateLimiter
	most    int64
	life    time.Duration

	mu     sync.Mutex
	stock  []leased // the oldest first
	timer  *time.Timer
	closed bool
}

// leased is permits of one call.
type leased struct {
	left   int64
	until  policy.Instant
	stamps []int64
}

func newLease(l *RateLimiter, s *settings) *lease {
	shortest := s.config.Interval
	for _, limit := range s.config.And {
		shortest = min(shortest, limit.Interval)
	}
	return &lease{limiter: l, most: s.lease, life: min(shortest/10, longestLease)}
}

// take takes n permits from what is there, unless somebody else stands in line for permits.
func (l *lease) take(n int64) bool {
	if !l.limiter.line.empty() {
		return false
	}
	now := policy.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left(now) < n {
		return false
	}
	for i := range l.stock {
		if b := &l.stock[i]; now < b.until {
			part := min(n, b.left)
			b.left -= part
			n -= part
		}
	}
	return true
}

func (l *lease) left(now policy.Instant) (left int64) {
	for _, b := range l.stock {
		if now < b.until {
			left += b.left
		}
	}
	return left
}

// decide asks Redis for those in line and, behind them, for what the stock lacks.
func (l *lease) decide(ctx context.Context, runs []run) (answer, error) {
	now, requests := policy.Now(), 0
	for _, r := range runs {
		requests += r.requests
	}
	l.mu.Lock()
	lacks := l.most - l.left(now)
	if l.closed {
		lacks = 0
	}
	l.mu.Unlock()
	if lacks > 0 {
		runs = append(runs, run{1, int(lacks)})
	}
	a, err := l.limiter.grant(ctx, runs, l.life)
	if err != nil || a.granted <= requests {
		return a, err
	}
	l.add(leased{int64(a.granted - requests), now.Add(l.life), a.stamps})
	return answer{granted: requests, stamps: a.stamps}, nil
}

func (l *lease) add(b leased) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		go l.limiter.restore(b.left, b.stamps)
		return
	}
	l.stock = append(l.stock, b)
	if l.timer == nil {
		l.timer = time.AfterFunc(b.until.Sub(policy.Now()), l.expire)
	} else if len(l.stock) == 1 {
		l.timer.Reset(b.until.Sub(policy.Now()))
	}
}

// expire gives back what was not used in its time.
func (l *lease) expire() {
	now := policy.Now()
	l.mu.Lock()
	n := 0
	for n < len(l.stock) && l.stock[n].until <= now {
		n++
	}
	over := l.stock[:n:n]
	l.stock = append([]leased(nil), l.stock[n:]...)
	if len(l.stock) > 0 {
		l.timer.Reset(l.stock[0].until.Sub(now))
	}
	l.mu.Unlock()
	l.giveBack(over)
}

// close gives back everything.
func (l *lease) close() {
	l.giveBack(l.drop(true))
}

// forget drops everything: it does not count in Redis any more.
func (l *lease) forget() { l.drop(false) }

func (l *lease) drop(closed bool) []leased {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = l.closed || closed
	if l.timer != nil {
		l.timer.Stop()
	}
	stock := l.stock
	l.stock = nil
	return stock
}

func (l *lease) giveBack(over []leased) {
	for _, b := range over {
		if b.left > 0 {
			l.limiter.restore(b.left, b.stamps)
		}
	}
}
