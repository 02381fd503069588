package timelimiter

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrTimeout is what every [*TimeoutError] is to errors.Is.
var ErrTimeout = errors.New("timelimiter: timed out")

// errAborted is the error of a call that ended without one: by a panic or runtime.Goexit.
var errAborted = errors.New("timelimiter: the call panicked or ended its goroutine")

// A TimeoutError says that the limit of a call ran out, and nothing else: neither a deadline of the caller's nor a
// timeout that the call itself found. To errors.Is it is [ErrTimeout] and context.DeadlineExceeded.
type TimeoutError struct {
	name  string
	limit time.Duration
	err   error // what the call returned; context.DeadlineExceeded where it did not return
}

// Name returns the name of the time limiter.
func (e *TimeoutError) Name() string { return e.name }

// Limit returns the limit that ran out.
func (e *TimeoutError) Limit() time.Duration { return e.limit }

// Timeout reports true, as in net.Error.
func (e *TimeoutError) Timeout() bool { return true }

func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("timelimiter %q timed out after %v", e.name, e.limit)
	if e.err != context.DeadlineExceeded {
		text += ": " + e.err.Error()
	}
	return text
}

// Unwrap returns the error with which the call ended when its time was up; context.DeadlineExceeded if it goes on.
func (e *TimeoutError) Unwrap() error { return e.err }

// Is reports whether target is [ErrTimeout] or context.DeadlineExceeded, whatever the call returned.
func (e *TimeoutError) Is(target error) bool {
	return target == ErrTimeout || target == context.DeadlineExceeded
}
