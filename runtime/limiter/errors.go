package limiter

import (
	"errors"
	"fmt"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

var (
	// ErrExceeded is what every [*ExceededError] is to errors.Is.
	ErrExceeded = errors.New("limiter: the limit is exceeded")
	// ErrUnanswered is what every [*UnansweredError] is to errors.Is.
	ErrUnanswered = errors.New("limiter: the backend did not answer")
	// ErrNegativePermits is what a call gets that asks for a negative number of permits.
	ErrNegativePermits = errors.New("the number of permits is negative; it must be 0 or more")
)

type mark = policy.Mark

// An ExceededError says that a call was refused: its permits do not come within timeoutDuration, or not before the
// deadline of its context.
type ExceededError struct {
	mark
	limiter *Limiter
	permits int64

	answered policy.Instant // when a backend gave the answer
	wait     time.Duration  // the answer; negative where it is unknown
}

// newExceededError returns the error for calls that ask for so many permits and are refused in this process.
func newExceededError(l *Limiter, permits int64) *ExceededError {
	e := &ExceededError{limiter: l, permits: permits}
	policy.InitMark(&e.mark, e)
	return e
}

// Name returns the name of the rate limiter.
func (e *ExceededError) Name() string { return e.limiter.name }

// RetryAfter returns how long it takes, from now, until as many permits as the call asked for are there for the next
// one that asks. It is not known, and false, where there will never be so many in time. In this process the answer is
// worked out when it is asked for; a backend gives it with the refusal.
func (e *ExceededError) RetryAfter() (time.Duration, bool) {
	if e.limiter.decider == nil {
		return e.limiter.retryAfter(e.permits)
	}
	if e.wait < 0 {
		return 0, false
	}
	return max(e.wait-policy.Now().Sub(e.answered), 0), true
}

// Rejected reports true: the call was not made.
func (e *ExceededError) Rejected() bool { return true }

func (e *ExceededError) Error() string {
	return fmt.Sprintf("ratelimiter %q does not permit further calls", e.limiter.name)
}

// Is reports whether target is [ErrExceeded].
func (e *ExceededError) Is(target error) bool { return target == ErrExceeded }

// An InterruptedError says that a call stopped waiting for its permits, and gave back what it had reserved: its
// context has ended, or the rate limiter was closed. To errors.Is and errors.As it is the reason: context.Cause, and
// the context's own error where the cause hides it, or policy.ErrClosed.
type InterruptedError struct {
	name   string
	reason error
}

// Name returns the name of the rate limiter.
func (e *InterruptedError) Name() string { return e.name }

// RetryAfter returns false: it is not known.
func (e *InterruptedError) RetryAfter() (time.Duration, bool) { return 0, false }

// Rejected reports true: the call was not made.
func (e *InterruptedError) Rejected() bool { return true }

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("ratelimiter %q was interrupted: %v", e.name, e.reason)
}

// Unwrap returns the reason.
func (e *InterruptedError) Unwrap() error { return e.reason }

// An UnansweredError says that the backend, which makes the decisions, did not make one, so that the call was not
// made. It unwraps to the backend's error.
type UnansweredError struct {
	name string
	err  error
}

// Name returns the name of the rate limiter.
func (e *UnansweredError) Name() string { return e.name }

// RetryAfter returns false: it is not known.
func (e *UnansweredError) RetryAfter() (time.Duration, bool) { return 0, false }

// Rejected reports true: the call was not made.
func (e *UnansweredError) Rejected() bool { return true }

func (e *UnansweredError) Error() string {
	return fmt.Sprintf("ratelimiter %q got no answer from its backend: %v", e.name, e.err)
}

// Unwrap returns the backend's error.
func (e *UnansweredError) Unwrap() error { return e.err }

// Is reports whether target is [ErrUnanswered].
func (e *UnansweredError) Is(target error) bool { return target == ErrUnanswered }
