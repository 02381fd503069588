package resil

import (
	"errors"
	"fmt"
	"strings"

	"github.com/resilgen/resilgen/runtime/internal/spelling"
	"github.com/resilgen/resilgen/runtime/policy"
)

// ErrClosed is what a constructor gets from a closed [Runtime], and a call that was waiting inside a policy when its
// runtime was closed. It is [policy.ErrClosed].
var ErrClosed = policy.ErrClosed

// NilNext returns the error of a generated constructor that was given nothing to wrap. The label is the package and the
// interface, as in inventory.Client.
func NilNext(label string) error {
	return fmt.Errorf("resil: next is nil; the wrapper of %s needs the %[1]s whose calls it is to protect", label)
}

// WrappedTwice returns the error of a generated constructor that was given a wrapper of its own type, around which each
// policy would count, limit and retry every call a second time.
func WrappedTwice(label string) error {
	return fmt.Errorf("resil: next is a wrapper of %s already; wrap the client itself, once", label)
}

// NotForwarded returns the error of a generated constructor whose next does not implement an interface that the wrapper
// forwards: a wrapper that had its methods all the same would promise what nobody keeps. The interface is named as in
// http.Flusher.
func NotForwarded(label, forward string, next any) error {
	return fmt.Errorf("resil: next is a %T, which is no %s; the wrapper of %s forwards that interface, so wrap a value that "+
		"implements it, or take forward=%[2]s off", next, forward, label)
}

// withoutRuntime returns the error of a constructor that was given a nil runtime.
func withoutRuntime(at site) error {
	return fmt.Errorf("resil: the wrapper of %s needs a runtime, not nil; "+
		"use resil.New, resil.Default or resil.Passthrough", at.label)
}

// conflict returns the error for a key to which two places give different values for one instance.
func conflict(kind policy.Kind, name, key, value, place, other, otherPlace string) error {
	if place == otherPlace {
		return fmt.Errorf("%s %q: %s is %s and %s at %s; give it one value or two names",
			kind, name, key, value, other, place)
	}
	return fmt.Errorf("%s %q: %s is %s at %s and %s at %s; give them one value or two names",
		kind, name, key, value, place, other, otherPlace)
}

// knows reports whether an annotation may name the configuration. A passthrough runtime, in which no configuration has
// an effect, was told none and takes them all.
func (s *store[T, C]) knows(configuration string) bool {
	_, coded := s.configurations[configuration]
	_, stated := s.spoken.named()[configuration]
	return coded || stated || s.runtime.passthrough
}

// unknown says that there is no such configuration, and what there is.
func (s *store[T, C]) unknown(configuration string) string {
	known := s.configurationNames()
	hint := ""
	if near := spelling.Nearest(configuration, known); near != "" {
		hint = fmt.Sprintf(" did you mean %q?", near)
	}
	return fmt.Sprintf("there is no configuration %q;%s known are %s", configuration, hint, strings.Join(known, ", "))
}

// flat returns the errors that are joined in err.
func flat(err error) []error {
	if err == nil {
		return nil
	}
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var errs []error
	for _, e := range several.Unwrap() {
		errs = append(errs, flat(e)...)
	}
	return errs
}

// placed is an error with the place in a document where it stands.
type placed struct {
	place string
	error
}

func (p *placed) Error() string { return p.place + ": " + p.error.Error() }
func (p *placed) Unwrap() error { return p.error }

// prefixed returns the errors that are joined in err, each of them beginning with what it is about, or with its place.
func prefixed(err error, format string, args ...any) []error {
	errs := flat(err)
	for i, err := range errs {
		if p, ok := err.(*placed); ok {
			errs[i] = &placed{p.place, fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), p.error)}
			continue
		}
		errs[i] = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
	}
	return errs
}

// bare returns the error of an instance without the policy and the name that it begins with.
func (s *store[T, C]) bare(name string, err error) error {
	inner := errors.Unwrap(err)
	if inner != nil && err.Error() == fmt.Sprintf("%s %q: %v", s.kind, name, inner) {
		return inner
	}
	return err
}
