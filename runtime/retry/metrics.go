package retry

import "sync/atomic"

// Metrics are the counters of a [Retry] since it was made. Each call that ended is in exactly one of the first six; one
// that panicked is in none.
type Metrics struct {
	SuccessfulCallsWithoutRetry uint64 // the first attempt succeeded
	SuccessfulCallsWithRetry    uint64 // a later attempt succeeded
	// FailedCallsWithoutRetry counts calls whose first attempt failed in a way that is not retried.
	FailedCallsWithoutRetry uint64
	// FailedCallsWithRetry counts calls that failed after a retry, or whose error or result is retried but had no
	// attempt or no time left; with maxAttempts=1 that is the first attempt already, as in Resilience4j.
	FailedCallsWithRetry uint64
	CancelledCalls       uint64 // the caller's context was cancelled
	RefusedCalls         uint64 // a policy further in turned the last attempt away, which was not retried

	// Attempts counts the attempts of the calls above, and the repeated ones of calls that have not ended yet.
	Attempts uint64
	// Retries counts the attempts after the first ones.
	Retries uint64
}

// counters are what Metrics is made from. A call whose first attempt succeeds writes the first one and nothing else.
type counters struct {
	succeeded, succeededLater, failed, failedLater, cancelled, refused, retries atomic.Uint64
}

// Metrics returns the counters. They are read one after the other while calls go on, so their sum may be off by the
// calls of that moment.
func (r *Retry) Metrics() Metrics {
	c := &r.counters
	m := Metrics{
		SuccessfulCallsWithoutRetry: c.succeeded.Load(),
		SuccessfulCallsWithRetry:    c.succeededLater.Load(),
		FailedCallsWithoutRetry:     c.failed.Load(),
		FailedCallsWithRetry:        c.failedLater.Load(),
		CancelledCalls:              c.cancelled.Load(),
		RefusedCalls:                c.refused.Load(),
		Retries:                     c.retries.Load(),
	}
	m.Attempts = m.SuccessfulCallsWithoutRetry + m.SuccessfulCallsWithRetry + m.FailedCallsWithoutRetry +
		m.FailedCallsWithRetry + m.CancelledCalls + m.RefusedCalls + m.Retries
	return m
}
