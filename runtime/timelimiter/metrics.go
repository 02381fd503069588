package timelimiter

import "sync/atomic"

// Metrics are the counters of a [TimeLimiter] since it was made. Each call that ended is in exactly one of the first
// five.
type Metrics struct {
	SuccessfulCalls uint64 // no error, however late
	FailedCalls     uint64 // an error within the limit, a deadline of the caller's, a panic
	TimedOutCalls   uint64 // a TimeoutError
	CancelledCalls  uint64 // an error after the caller's context was cancelled: counts neither way
	RefusedCalls    uint64 // turned away by a policy further in: counts neither way

	// AbandonedCalls is the number of detached calls that still run although their callers have left.
	AbandonedCalls int
	// PanickedCalls counts the abandoned calls that panicked. Each is counted above as well, as what its caller saw.
	PanickedCalls uint64
}

type counters struct {
	successful, failed, timedOut, cancelled, refused, panicked atomic.Uint64
	abandoned                                                  atomic.Int64
}

// Metrics returns the counters. They are read one after the other while calls go on.
func (l *TimeLimiter) Metrics() Metrics {
	c := &l.counters
	return Metrics{
		SuccessfulCalls: c.successful.Load(),
		FailedCalls:     c.failed.Load(),
		TimedOutCalls:   c.timedOut.Load(),
		CancelledCalls:  c.cancelled.Load(),
		RefusedCalls:    c.refused.Load(),
		AbandonedCalls:  int(c.abandoned.Load()),
		PanickedCalls:   c.panicked.Load(),
	}
}
