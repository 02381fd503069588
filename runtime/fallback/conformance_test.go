package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/fallback"
)

// The facts are those of Resilience4j's FallbackMethodTest and FallbackExecutorTest. 75 to 77 are about signatures,
// which the generator and the compiler check.

// A chain of types as Java's exceptions have it: every numberFormat is an illegalArgument by its own As.
type (
	illegalState    struct{}
	illegalArgument struct{}
	numberFormat    struct{}
)

func (illegalState) Error() string    { return "illegal state" }
func (illegalArgument) Error() string { return "illegal argument" }
func (numberFormat) Error() string    { return "number format" }
func (numberFormat) As(target any) bool {
	_, ok := target.(*illegalArgument)
	return ok
}

func TestFact74HandlerIsPickedByType(t *testing.T) {
	t.Parallel()
	handlers := []fallback.Handler[string]{onType[illegalState]("state"), onType[illegalArgument]("argument")}
	require.Equal(t, "state", pick(t, t.Context(), illegalState{}, handlers...))
	require.Equal(t, "argument", pick(t, t.Context(), illegalArgument{}, handlers...))
	require.Equal(t, "argument", pick(t, t.Context(), numberFormat{}, handlers...), "the nearest that it also is")
	require.Empty(t, pick(t, t.Context(), errBoom, handlers...), "the same error object comes back")
}

func TestFact76FirstOfTwoHandlersForOneTypeIsPicked(t *testing.T) {
	t.Parallel()
	require.Equal(t, "one", pick(t, t.Context(), illegalState{}, onType[illegalState]("one"), onType[illegalState]("two")))
}

func TestFact78ErrorOfTheFallbackIsNotWrapped(t *testing.T) {
	t.Parallel()
	_, err := fallback.Do(t.Context(), newFallback(t), func(context.Context) (int, error) { return 0, errBoom },
		fallback.Otherwise("unknown", func(_ context.Context, cause error) (int, error) { return 0, fmt.Errorf("stock: %w", cause) }))
	require.EqualError(t, err, "stock: boom")
	require.ErrorIs(t, err, errBoom)
}

func TestFact78CallWithoutHandlersIsTheCall(t *testing.T) {
	t.Parallel()
	n, err := fallback.Do(t.Context(), newFallback(t), func(context.Context) (int, error) { return 7, nil })
	require.NoError(t, err)
	require.Equal(t, 7, n)
}

// resilience4j issues 780, 863, 989 and 1740: a fallback ran for every error, and was wanted when the breaker is open.
func TestHandlerForRefusalsLeavesOtherErrorsAlone(t *testing.T) {
	t.Parallel()
	open := onType[*openError]("open")
	require.Equal(t, "open", pick(t, t.Context(), &openError{"db"}, open))
	require.Empty(t, pick(t, t.Context(), errBoom, open))
}

// resilience4j issues 691 and 766: errors of fallbacks came wrapped.
func TestHandlerMayReturnTheErrorThatItWasGiven(t *testing.T) {
	t.Parallel()
	f := newFallback(t)
	original := errors.Join(errBoom, errMissing)
	_, err := fallback.Do(t.Context(), f, func(context.Context) (int, error) { return 0, original },
		fallback.Otherwise("unknown", func(_ context.Context, cause error) (int, error) { return -1, cause }))
	require.True(t, err == original)
	require.Equal(t, []fallback.HandlerMetrics{{Handler: "unknown", Failed: 1}}, f.Metrics().Handlers)
}

// resilience4j issues 1357 and 1969: what belongs to the caller was gone in the fallback.
func TestHandlerIsGivenTheCallersContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "caller")
	got, err := fallback.Do(ctx, newFallback(t), func(context.Context) (any, error) { return nil, errBoom },
		fallback.Otherwise("unknown", func(ctx context.Context, _ error) (any, error) { return ctx.Value(key{}), nil }))
	require.NoError(t, err)
	require.Equal(t, "caller", got)
}
