package policy

import "time"

// A Refusal is the error of a call that a policy turned away without making it: *breaker.OpenError,
// *limiter.ExceededError, *bulkhead.FullError.
type Refusal interface {
	error
	// Name returns the name of the instance that refused.
	Name() string
	// RetryAfter returns how long it takes, from now, until a call may be admitted again, and whether that is known.
	RetryAfter() (time.Duration, bool)
	// Rejected reports true: the call was not made.
	Rejected() bool
}

// A Mark lets a refusal that is made once, and returned many times, be marked without an allocation: the refusal's type
// embeds it, and the policy calls [InitMark] when it makes the value.
type Mark struct{ marked marked }

// InitMark ties the mark inside err to err.
func InitMark(mark *Mark, err error) { mark.marked.err = err }

func (m *Mark) policyMark() *marked { return &m.marked }

// marked is an error on its way out through the layers of the chain that made it.
type marked struct{ err error }

func (m *marked) Error() string { return m.err.Error() }
func (m *marked) Unwrap() error { return m.err }

// MarkInner returns err marked as made by a layer of the chain that it is passing through, so that the layers further
// out can tell it from an error of the call: they do not count it and do not retry it unless a rule lists it. The
// outermost layer takes the mark off with [Unmark], so that no caller sees one. A nil error stays nil.
func MarkInner(err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case *marked:
		return err
	case interface{ policyMark() *marked }:
		if m := e.policyMark(); m.err == err { // not a type of somebody else's that embeds a refusal
			return m
		}
	}
	return &marked{err}
}

// Marked reports whether err carries the mark of [MarkInner].
func Marked(err error) bool {
	_, ok := err.(*marked)
	return ok
}

// Unmark returns err without the mark of [MarkInner].
func Unmark(err error) error {
	if m, ok := err.(*marked); ok {
		return m.err
	}
	return err
}

// InnerRefusal returns err marked if it is a refusal itself, and as it is if it is not or only wraps one. Do, Run and
// Decorate of the policies use it: a policy that is wrapped around another by hand forms one chain with it.
func InnerRefusal(err error) error {
	if r, ok := err.(Refusal); ok && !typedNil(err) && r.Rejected() {
		return MarkInner(err)
	}
	return err
}
