package retry

import (
	"errors"
	"fmt"
)

// ErrExhausted is what every [*ExhaustedError] is to errors.Is.
var ErrExhausted = errors.New("retry: all attempts are exhausted")

// An ExhaustedError says that the last attempt came to a bad result and no other one follows. Only results end in it,
// with failAfterMaxAttempts; where the last attempt returned an error, that error itself is what the caller gets.
type ExhaustedError struct {
	name     string
	attempts int
}

// Name returns the name of the retry.
func (e *ExhaustedError) Name() string { return e.name }

// Attempts returns how many attempts were made, the first one included. It is below maxAttempts where an interval
// function said stop, or the time did not suffice.
func (e *ExhaustedError) Attempts() int { return e.attempts }

func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("retry %q has exhausted all attempts (%d)", e.name, e.attempts)
}

// Is reports whether target is [ErrExhausted].
func (e *ExhaustedError) Is(target error) bool { return target == ErrExhausted }

// An InterruptedError says that the wait for the next attempt was ended early: by the caller's context, or by Close. To
// errors.Is and errors.As it is the error of the last attempt as well as the reason: context.Cause, and the context's
// own error where the cause hides it, or policy.ErrClosed.
type InterruptedError struct {
	name     string
	attempts int
	last     error // nil if the last attempt came to a bad result
	reason   error
}

// Name returns the name of the retry.
func (e *InterruptedError) Name() string { return e.name }

// Attempts returns how many attempts were made, the first one included.
func (e *InterruptedError) Attempts() int { return e.attempts }

func (e *InterruptedError) Error() string {
	text := fmt.Sprintf("retry %q was interrupted after attempt %d: %v", e.name, e.attempts, e.reason)
	if e.last != nil {
		text += fmt.Sprintf("; its error: %v", e.last)
	}
	return text
}

// Unwrap returns the last attempt's error, if it had one, and the reason.
func (e *InterruptedError) Unwrap() []error {
	if e.last == nil {
		return []error{e.reason}
	}
	return []error{e.last, e.reason}
}
