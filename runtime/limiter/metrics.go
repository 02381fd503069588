package limiter

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Metrics are the state of a [Limiter] and its counters since it was made.
type Metrics struct {
	// AvailablePermits is how many permits are left: in the running cycle, in the period that ends now, or of the
	// burst. It is negative by what waiting calls have reserved. With a backend it is 0: ask [Limiter.Available].
	AvailablePermits int64
	// WaitingCalls is how many calls wait for permits. With a backend it is how many wait for its answer.
	WaitingCalls int
	// TimeToWait is how long a call for one permit would have to wait. With a backend it is 0.
	TimeToWait time.Duration

	AdmittedCalls    uint64 // got their permits, or reserved them
	RefusedCalls     uint64 // did not
	InterruptedCalls uint64 // stopped waiting: their context ended, or the limiter was closed
	UnansweredCalls  uint64 // calls, and drains, to which the backend had no answer
}

// counters are what Metrics is made from. To admitted belongs what a cycle says that it has admitted beside it.
type counters struct {
	admitted                         atomic.Int64
	refused, interrupted, unanswered atomic.Uint64
}

func (c *counters) count(err error) {
	switch err.(type) {
	case nil:
		c.admitted.Add(1)
	case *ExceededError:
		c.refused.Add(1)
	case *UnansweredError:
		c.unanswered.Add(1)
	default:
		c.interrupted.Add(1)
	}
}

// Metrics returns the state and the counters. The counters are read one after the other while calls go on.
func (l *Limiter) Metrics() Metrics {
	m := Metrics{
		RefusedCalls:     l.counters.refused.Load(),
		InterruptedCalls: l.counters.interrupted.Load(),
		UnansweredCalls:  l.counters.unanswered.Load(),
	}
	if l.decider != nil {
		m.WaitingCalls = int(l.asking.Load())
		m.AdmittedCalls = uint64(l.counters.admitted.Load())
		return m
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.catchUp()
	m.AvailablePermits = l.ledger.free(now, l.queue.permits)
	m.WaitingCalls = l.queue.waiting
	if at, possible := l.ledger.when(l.queue.permits, 1); possible {
		m.TimeToWait = until(now, at)
	}
	m.AdmittedCalls = uint64(l.admitted())
	return m
}

// admitted returns how many calls were admitted. A call that has moved a cycle's word and not counted yet what that
// says no more makes the sum too small for a moment, but a counter never goes back.
func (l *Limiter) admitted() int64 {
	var taken int64
	if c, ok := l.ledger.(*cycle); ok {
		taken = c.within(c.pos.Load())
	}
	l.shown = max(l.shown, l.counters.admitted.Load()+taken)
	return l.shown
}

// Available returns how many permits are left, as [Metrics] describes it, and asks the backend if there is one: ctx
// and the error concern that only. The error is an [*InterruptedError] or an [*UnansweredError].
func (l *Limiter) Available(ctx context.Context) (int64, error) {
	if l.decider == nil {
		return l.Metrics().AvailablePermits, nil
	}
	available, err := l.decider.Available(ctx)
	if err != nil {
		return 0, l.unanswered(ctx, err)
	}
	return available, nil
}

// unanswered returns what the error of a backend is for those who asked.
func (l *Limiter) unanswered(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return &InterruptedError{l.name, policy.Ended(ctx)}
	case errors.Is(err, policy.ErrClosed):
		return &InterruptedError{l.name, policy.ErrClosed}
	}
	return &UnansweredError{l.name, err}
}
