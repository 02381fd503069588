package policy

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
)

// ErrClosed is what a call gets that was waiting inside a policy when the policy was closed. It is resil.ErrClosed too.
var ErrClosed = errors.New("resil: closed")

// An ErrorRule decides whether an error belongs to a set, as in "errors to retry". The zero value is the absent rule.
type ErrorRule struct {
	// Match reports whether the error, never nil, belongs to the set. It is called by many goroutines at once.
	Match func(error) bool
	// Text names the set for people, and tells two rules apart where settings of the same instance are compared:
	// the list as it stands in the annotation or file.
	Text string
}

// RuleOf returns the rule that match stands for, named after the function; nil is the absent rule.
func RuleOf(match func(error) bool) ErrorRule {
	if match == nil {
		return ErrorRule{}
	}
	rule := ErrorRule{Match: match}
	if f := runtime.FuncForPC(reflect.ValueOf(match).Pointer()); f != nil {
		rule.Text = f.Name()
	}
	return rule
}

// IsZero reports whether the rule is absent.
func (r ErrorRule) IsZero() bool { return r.Match == nil }

// Matches reports whether the rule is present and err belongs to its set.
func (r ErrorRule) Matches(err error) bool { return r.Match != nil && r.Match(err) }

// Cancelled reports whether ctx was cancelled by the caller. A deadline that ran out is no cancellation.
func Cancelled(ctx context.Context) bool {
	err := ctx.Err()
	return err != nil && (err == context.Canceled || errors.Is(err, context.Canceled))
}

// Ended returns why ctx has ended: its cause, which is ctx.Err() to errors.Is too, also where the cause alone is not.
func Ended(ctx context.Context) error {
	cause, err := context.Cause(ctx), ctx.Err()
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// As is errors.AsType for errors that come from code one does not control: a nil pointer in an error, which would make
// its methods panic, is found by no type.
func As[E error](err error) (E, bool) {
	if !typedNil(err) {
		if e, ok := errors.AsType[E](err); ok && !typedNil(e) {
			return e, true
		}
	}
	var none E
	return none, false
}

// Is is errors.Is with the same care as [As].
func Is(err, target error) bool {
	if typedNil(err) {
		return reflect.TypeOf(err).Comparable() && err == target
	}
	return errors.Is(err, target)
}

// typedNil reports whether err holds a nil pointer, map, slice, func or channel. It is asked on failures only.
func typedNil(err error) bool {
	if err == nil {
		return false
	}
	switch v := reflect.ValueOf(err); v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}
