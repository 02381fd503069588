package policy_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
)

type mark = policy.Mark

// fullError is a refusal as the policies have them: made once, returned many times.
type fullError struct {
	mark
	name string
}

func newFullError(name string) *fullError {
	e := &fullError{name: name}
	policy.InitMark(&e.mark, e)
	return e
}

func (e *fullError) Error() string                     { return e.name + " is full" }
func (e *fullError) Name() string                      { return e.name }
func (e *fullError) RetryAfter() (time.Duration, bool) { return 0, false }
func (e *fullError) Rejected() bool                    { return true }

// plainRefusal is a refusal of somebody who knows nothing of marks.
type plainRefusal struct{ rejected bool }

func (plainRefusal) Error() string                     { return "refused" }
func (plainRefusal) Name() string                      { return "plain" }
func (plainRefusal) RetryAfter() (time.Duration, bool) { return 0, false }
func (r plainRefusal) Rejected() bool                  { return r.rejected }

// annotated is an error type of a client's that embeds a refusal to say more about it.
type annotated struct {
	*fullError
	tags []string
}

func TestMarkIsPutOnAndTakenOffWithoutALoss(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"a refusal that embeds a Mark":          newFullError("stock"),
		"a refusal that does not":               plainRefusal{rejected: true},
		"any other error":                       errors.New("boom"),
		"a Mark that was never tied":            &fullError{name: "stock"},
		"a type that embeds a refusal":          &annotated{fullError: newFullError("stock")},
		"a value that embeds it, uncomparable ": annotated{newFullError("stock"), []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.False(t, policy.Marked(err))
			marked := policy.MarkInner(err)
			require.True(t, policy.Marked(marked))
			require.Equal(t, err.Error(), marked.Error())
			require.Equal(t, err, policy.Unmark(marked), "the very error comes back")
			require.Equal(t, marked, policy.MarkInner(marked), "marking twice is marking once")
			require.Equal(t, err, policy.Unmark(err))
		})
	}
	require.NoError(t, policy.MarkInner(nil))
	require.NoError(t, policy.Unmark(nil))
	require.False(t, policy.Marked(nil))
}

func TestMarkedErrorIsStillFoundByTypeAndValue(t *testing.T) {
	t.Parallel()
	err := newFullError("stock")
	marked := policy.MarkInner(err)
	require.ErrorIs(t, marked, error(err))
	found, ok := policy.As[*fullError](marked)
	require.True(t, ok)
	require.Same(t, err, found)
	refusal, ok := policy.As[policy.Refusal](marked)
	require.True(t, ok)
	require.Equal(t, "stock", refusal.Name())
}

func TestWrappedMarkIsNoMark(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("client: %w", policy.MarkInner(newFullError("stock")))
	require.False(t, policy.Marked(wrapped), "who wraps an error makes it its own")
	require.Equal(t, wrapped, policy.Unmark(wrapped))
	joined := errors.Join(policy.MarkInner(newFullError("stock")))
	require.False(t, policy.Marked(joined))
	again := policy.MarkInner(wrapped)
	require.True(t, policy.Marked(again))
	require.Equal(t, wrapped, policy.Unmark(again))
}

func TestOnlyARefusalItselfIsAnInnerRefusal(t *testing.T) {
	t.Parallel()
	refusal := newFullError("stock")
	require.True(t, policy.Marked(policy.InnerRefusal(refusal)))
	require.True(t, policy.Marked(policy.InnerRefusal(plainRefusal{rejected: true})))
	var none *fullError
	for name, err := range map[string]error{
		"another error":                   errors.New("boom"),
		"one that wraps a refusal":        fmt.Errorf("client: %w", refusal),
		"one that was not rejected":       plainRefusal{},
		"a typed nil of a refusal's type": none,
	} {
		require.False(t, policy.Marked(policy.InnerRefusal(err)), name)
	}
	require.NoError(t, policy.InnerRefusal(nil))
}

func TestMarkingARefusalThatEmbedsAMarkAllocatesNothing(t *testing.T) {
	var err error = newFullError("stock")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		inner := policy.InnerRefusal(err)
		if !policy.Marked(inner) || policy.Unmark(inner) != err {
			t.Error("the mark was lost")
		}
	}))
}
