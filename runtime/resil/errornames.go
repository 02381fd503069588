package resil

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/internal/spelling"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// netError is net.Error, without a need for package net.
type netError interface {
	error
	Timeout() bool
	Temporary() bool
}

// builtinErrors are the errors that files can name without more ado.
func builtinErrors() map[string]func(error) bool {
	return map[string]func(error) bool{
		"net.Error":                ofType[netError],
		"context.Canceled":         is(context.Canceled),
		"context.DeadlineExceeded": is(context.DeadlineExceeded),
		"io.EOF":                   is(io.EOF),
		"io.ErrUnexpectedEOF":      is(io.ErrUnexpectedEOF),
		"os.ErrDeadlineExceeded":   is(os.ErrDeadlineExceeded),
		"os.ErrNotExist":           is(os.ErrNotExist),
		"os.ErrPermission":         is(os.ErrPermission),
		"breaker.ErrOpen":          is(breaker.ErrOpen),
		"limiter.ErrExceeded":      is(limiter.ErrExceeded),
		"limiter.ErrUnanswered":    is(limiter.ErrUnanswered),
		"bulkhead.ErrFull":         is(bulkhead.ErrFull),
		"retry.ErrExhausted":       is(retry.ErrExhausted),
		"timelimiter.ErrTimeout":   is(timelimiter.ErrTimeout),
		"resil.ErrClosed":          is(ErrClosed),
	}
}

func is(target error) func(error) bool {
	return func(err error) bool { return policy.Is(err, target) }
}

func ofType[E error](err error) bool {
	_, ok := policy.As[E](err)
	return ok
}

// WithErrorName makes an error known to files by a name, as in retryErrors: [db.Busy]; a Java class that a file already
// has is such a name too. The target says which errors are meant:
//
//   - a func(error) bool: those for which it reports true;
//   - the zero value of an error's type, such as MyError{} or (*MyError)(nil): those of that type, as errors.As finds them;
//   - any other error: those that are it, as errors.Is finds them.
//
// Names that the standard library's errors have are known: context.Canceled, context.DeadlineExceeded, io.EOF,
// io.ErrUnexpectedEOF, net.Error, os.ErrDeadlineExceeded, os.ErrNotExist, os.ErrPermission; and breaker.ErrOpen,
// limiter.ErrExceeded, limiter.ErrUnanswered, bulkhead.ErrFull, timelimiter.ErrTimeout, retry.ErrExhausted,
// resil.ErrClosed. They, and a name that is given twice, cannot be given another meaning.
func WithErrorName(name string, target any) Option {
	return func(c *construction) {
		match, err := matcher(target)
		known := c.runtime.errorNames
		switch {
		case name == "" || strings.ContainsAny(name, ", \t\n"):
			err = fmt.Errorf("resil.WithErrorName(%q, ...): the name must not be empty and have no spaces and commas", name)
		case err != nil:
			err = fmt.Errorf("resil.WithErrorName(%q, ...): %w", name, err)
		case known[name] != nil:
			err = fmt.Errorf("resil.WithErrorName(%q, ...): the name has a meaning already; choose another one", name)
		default:
			known[name] = match
			return
		}
		c.errs = append(c.errs, err)
	}
}

// matcher returns what tells whether an error is meant by target.
func matcher(target any) (func(error) bool, error) {
	const right = "it must be an error, the zero value of an error's type or a func(error) bool"
	switch target := target.(type) {
	case nil:
		return nil, errors.New("the target is nil; " + right)
	case func(error) bool:
		if target == nil {
			return nil, errors.New("the target is a nil function; " + right)
		}
		return target, nil
	case error:
		v := reflect.ValueOf(target)
		if v.IsZero() {
			return ofDynamicType(v.Type()), nil
		}
		if !v.Comparable() {
			return nil, fmt.Errorf("the target is a %T, and two of them cannot be compared; give the zero value of the type",
				target)
		}
		return is(target), nil
	}
	return nil, fmt.Errorf("the target is a %T; %s", target, right)
}

// ofDynamicType is ofType for a type that is known at run time only.
func ofDynamicType(t reflect.Type) func(error) bool {
	return func(err error) bool {
		found := reflect.New(t)
		return !isNil(reflect.ValueOf(err)) && errors.As(err, found.Interface()) && !isNil(found.Elem())
	}
}

// isNil reports whether v is nil, of a type that can be.
func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// rule returns the rule that names stand for, and those that nobody knows, which match nothing. No names are no rule.
func (rt *Runtime) rule(names Names) (rule policy.ErrorRule, unknown []Named) {
	var texts []string
	var matches []func(error) bool
	for _, name := range names {
		texts = append(texts, name.Text)
		if match := rt.errorNames[name.Text]; match != nil {
			matches = append(matches, match)
		} else {
			unknown = append(unknown, name)
		}
	}
	if len(names) == 0 {
		return policy.ErrorRule{}, nil
	}
	return policy.ErrorRule{
		Text: strings.Join(texts, ","),
		Match: func(err error) bool {
			return slices.ContainsFunc(matches, func(match func(error) bool) bool { return match(err) })
		},
	}, unknown
}

// unknownError warns of a name of a rule that nobody knows.
func (rt *Runtime) unknownError(name Named) Warning {
	hint := ""
	if near := spelling.Nearest(name.Text, slices.Sorted(maps.Keys(rt.errorNames))); near != "" {
		hint = fmt.Sprintf("did you mean %q? or ", near)
	}
	return Warning{name.Position, fmt.Sprintf("nothing is known as %q, so it matches no error; %s"+
		"write resil.WithErrorName(%[1]q, ...) in resil.New", name.Text, hint)}
}
