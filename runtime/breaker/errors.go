package breaker

import (
	"errors"
	"strconv"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

var (
	// ErrOpen is what every refusal of a circuit breaker is to errors.Is.
	ErrOpen = errors.New("circuitbreaker does not permit further calls")
	// ErrIllegalTransition is what every [*TransitionError] is to errors.Is.
	ErrIllegalTransition = errors.New("illegal state transition")
	// ErrFailedResult is the error of the event that tells of a call that returned no error, but a result that counts
	// as a failure. The caller never gets it.
	ErrFailedResult = errors.New("the result counts as a failure")
	// ErrAborted is the error of the event that tells of a call that panicked, ended its goroutine, or was otherwise
	// settled by [Call.Abort]. The caller never gets it.
	ErrAborted = errors.New("the call ended without a result")
)

type mark = policy.Mark

// An OpenError is the error of a call that was refused, because the circuit breaker is OPEN or FORCED_OPEN or has no
// probe left in HALF_OPEN. It is made once for each stay in such a state, so that a refusal allocates nothing; it must
// not be changed and may be kept. It is a [policy.Refusal].
type OpenError struct {
	mark
	name  string
	state State
	until policy.Instant // OPEN only
}

func newOpenError(name string, state State, until policy.Instant) *OpenError {
	e := &OpenError{name: name, state: state, until: until}
	policy.InitMark(&e.mark, e)
	return e
}

// Error returns a stable text, as in
//
//	circuitbreaker "inventory" is OPEN and does not permit further calls
func (e *OpenError) Error() string {
	return "circuitbreaker " + strconv.Quote(e.name) + " is " + e.state.String() + " and does not permit further calls"
}

// Name returns the name of the circuit breaker.
func (e *OpenError) Name() string { return e.name }

// State returns the state in which the call was refused.
func (e *OpenError) State() State { return e.state }

// RetryAfter returns how long OPEN lasts from now, at least 0. In HALF_OPEN and FORCED_OPEN nobody knows.
func (e *OpenError) RetryAfter() (time.Duration, bool) {
	if e.state != Open {
		return 0, false
	}
	return max(0, e.until.Sub(policy.Now())), true
}

// Rejected reports true: the call was not made.
func (e *OpenError) Rejected() bool { return true }

// Is reports whether target is [ErrOpen].
func (e *OpenError) Is(target error) bool { return target == ErrOpen }

// A TransitionError is the error of a change of state that Resilience4j's table of transitions does not allow.
type TransitionError struct {
	name     string
	from, to State
}

// Error returns a stable text that names the circuit breaker and both states, and what may be done instead.
func (e *TransitionError) Error() string {
	return "circuitbreaker " + strconv.Quote(e.name) + " tried an illegal state transition from " + e.from.String() +
		" to " + e.to.String() + "; " + e.remedy()
}

func (e *TransitionError) remedy() string {
	switch {
	case !e.to.valid():
		return "there is no such state"
	case e.from == Closed:
		return "HALF_OPEN is reached from OPEN"
	}
	return "go to CLOSED first"
}

// Name returns the name of the circuit breaker.
func (e *TransitionError) Name() string { return e.name }

// From returns the state that the circuit breaker is in.
func (e *TransitionError) From() State { return e.from }

// To returns the state that was asked for.
func (e *TransitionError) To() State { return e.to }

// Is reports whether target is [ErrIllegalTransition].
func (e *TransitionError) Is(target error) bool { return target == ErrIllegalTransition }
