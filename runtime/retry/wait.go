package retry

import (
	"context"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// wait returns the pause after the given attempt; negative means that the interval function said stop.
func (c *Config) wait(attempt int, result any, err error) time.Duration {
	var wait time.Duration
	switch {
	case c.IntervalBiFunction != nil:
		wait = c.IntervalBiFunction(attempt, result, err)
	case c.IntervalFunction != nil:
		wait = c.IntervalFunction(attempt)
	default:
		backoff := c.backoff()
		wait = backoff.Wait(attempt)
	}
	if wait < 0 || err == nil {
		return wait
	}
	return max(wait, retryAfter(err))
}

// The two forms in which an error says when it makes sense to come again: that of this module's refusals, and the plain
// one of many clients.
type (
	knowsRetryAfter interface {
		error
		RetryAfter() (wait time.Duration, known bool)
	}
	hasRetryAfter interface {
		error
		RetryAfter() time.Duration
	}
)

// retryAfter returns how long err, or one that it wraps, asks to wait; 0 if it does not say.
func retryAfter(err error) time.Duration {
	if e, ok := policy.As[knowsRetryAfter](err); ok {
		if wait, known := e.RetryAfter(); known {
			return wait
		}
	}
	if e, ok := policy.As[hasRetryAfter](err); ok {
		return e.RetryAfter()
	}
	return 0
}

// suffices reports whether an attempt after the pause would begin before ctx ends and no later than MaxDuration.
func (a *Attempts) suffices(ctx context.Context, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && wait >= time.Until(deadline) {
		return false
	}
	// The subtraction cannot overflow as the sum could, by an interval function that returns the longest Duration.
	return a.settings.MaxDuration <= 0 || wait <= a.settings.MaxDuration-policy.Now().Sub(a.begun)
}

func (r *Retry) isClosed() bool {
	select {
	case <-r.closed:
		return true
	default:
		return false
	}
}

// pause waits, and returns nil when the wait is over, or why it was ended early.
func (r *Retry) pause(ctx context.Context, wait time.Duration) error {
	r.waiting.Add(1)
	defer r.waiting.Add(-1)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		if ctx.Err() == nil {
			return nil
		}
		return policy.Ended(ctx) // at the same moment: an attempt would be made for nobody
	case <-ctx.Done():
		return policy.Ended(ctx)
	case <-r.closed:
		return policy.ErrClosed
	}
}
