// Package generatedtest holds annotated interfaces whose generated wrappers, committed beside them, are tested as a
// user's would be: they are made by the constructor, call a next that fails on purpose, and run with the real policies.
package generatedtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

//go:generate go tool resilgen

// Errors that the tests use.
var (
	ErrMissing = errors.New("missing")
	ErrAnswer  = errors.New("an answer")
	ErrOwn     = errors.New("the fallback's own error")
)

// An APIError is a concrete error type.
type APIError struct{ Code int }

func (e *APIError) Error() string { return fmt.Sprintf("api error %d", e.Code) }

// A QuotaError is another one. It is matched by errors.Is with ErrMissing too, by its own method.
type QuotaError struct{ Limit int }

func (e QuotaError) Error() string { return fmt.Sprintf("over the quota of %d", e.Limit) }

// Is makes a quota of zero the same as nothing at all.
func (e QuotaError) Is(target error) bool { return e.Limit == 0 && target == ErrMissing }

// A ForeignError turns into an *APIError by its own As.
type ForeignError struct{ Code int }

func (e ForeignError) Error() string { return "foreign error" }

// As implements the method that errors.As asks for.
func (e ForeignError) As(target any) bool {
	if api, ok := target.(**APIError); ok {
		*api = &APIError{e.Code}
		return true
	}
	return false
}

// A Timeouter is wider than net.Error: every net.Error is one.
type Timeouter interface {
	error
	Timeout() bool
}

// Picks has one method for each rule by which a fallback is picked.
type Picks interface {
	// Types has two concrete types, the quota first.
	//
	//resil:fallback use=onQuota,onAPI
	Types(ctx context.Context) (string, error)

	// Interfaces lists the wide interface first, then the narrow one, then a concrete type.
	//
	//resil:fallback use=onTimeouter,onNetError,onAPI
	Interfaces(ctx context.Context) (string, error)

	// Values are of the package, of an imported package, and of one that no file imports.
	//
	//resil:fallback use=onMissing on=ErrMissing
	//resil:fallback use=onEOF on=io.EOF
	//resil:fallback use=onNoRows on=database/sql.ErrNoRows
	Values(ctx context.Context) (string, error)

	// Any has a handler for one type, and one for every other error.
	//
	//resil:fallback use=onAny,onAPI
	Any(ctx context.Context) (string, error)

	// Cancellable names the cancellation.
	//
	//resil:fallback use=onCanceled on=context.Canceled
	//resil:fallback use=onAny
	Cancellable(ctx context.Context) (string, error)

	// Failing has a fallback that fails.
	//
	//resil:fallback use=failing
	Failing(ctx context.Context) (string, error)

	// Forms has a handler that is given the parameters alone.
	//
	//resil:fallback use=paramsOnly on=ErrMissing
	//resil:fallback use=errorOnly
	Forms(ctx context.Context, prefix string) (string, error)
}

func onQuota(_ context.Context, err QuotaError) (string, error) {
	return fmt.Sprint("quota ", err.Limit), nil
}

func onAPI(_ context.Context, err *APIError) (string, error) {
	return fmt.Sprint("api ", err.Code), nil
}

func onTimeouter(_ context.Context, err Timeouter) (string, error) {
	return fmt.Sprint("timeouter ", err.Timeout()), nil
}

func onNetError(_ context.Context, err net.Error) (string, error) {
	return fmt.Sprint("net ", err.Timeout()), nil
}

func onMissing(context.Context, error) (string, error) { return "missing", nil }

func onEOF(context.Context, error) (string, error) { return io.EOF.Error(), nil }

func onNoRows(context.Context, error) (string, error) { return "no rows", nil }

func onAny(_ context.Context, err error) (string, error) { return fmt.Sprintf("any %T", err), nil }

func onCanceled(context.Context, error) (string, error) { return "cancelled", nil }

func failing(context.Context, error) (string, error) { return "half", ErrOwn }

func paramsOnly(_ context.Context, prefix string) (string, error) { return prefix + "params", nil }

func errorOnly(err error) (string, error) { return "error " + err.Error(), nil }

// Chain has the policies around its methods.
//
//resil:wrapper expected=ErrAnswer
type Chain interface {
	// Retried has the breaker's fallback under a retry: it answers once, after the attempts.
	//
	//resil:retry name=chain maxAttempts=3 waitDuration=10ms
	//resil:circuitbreaker name=retried slidingWindowSize=20 fallback=onOpen,onAny
	Retried(ctx context.Context) (string, error)

	// Layered has the same at the breaker's own layer, which hides the failure from the retry.
	//
	//resil:retry name=chain maxAttempts=3 waitDuration=10ms
	//resil:circuitbreaker name=layered slidingWindowSize=20 fallback=onOpen,onAny fallbackAt=layer
	Layered(ctx context.Context) (string, error)

	// Plain is a retry and a circuit breaker, and nothing else.
	//
	//resil:retry name=chain maxAttempts=3 waitDuration=10ms
	//resil:circuitbreaker name=plain slidingWindowSize=20
	Plain(ctx context.Context, id int) (int, error)

	// Limited is cut off by its time limit.
	//
	//resil:retry name=chain maxAttempts=3 waitDuration=10ms
	//resil:timelimiter name=limited timeoutDuration=50ms fallback=onTimeout
	Limited(ctx context.Context) (string, error)

	// Detached is left alone by its time limit, whatever it does.
	//
	//resil:timelimiter name=detached timeoutDuration=50ms detach=true
	Detached() (string, int, error)

	// Judged counts and retries an empty result.
	//
	//resil:retry name=judged maxAttempts=3 waitDuration=10ms retryResult=isEmpty consumeResultBeforeRetryAttempt=dropped
	//resil:circuitbreaker name=judged slidingWindowSize=4 recordResult=isEmpty transitionOnResult=banned
	Judged(ctx context.Context) (string, error)
}

func onOpen(context.Context, *breaker.OpenError) (string, error) { return "open", nil }

func onTimeout(_ context.Context, err *timelimiter.TimeoutError) (string, error) {
	return "timed out: " + err.Name(), nil
}

func isEmpty(s string) bool { return s == "" }

// Dropped counts the results that a retry dropped.
var Dropped []int

func dropped(attempt int, _ string) { Dropped = append(Dropped, attempt) }

func banned(s string, _ error) breaker.Transition {
	if s == "banned" {
		return breaker.ToOpen
	}
	return breaker.Stay
}
