package redislimiter

import (
	"fmt"
	"time"
)

// What errors of this package are to errors.Is. Each says how sure it is that nothing was taken.
var (
	// ErrNotInitialized means that Redis knows no limiter of this name, and that this one was made without a rate: call
	// TrySetRate, or give New a rate. Nothing was taken.
	ErrNotInitialized error = failure("the rate limiter is not initialized")
	// ErrExceedsRate is what every [*ExceedsRateError] is. Nothing was taken.
	ErrExceedsRate error = failure("the requested permits exceed the defined rate")
	// ErrPermits means that a number of permits is out of range. Nothing was taken.
	ErrPermits error = failure("the number of permits is out of range")
	// ErrUnavailable means that Redis could not be asked or said that it cannot answer now. Nothing was taken.
	ErrUnavailable error = failure("redis is not available")
	// ErrUnknownOutcome means that a request was sent and no answer came in time. Permits may have been taken; they are
	// back after one interval. The request is never sent again.
	ErrUnknownOutcome error = failure("redis did not answer; permits may have been taken")
	// ErrForeignKey means that a key of the limiter holds something that was not written by one. It is left as it is.
	ErrForeignKey error = failure("the key holds something that is not a rate limiter")
	// ErrNoClientID means that the limit is PER_CLIENT and this limiter has no id: give New [WithClientID].
	ErrNoClientID error = failure("the limit is PER_CLIENT, but the limiter has no client id")
	// ErrUnsupported means that a limiter with these options cannot do this.
	ErrUnsupported error = failure("not supported")
)

// A failure is an error of this package, as opposed to one of the client.
type failure string

func (f failure) Error() string { return string(f) }

// errShut is why nothing was sent.
const errShut = failure("it has failed before, and is tried again within a second")

// An ExceedsRateError says that more permits were asked for than the rate has, so that they will never be there.
type ExceedsRateError struct {
	name          string
	permits, rate int64
}

// Rate returns the rate that is in force.
func (e *ExceedsRateError) Rate() int64 { return e.rate }

func (e *ExceedsRateError) Error() string {
	return fmt.Sprintf("redislimiter %q: requested permits amount %d cannot exceed defined rate %d", e.name, e.permits, e.rate)
}

// Is reports whether target is [ErrExceedsRate].
func (e *ExceedsRateError) Is(target error) bool { return target == ErrExceedsRate }

// fault returns an error that is kind and, where there is one, its cause.
func fault(name string, kind, cause error) error {
	if cause == nil {
		return fmt.Errorf("redislimiter %q: %w", name, kind)
	}
	return fmt.Errorf("redislimiter %q: %w: %w", name, kind, cause)
}

// invalid returns the error of a number of permits that is out of range.
func invalid(name string, n, least int64) error {
	return fmt.Errorf("redislimiter %q: %w: it is %d and must be from %d to %d", name, ErrPermits, n, least, int64(maxRate))
}

// A silence tells how long Redis was waited for.
type silence time.Duration

func (s silence) Error() string { return fmt.Sprintf("no answer within %v", time.Duration(s)) }

// Timeout reports true, as net.Error has it.
func (s silence) Timeout() bool { return true }
