package bulkhead

import (
	"errors"
	"fmt"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// ErrFull is what every [*FullError] is to errors.Is.
var ErrFull = errors.New("bulkhead: it is full")

type mark = policy.Mark

// A FullError says that a call was refused: as many as may be are under way, and none ended in the time that the call
// may wait. A [Bulkhead] or [Pool] makes one and returns it each time.
type FullError struct {
	mark
	name string
}

func newFullError(name string) *FullError {
	e := &FullError{name: name}
	policy.InitMark(&e.mark, e)
	return e
}

// Name returns the name of the bulkhead.
func (e *FullError) Name() string { return e.name }

// RetryAfter returns false: nobody knows when a call will end.
func (e *FullError) RetryAfter() (time.Duration, bool) { return 0, false }

// Rejected reports true: the call was not made.
func (e *FullError) Rejected() bool { return true }

func (e *FullError) Error() string {
	return fmt.Sprintf("bulkhead %q is full and does not permit further calls", e.name)
}

// Is reports whether target is [ErrFull].
func (e *FullError) Is(target error) bool { return target == ErrFull }

// An InterruptedError says that a call stopped waiting: its context has ended, or the bulkhead was closed. To
// errors.Is and errors.As it is the reason: context.Cause, and the context's own error where the cause hides it, or
// policy.ErrClosed.
type InterruptedError struct {
	name    string
	pool    *Pool // nil: a Bulkhead
	reason  error
	started bool // it was running already, in a pool
}

// Name returns the name of the bulkhead.
func (e *InterruptedError) Name() string { return e.name }

// RetryAfter returns false: it is not known.
func (e *InterruptedError) RetryAfter() (time.Duration, bool) { return 0, false }

// Rejected reports whether the call was not made. Only in a [Pool] it may be under way when its caller gives up.
func (e *InterruptedError) Rejected() bool { return !e.started }

func (e *InterruptedError) Error() string {
	if e.started {
		return fmt.Sprintf("bulkhead %q did not wait for the end of a call: %v", e.name, e.reason)
	}
	return fmt.Sprintf("bulkhead %q was interrupted: %v", e.name, e.reason)
}

// Unwrap returns the reason.
func (e *InterruptedError) Unwrap() error { return e.reason }
