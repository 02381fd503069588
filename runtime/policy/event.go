package policy

import (
	"fmt"
	"strings"
	"time"
)

// A Kind says which policy an instance belongs to. Its text is the name of the policy's directive.
type Kind string

// The policies.
const (
	CircuitBreaker     Kind = "circuitbreaker"
	RateLimiter        Kind = "ratelimiter"
	Bulkhead           Kind = "bulkhead"
	ThreadPoolBulkhead Kind = "thread-pool-bulkhead" // the directive bulkhead with type=pool
	Retry              Kind = "retry"
	TimeLimiter        Kind = "timelimiter"
	Fallback           Kind = "fallback"
)

// An EventType says what happened. The names are Resilience4j's where it has one.
type EventType string

// What happens to calls.
const (
	// Success: a call ended well (circuit breaker, time limiter), or did after at least one retry (retry: Attempt).
	Success EventType = "SUCCESS"
	// Error: a call ended in an error that counts as a failure, or the attempts ran out (retry: Attempt).
	Error EventType = "ERROR"
	// IgnoredError: a call ended in an error that counts neither way, or that is not retried.
	IgnoredError EventType = "IGNORED_ERROR"
	// NotPermitted: the circuit breaker refused a call.
	NotPermitted EventType = "NOT_PERMITTED"
	// RetryScheduled: an attempt failed and another one follows after Wait.
	RetryScheduled EventType = "RETRY"
	// Timeout: the time limit of a call ran out.
	Timeout EventType = "TIMEOUT"
	// Panicked: a call that ran on a goroutine of the policy panicked when nobody waited for it any more: Panic, Stack.
	Panicked EventType = "PANIC"
	// Answered: a fallback handler answered in place of the call: Handler; Err is the error that it answered.
	Answered EventType = "ANSWERED"
	// FallbackFailed: a fallback handler returned an error of its own, Err.
	FallbackFailed EventType = "FALLBACK_FAILED"
)

// What happens to the permits of a rate limiter and the slots of a bulkhead.
const (
	// SuccessfulAcquire: Permits were taken from the rate limiter, or reserved to be waited for.
	SuccessfulAcquire EventType = "SUCCESSFUL_ACQUIRE"
	// FailedAcquire: the rate limiter refused Permits.
	FailedAcquire EventType = "FAILED_ACQUIRE"
	// Drained: the permits that were left, Permits, were taken away.
	Drained EventType = "DRAINED"
	// CallPermitted: the bulkhead let a call in.
	CallPermitted EventType = "CALL_PERMITTED"
	// CallRejected: the bulkhead was full.
	CallRejected EventType = "CALL_REJECTED"
	// CallFinished: a call left the bulkhead.
	CallFinished EventType = "CALL_FINISHED"
)

// What happens to a circuit breaker.
const (
	// StateTransition: the state went from From to To.
	StateTransition EventType = "STATE_TRANSITION"
	// Reset: the circuit breaker was set back to CLOSED with an empty window.
	Reset EventType = "RESET"
	// FailureRateExceeded: the failure rate, Rate percent, reached its threshold.
	FailureRateExceeded EventType = "FAILURE_RATE_EXCEEDED"
	// SlowCallRateExceeded: the rate of slow calls, Rate percent, reached its threshold.
	SlowCallRateExceeded EventType = "SLOW_CALL_RATE_EXCEEDED"
)

// An Event tells a listener what happened in one instance of a policy. Which fields are set depends on Type; the others
// are zero. It is passed by value and may be kept; keeping Err keeps what the error refers to.
type Event struct {
	Time     time.Time     // wall clock time at which it was published
	Kind     Kind          // the policy
	Name     string        // the instance
	Type     EventType     // what happened
	Duration time.Duration // how long the call took; 0 where it was not measured
	Attempt  int           // retry: how many attempts were made so far, the first call included
	Wait     time.Duration // retry: the pause before the next attempt
	Permits  int           // rate limiter: how many
	Rate     float64       // in percent
	From, To string        // states, as in CLOSED
	Handler  string        // fallback: the handler's name
	Err      error         // the error concerned
	Panic    any           // the value of a panic
	Stack    []byte        // the stack of a panic
}

// String returns the event as one line for a log, without its time and stack.
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %s", e.Kind, e.Name, e.Type)
	if e.From != "" {
		fmt.Fprintf(&b, " from %s to %s", e.From, e.To)
	}
	switch e.Type {
	case FailureRateExceeded, SlowCallRateExceeded:
		fmt.Fprintf(&b, " rate=%.4g%%", e.Rate)
	}
	if e.Handler != "" {
		fmt.Fprintf(&b, " handler=%s", e.Handler)
	}
	if e.Permits > 0 {
		fmt.Fprintf(&b, " permits=%d", e.Permits)
	}
	if e.Attempt > 0 {
		fmt.Fprintf(&b, " attempt=%d", e.Attempt)
	}
	if e.Type == RetryScheduled {
		fmt.Fprintf(&b, " wait=%s", e.Wait)
	}
	if e.Duration > 0 {
		fmt.Fprintf(&b, " duration=%s", e.Duration)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, " error=%q", e.Err)
	}
	if e.Panic != nil {
		fmt.Fprintf(&b, " panic=%q", fmt.Sprint(e.Panic))
	}
	return b.String()
}
