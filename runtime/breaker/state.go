package breaker

import "strconv"

// A State is one of the six states of a circuit breaker. Their numbers are the order in which Resilience4j reports them.
type State uint8

// The states.
const (
	// Closed admits every call and judges the window after each one that may change the answer.
	Closed State = iota
	// Open refuses every call until its wait has elapsed.
	Open
	// HalfOpen admits permittedNumberOfCallsInHalfOpenState probes and decides by their results.
	HalfOpen
	// Disabled admits every call and counts and publishes none.
	Disabled
	// ForcedOpen refuses every call until it is told otherwise.
	ForcedOpen
	// MetricsOnly admits every call and keeps the window, but never opens.
	MetricsOnly
)

var stateNames = [...]string{"CLOSED", "OPEN", "HALF_OPEN", "DISABLED", "FORCED_OPEN", "METRICS_ONLY"}

// String returns the state's name in Resilience4j, as in HALF_OPEN.
func (s State) String() string {
	if s.valid() {
		return stateNames[s]
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}

func (s State) valid() bool { return int(s) < len(stateNames) }

// windowed reports whether calls that are admitted in the state are recorded in a sliding window.
func (s State) windowed() bool { return s == Closed || s == MetricsOnly }

// mayBecome reports whether [Breaker.TransitionTo] leads from s to next. Each state may be entered again from itself.
func (s State) mayBecome(next State) bool {
	switch {
	case !next.valid():
		return false
	case s == next:
		return true
	case s == Closed:
		return next != HalfOpen
	case s == MetricsOnly:
		return next != Open && next != HalfOpen
	}
	return true
}

// A SlidingWindowType says what the sliding window is made of.
type SlidingWindowType uint8

// The types of sliding windows.
const (
	// CountBased windows hold the last slidingWindowSize outcomes.
	CountBased SlidingWindowType = iota
	// TimeBased windows hold the outcomes of the current second, as far as it has gone, and of the
	// slidingWindowSize-1 seconds before it. Seconds are counted from the creation of the circuit breaker.
	TimeBased
)

// String returns the type's name in Resilience4j, as in COUNT_BASED.
func (t SlidingWindowType) String() string {
	switch t {
	case CountBased:
		return "COUNT_BASED"
	case TimeBased:
		return "TIME_BASED"
	}
	return "SlidingWindowType(" + strconv.Itoa(int(t)) + ")"
}
