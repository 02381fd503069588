package limiter

import (
	"context"
	"fmt"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Acquire takes n permits and waits for them if need be. It returns an [*ExceededError] at once if they do not come
// within timeoutDuration, or not before the deadline of ctx; an [*InterruptedError] if ctx ends during the wait, or
// the limiter is closed; an [*UnansweredError] if the backend has no answer; and [ErrNegativePermits] if n is
// negative. With n = 0 it passes and takes nothing.
//
// With the algorithm Cycle, whether ctx has ended is looked at only where the permits are not free at once.
func (l *Limiter) Acquire(ctx context.Context, n int) error { return l.AcquireAt(ctx, policy.Now(), n) }

// AcquireAt is [Limiter.Acquire] for a caller that has just read the clock: now is its reading of [policy.Now], made
// before the call. It spares the reading where permits are free.
func (l *Limiter) AcquireAt(ctx context.Context, now policy.Instant, n int) error {
	c := l.fast.Load()
	if c == nil {
		return l.acquire(ctx, n)
	}
	floor, ok := c.opening(now, int64(n)) // from here on as in cycle.take, without its calls
	if !ok {
		return l.acquire(ctx, n)
	}
	pos, ok := c.advance(floor, int64(n))
	if !ok {
		return l.acquire(ctx, n)
	}
	if c.unsaid(pos, floor, int64(n)) || l.listeners.Any() {
		l.taken(c, pos, floor, int64(n))
	}
	return nil
}

// taken is what is left of AcquireAt where there is more to be said about it than the word does.
//
//go:noinline
func (l *Limiter) taken(c *cycle, pos, floor, n int64) {
	if c.unsaid(pos, floor, n) {
		c.account(pos, floor, n)
	}
	if l.listeners.Any() {
		l.publish(policy.SuccessfulAcquire, n, nil)
	}
}

// TryAcquire takes n permits if they are free, and reports whether it did. It never waits, except for a backend's
// answer; without an answer, and for a negative n, it reports false.
func (l *Limiter) TryAcquire(n int) bool {
	if c := l.fast.Load(); c != nil && c.take(policy.Now(), int64(n)) {
		if l.listeners.Any() {
			l.publish(policy.SuccessfulAcquire, int64(n), nil)
		}
		return true
	}
	passes, err := l.passes(n)
	if passes || err != nil {
		return passes
	}
	return l.settle(int64(n), l.obtain(context.Background(), int64(n), 0)) == nil
}

// acquire is Acquire where permits are not free, or it takes a lock to tell.
func (l *Limiter) acquire(ctx context.Context, n int) error {
	passes, err := l.passes(n)
	if passes || err != nil {
		return err
	}
	return l.settle(int64(n), l.obtain(ctx, int64(n), l.config.Load().TimeoutDuration))
}

// passes reports whether a call for n permits has nothing to do with the limit.
func (l *Limiter) passes(n int) (bool, error) {
	if n < 0 {
		return false, fmt.Errorf("ratelimiter %q: %w", l.name, ErrNegativePermits)
	}
	return n == 0 || !l.config.Load().Enabled, nil
}

// settle counts and publishes what has become of a call for n permits.
func (l *Limiter) settle(n int64, err error) error {
	kind := policy.SuccessfulAcquire
	if err != nil {
		kind = policy.FailedAcquire
	}
	l.counters.count(err)
	if l.listeners.Any() {
		l.publish(kind, n, err)
	}
	return err
}

func (l *Limiter) obtain(ctx context.Context, n int64, timeout time.Duration) error {
	if l.decider != nil {
		return l.ask(ctx, n, timeout)
	}
	t, err := l.enter(ctx, n, timeout, true)
	if t == nil {
		return err
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		l.withdraw(t)
	}
	switch t.fate {
	case gone:
		return nil
	case refused:
		return l.refuse(n)
	case closed:
		return &InterruptedError{l.name, policy.ErrClosed}
	}
	return &InterruptedError{l.name, policy.Ended(ctx)}
}

// enter takes n permits or, where they have to be waited for, returns a place in the queue: for a call, or else for a
// reservation.
func (l *Limiter) enter(ctx context.Context, n int64, timeout time.Duration, call bool) (*ticket, error) {
	if ctx.Err() != nil {
		return nil, &InterruptedError{l.name, policy.Ended(ctx)}
	}
	if c := l.fast.Load(); c != nil {
		if wait, possible, known := c.judge(n); known && (!possible || wait > timeout) {
			return nil, l.refuse(n)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		now := l.catchUp()
		if !l.config.Load().Enabled {
			return nil, nil
		}
		at, possible := l.ledger.when(l.queue.permits, n)
		if possible && at <= now {
			if !l.ledger.push(0, n) {
				continue // somebody was admitted in the meantime
			}
			l.ledger.pop(n)
			return nil, nil
		}
		latest := l.latest(ctx, now, timeout)
		if !possible || at > latest {
			return nil, l.refuse(n)
		}
		if !l.ledger.push(l.queue.permits, n) {
			continue
		}
		t := &ticket{permits: n, latest: latest}
		if call {
			t.done = make(chan struct{})
		}
		l.queue.add(t)
		if l.queue.first == t {
			l.arm(now)
		}
		return t, nil
	}
}

// latest returns when a call that comes now has to have its permits.
func (l *Limiter) latest(ctx context.Context, now policy.Instant, timeout time.Duration) policy.Instant {
	if timeout == 0 || l.closed.Load() {
		return now
	}
	if deadline, ok := ctx.Deadline(); ok {
		timeout = max(min(timeout, time.Until(deadline)-1), 0) // at the deadline it is too late
	}
	return later(now, timeout)
}

// refuse returns the error of a call for n permits that is refused.
func (l *Limiter) refuse(n int64) error {
	if n == 1 {
		return l.refusal
	}
	e := l.weighted.Load()
	if e == nil || e.permits != n {
		e = newExceededError(l, n)
		l.weighted.Store(e)
	}
	return e
}

// retryAfter returns how long it takes until n permits are there, and whether that can be said.
func (l *Limiter) retryAfter(n int64) (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, config := l.catchUp(), l.config.Load()
	if !config.Enabled {
		return 0, true
	}
	if least, possible := l.ledger.least(n); !possible || least > config.TimeoutDuration {
		return 0, false
	}
	at, possible := l.ledger.when(l.queue.permits, n)
	return until(now, at), possible
}

// Drain takes the permits that are left, so that nobody passes until new ones come: those of the next cycle with the
// algorithm Cycle, one after the other with the others. It publishes DRAINED.
func (l *Limiter) Drain() { l.drain(context.Background()) }

func (l *Limiter) drain(ctx context.Context) {
	if !l.config.Load().Enabled {
		return
	}
	drained, err := l.drained(ctx)
	if err != nil {
		l.counters.unanswered.Add(1)
		return
	}
	if l.listeners.Any() {
		l.publish(policy.Drained, drained, nil)
	}
}

func (l *Limiter) drained(ctx context.Context) (int64, error) {
	if l.decider != nil {
		return l.decider.Drain(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		l.catchUp()
		if !l.queue.empty() {
			return 0, nil // what is left is reserved
		}
		if drained, ok := l.ledger.drain(l.newest); ok {
			return drained, nil
		}
	}
}
