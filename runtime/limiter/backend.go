package limiter

import (
	"context"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Backend makes the decisions of rate limiters somewhere else, so that several processes share one limit. One
// Backend serves any number of limiters; package redislimiter has one for Redis. A [Limiter] with a backend keeps its
// name, settings, events and metrics, and its errors are the same.
type Backend interface {
	// Decider returns what decides for the limiter of that name, which is never empty, with the valid settings
	// config. It need not reach the far side: a limiter can be made while that is away. An error makes the limiter's
	// constructor fail.
	Decider(name string, config Config) (Decider, error)
}

// A Decider decides for one limiter. Its methods are called by several goroutines at once. How long it waits for the
// far side, and what it decides if that does not answer, is its own affair.
type Decider interface {
	// Acquire takes n permits, at least 1, waiting for them up to wait, or not at all if that is 0, and says whether
	// it got them. wait ends before the deadline of ctx, if ctx has one. What cannot succeed in this time should be
	// refused at once, and those who wait go in the order in which they came, as far as the far side can tell.
	//
	// An error means that there is no answer. If ctx ends, Acquire gives back what it has reserved and returns
	// ctx.Err(); the limiter makes an [*InterruptedError] of it, and an [*UnansweredError] of other errors.
	Acquire(ctx context.Context, n int, wait time.Duration) (Answer, error)
	// Available returns how many permits are left; it may be negative by what waiting calls have reserved.
	Available(ctx context.Context) (int64, error)
	// Drain takes the permits that are left and returns how many there were.
	Drain(ctx context.Context) (int64, error)
	// Reconfigure puts new settings, which are valid, in force: nobody is admitted from then on whom they forbid.
	Reconfigure(config Config) error
	// Close ends what the Decider has running. Waiting calls return [policy.ErrClosed] at once; later ones are
	// decided, but never wait. It is called once.
	Close() error
}

// An Answer is a decision.
type Answer struct {
	// Granted says that the permits were taken.
	Granted bool
	// RetryAfter is how long it takes, after a refusal, until there are as many permits; negative if that is not
	// known.
	RetryAfter time.Duration
}

// ask has the backend decide.
func (l *Limiter) ask(ctx context.Context, n int64, wait time.Duration) error {
	if ctx.Err() != nil {
		return &InterruptedError{l.name, policy.Ended(ctx)}
	}
	if deadline, ok := ctx.Deadline(); ok {
		wait = max(min(wait, time.Until(deadline)-1), 0)
	}
	if l.closed.Load() {
		wait = 0
	}
	l.asking.Add(1)
	defer l.asking.Add(-1)
	answer, err := l.decider.Acquire(ctx, int(n), wait)
	switch {
	case err == nil && answer.Granted:
		return nil
	case err == nil:
		e := newExceededError(l, n)
		e.wait, e.answered = answer.RetryAfter, policy.Now()
		return e
	}
	return l.unanswered(ctx, err)
}
