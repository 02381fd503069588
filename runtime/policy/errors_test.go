package policy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
)

// codeError's methods need a value behind the pointer.
type codeError struct{ code int }

func (e *codeError) Error() string        { return fmt.Sprint("code ", e.code) }
func (e *codeError) Is(target error) bool { return target == errTeapot && e.code == 418 }
func (e *codeError) As(target any) bool {
	if t, ok := target.(*statusError); ok {
		*t = statusError(e.code)
		return true
	}
	return false
}

type statusError int

func (e statusError) Error() string { return "status" }

// listError is an error type that cannot be compared.
type listError []string

func (e listError) Error() string { return e[0] }

var errTeapot = errors.New("teapot")

func TestErrorIsFoundWhereverItStandsInTheTree(t *testing.T) {
	t.Parallel()
	inner := &codeError{418}
	for name, err := range map[string]error{
		"alone":         inner,
		"wrapped twice": fmt.Errorf("b: %w", fmt.Errorf("a: %w", inner)),
		"joined":        errors.Join(errors.New("other"), inner),
		"marked":        policy.MarkInner(inner),
	} {
		found, ok := policy.As[*codeError](err)
		require.True(t, ok, name)
		require.Same(t, inner, found, name)
		status, ok := policy.As[statusError](err)
		require.True(t, ok, "%s: by its own As", name)
		require.Equal(t, statusError(418), status)
		require.True(t, policy.Is(err, errTeapot), "%s: by its own Is", name)
		require.True(t, policy.Is(err, inner), name)
		_, ok = policy.As[listError](err)
		require.False(t, ok, name)
		require.False(t, policy.Is(err, context.Canceled), name)
	}
}

func TestTypedNilIsFoundByNoTypeAndPanicsNowhere(t *testing.T) {
	t.Parallel()
	var pointer *codeError
	var slice listError
	for name, err := range map[string]error{"pointer": pointer, "slice": slice} {
		_, ok := policy.As[*codeError](err)
		require.False(t, ok, name)
		_, ok = policy.As[listError](err)
		require.False(t, ok, name)
		_, ok = policy.As[statusError](err)
		require.False(t, ok, name)
		_, ok = policy.As[error](err)
		require.False(t, ok, name)
		require.False(t, policy.Is(err, errTeapot), name)
	}
	require.True(t, policy.Is(pointer, pointer), "it is itself")
	require.NotPanics(t, func() { require.False(t, policy.Is(slice, slice)) }, "what cannot be compared is never equal")

	wrapped := fmt.Errorf("client: %w", error(pointer))
	_, ok := policy.As[*codeError](wrapped)
	require.False(t, ok, "also further down")
}

func TestNilIsFoundByNothing(t *testing.T) {
	t.Parallel()
	_, ok := policy.As[*codeError](nil)
	require.False(t, ok)
	require.False(t, policy.Is(nil, errTeapot))
	require.True(t, policy.Is(nil, nil))
}

func TestOnlyTheCallersCancellationIsOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		require.False(t, policy.Cancelled(t.Context()))

		expired, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		time.Sleep(2 * time.Second)
		require.False(t, policy.Cancelled(expired), "a deadline that ran out is no cancellation")

		gone, leave := context.WithCancelCause(t.Context())
		leave(errors.New("client left"))
		require.True(t, policy.Cancelled(gone))
		child, cancelChild := context.WithTimeout(gone, time.Hour)
		defer cancelChild()
		require.True(t, policy.Cancelled(child))

		require.True(t, policy.Cancelled(ownContext{t.Context(), fmt.Errorf("rpc: %w", context.Canceled)}))
	})
}

// ownContext is a context that ends in an error of its own.
type ownContext struct {
	context.Context
	err error
}

func (c ownContext) Err() error { return c.err }

func TestErrorRuleThatIsAbsentMatchesNothing(t *testing.T) {
	t.Parallel()
	require.True(t, policy.ErrorRule{}.IsZero())
	require.False(t, policy.ErrorRule{}.Matches(errTeapot))
	rule := policy.ErrorRule{Match: func(err error) bool { return err == errTeapot }, Text: "errTeapot"}
	require.False(t, rule.IsZero())
	require.True(t, rule.Matches(errTeapot))
	require.False(t, rule.Matches(context.Canceled))
}

func TestEndedIsTheCauseAndTheContextsOwnError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("shutting down")
	cancel(reason)
	require.ErrorIs(t, policy.Ended(ctx), reason)
	require.ErrorIs(t, policy.Ended(ctx), context.Canceled)

	plain, stop := context.WithCancel(t.Context())
	stop()
	require.True(t, policy.Ended(plain) == context.Canceled, "nothing is added to what says it already")
}

func TestRuleOfIsNamedAfterItsFunction(t *testing.T) {
	t.Parallel()
	require.True(t, policy.RuleOf(nil).IsZero())
	rule := policy.RuleOf(isEOF)
	require.Equal(t, "github.com/resilgen/resilgen/runtime/policy_test.isEOF", rule.Text)
	require.True(t, rule.Matches(io.EOF))
}

func isEOF(err error) bool { return err == io.EOF }
