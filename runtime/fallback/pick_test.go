package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/policy"
)

// openError stands for a refusal of a policy.
type openError struct{ name string }

func (e *openError) Error() string { return e.name + " is open" }

// codeError's methods need a value behind the pointer, and it is more than it looks like.
type codeError struct{ code int }

func (e *codeError) Error() string        { return fmt.Sprint("code ", e.code) }
func (e *codeError) Is(target error) bool { return e.code == 404 && target == errMissing }
func (e *codeError) As(target any) bool {
	if t, ok := target.(**openError); ok && e.code == 503 {
		*t = &openError{"remote"}
		return true
	}
	return false
}

type (
	timeouter interface {
		error
		Timeout() bool
	}
	coder interface {
		error
		Code() int
	}
	anyError interface{ error }
)

// codedTimeout is both a timeouter and a coder.
type codedTimeout struct{}

func (codedTimeout) Error() string { return "coded timeout" }
func (codedTimeout) Timeout() bool { return true }
func (codedTimeout) Code() int     { return 408 }

// answer returns a handler's function that answers with its name.
func answer[E error](name string) func(context.Context, E) (string, error) {
	return func(context.Context, E) (string, error) { return name, nil }
}

func onType[E error](name string) fallback.Handler[string] {
	return fallback.OnType(name, answer[E](name))
}

func onError(name string, targets ...error) fallback.Handler[string] {
	return fallback.OnError(name, answer[error](name), targets...)
}

func otherwise(name string) fallback.Handler[string] {
	return fallback.Otherwise(name, answer[error](name))
}

func never(context.Context, error) (string, error) { panic("this handler must not run") }

// pick returns the name of the handler that answers err, or "" with err itself.
func pick(t *testing.T, ctx context.Context, err error, handlers ...fallback.Handler[string]) string {
	t.Helper()
	f := newFallback(t)
	name, got := fallback.Do(ctx, f, func(context.Context) (string, error) { return "", err }, handlers...)
	if name == "" {
		require.True(t, same(got, err), "the very error comes back, not %v", got)
		require.Empty(t, f.Metrics().Handlers)
		return ""
	}
	require.NoError(t, got)
	require.Equal(t, []fallback.HandlerMetrics{{Handler: name, Answered: 1}}, f.Metrics().Handlers)
	return name
}

func same(a, b error) bool { return a == b }

func TestHandlerIsPickedByTheErrorsTypeAndValue(t *testing.T) {
	t.Parallel()
	open, missing, unknown := onType[*openError]("open"), onError("missing", errMissing), otherwise("unknown")
	all := []fallback.Handler[string]{missing, open, unknown}
	tests := []struct {
		name     string
		err      error
		handlers []fallback.Handler[string]
		want     string
	}{
		{"a value", errMissing, all, "missing"},
		{"a type", &openError{"db"}, all, "open"},
		{"neither", errBoom, all, "unknown"},
		{"neither, and nobody takes all", errBoom, all[:2], ""},
		{"no handler at all", errBoom, nil, ""},
		{"wrapped twice by %w", fmt.Errorf("b: %w", fmt.Errorf("a: %w", &openError{"db"})), all, "open"},
		{"joined", errors.Join(errBoom, &openError{"db"}), all, "open"},
		{"both in the tree: the order decides", errors.Join(&openError{"db"}, errMissing), all, "missing"},
		{"both in the tree, the other order", errors.Join(&openError{"db"}, errMissing),
			[]fallback.Handler[string]{open, missing, unknown}, "open"},
		{"the catch-all is last wherever it stands", errMissing, []fallback.Handler[string]{unknown, missing}, "missing"},
		{"one of several values", io.EOF, []fallback.Handler[string]{onError("io", os.ErrClosed, io.EOF)}, "io"},
		{"no value at all", io.EOF, []fallback.Handler[string]{onError("none")}, ""},
		{"by its own Is", &codeError{404}, all, "missing"},
		{"by its own As", &codeError{503}, all, "open"},
		{"its own As and Is say no", &codeError{500}, all, "unknown"},
		{"error as the type is the catch-all", errBoom, []fallback.Handler[string]{onType[error]("all")}, "all"},
		{"a catch-all goes after an interface", codedTimeout{},
			[]fallback.Handler[string]{onType[error]("all"), onType[timeouter]("timeout")}, "timeout"},
		{"the first catch-all", errBoom, []fallback.Handler[string]{otherwise("one"), otherwise("two")}, "one"},
		{"a zero handler answers nothing", errBoom, []fallback.Handler[string]{{}, unknown}, "unknown"},
		{"marked by an inner layer", policy.MarkInner(&openError{"db"}), all, "open"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, pick(t, t.Context(), test.err, test.handlers...))
		})
	}
}

func TestPredicateStandsInOrderWithTypesAndValues(t *testing.T) {
	t.Parallel()
	matched := fallback.OnMatch("matched", answer[error]("matched"), func(err error) bool { return err.Error() == "missing" })
	missing := onError("missing", errMissing)
	require.Equal(t, "matched", pick(t, t.Context(), errMissing, matched, missing))
	require.Equal(t, "missing", pick(t, t.Context(), errMissing, missing, matched))
	require.Equal(t, "matched", pick(t, t.Context(), errMissing, otherwise("unknown"), onType[anyError]("any"), matched))
	require.Empty(t, pick(t, t.Context(), errBoom, matched))
}

// A *url.Error is a net.Error, so an interface must not be asked before a concrete type deeper in the tree was.
func TestConcreteTypeDeeperInTheTreeGoesBeforeAnInterface(t *testing.T) {
	t.Parallel()
	var outer net.Error = &url.Error{Op: "Get", URL: "http://inventory", Err: &openError{"db"}}
	require.Equal(t, "open", pick(t, t.Context(), outer, onType[net.Error]("network"), onType[*openError]("open")))
	require.Equal(t, "missing", pick(t, t.Context(), &url.Error{Err: errMissing}, onType[net.Error]("network"), onError("missing", errMissing)))
	require.Equal(t, "network", pick(t, t.Context(), &url.Error{Err: errBoom}, onType[net.Error]("network"), onType[*openError]("open")))
}

func TestNarrowerInterfaceGoesBeforeAWiderOne(t *testing.T) {
	t.Parallel()
	wide, narrow, code := onType[timeouter]("wide"), onType[net.Error]("narrow"), onType[coder]("code")
	anything := onType[anyError]("anything")
	network := &net.DNSError{IsTimeout: true}
	for _, handlers := range [][]fallback.Handler[string]{{wide, narrow}, {narrow, wide}, {anything, wide, narrow}} {
		require.Equal(t, "narrow", pick(t, t.Context(), network, handlers...))
	}
	require.Equal(t, "wide", pick(t, t.Context(), codedTimeout{}, anything, wide, narrow), "it is no net.Error")
	require.Equal(t, "anything", pick(t, t.Context(), errBoom, wide, narrow, anything))

	require.Equal(t, "code", pick(t, t.Context(), codedTimeout{}, code, wide), "neither is narrower: the order decides")
	require.Equal(t, "wide", pick(t, t.Context(), codedTimeout{}, wide, code))
	require.Equal(t, "code", pick(t, t.Context(), codedTimeout{}, wide, code, narrow),
		"wide has to wait for narrow, and code need not")
	require.Equal(t, "first", pick(t, t.Context(), network, onType[net.Error]("first"), onType[net.Error]("second")))
}

func TestTypedNilGoesToTheCatchAll(t *testing.T) {
	t.Parallel()
	var none *codeError
	matched := fallback.OnMatch("matched", never, func(err error) bool { return err.Error() != "" })
	handlers := []fallback.Handler[string]{
		onType[*codeError]("code"), onError("missing", errMissing), matched, onType[anyError]("any"), otherwise("unknown"),
	}
	require.Equal(t, "unknown", pick(t, t.Context(), error(none), handlers...))
	require.Empty(t, pick(t, t.Context(), error(none), handlers[:4]...))
	require.Equal(t, "unknown", pick(t, t.Context(), fmt.Errorf("client: %w", error(none)), onType[*codeError]("code"), otherwise("unknown")))
}

func TestOnlyAHandlerThatNamesCancellationRunsForACancelledCaller(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	cancelled := fmt.Errorf("client: %w", context.Canceled)
	missing := fallback.OnError("missing", never, errMissing)
	others := []fallback.Handler[string]{
		missing,
		fallback.OnType("any", func(ctx context.Context, err anyError) (string, error) { return never(ctx, err) }),
		fallback.OnMatch("match", never, func(error) bool { return true }),
		fallback.Otherwise("unknown", never),
	}
	require.Empty(t, pick(t, gone, cancelled, others...))
	require.Empty(t, pick(t, gone, errMissing, others...))
	require.Equal(t, "left", pick(t, gone, cancelled, append(others, onError("left", context.Canceled))...))
	require.Equal(t, "left", pick(t, gone, cancelled, onError("left", errMissing, context.Canceled)))
	require.Empty(t, pick(t, gone, errMissing, onError("left", errMissing, context.Canceled)), "it is named for its other error")
}

func TestExpiredCallerIsAnswered(t *testing.T) {
	t.Parallel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()
	require.Equal(t, "unknown", pick(t, late, late.Err(), otherwise("unknown")))
}

func TestCancellationOfSomebodyElsesIsAnErrorAsAnyOther(t *testing.T) {
	t.Parallel()
	require.Equal(t, "unknown", pick(t, t.Context(), context.Canceled, otherwise("unknown")))
	require.Equal(t, "left", pick(t, t.Context(), context.Canceled, otherwise("unknown"), onError("left", context.Canceled)))
}

func TestHandlerIsGivenTheErrorItNames(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "caller")
	inner := &openError{"db"}
	outer := fmt.Errorf("client: %w", inner)
	call := func(context.Context) (int, error) { return 7, outer }
	n, err := fallback.Do(ctx, newFallback(t), call, fallback.OnType("open", func(ctx context.Context, e *openError) (int, error) {
		require.Same(t, inner, e)
		require.Equal(t, "caller", ctx.Value(key{}), "the caller's own context")
		return -1, nil
	}))
	require.NoError(t, err)
	require.Equal(t, -1, n)
	_, err = fallback.Do(ctx, newFallback(t), call, fallback.OnError("open", func(_ context.Context, e error) (int, error) {
		require.True(t, e == outer, "all of it")
		return -1, nil
	}, inner))
	require.NoError(t, err)
}

func TestErrorOfAHandlerIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	f := newFallback(t)
	second := fallback.Otherwise("unknown", func(context.Context, error) (int, error) { panic("one handler answers, or none") })
	n, err := fallback.Do(t.Context(), f, func(context.Context) (int, error) { return 7, errMissing },
		fallback.OnError("missing", func(context.Context, error) (int, error) { return -1, errOwn }, errMissing), second)
	require.True(t, err == errOwn)
	require.Equal(t, -1, n)
	require.Equal(t, []fallback.HandlerMetrics{{Handler: "missing", Failed: 1}}, f.Metrics().Handlers)
}

func TestResultOfAnUnansweredCallComesWithItsError(t *testing.T) {
	t.Parallel()
	n, err := fallback.Do(t.Context(), newFallback(t), func(context.Context) (int, error) { return 7, policy.MarkInner(errBoom) })
	require.True(t, err == errBoom, "unmarked")
	require.Equal(t, 7, n)
}

func TestPanicsAreNeverHandedToAHandler(t *testing.T) {
	t.Parallel()
	f := newFallback(t)
	handler := fallback.Otherwise("unknown", func(context.Context, error) (int, error) { panic("handler ran") })
	require.PanicsWithValue(t, errBoom, func() {
		_, _ = fallback.Do(t.Context(), f, func(context.Context) (int, error) { panic(errBoom) }, handler)
	})
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_, _ = fallback.Do(t.Context(), f, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }, handler)
	}()
	<-exited
	require.PanicsWithValue(t, "handler ran", func() {
		_, _ = fallback.Do(t.Context(), f, func(context.Context) (int, error) { return 0, errBoom }, handler)
	}, "and that of a handler passes too")
	require.Empty(t, f.Metrics().Handlers)
}

func TestCallWithoutAResultIsAnswered(t *testing.T) {
	t.Parallel()
	f := newFallback(t)
	open := fallback.OnType("open", fallback.NoResult(func(_ context.Context, e *openError) error {
		require.Equal(t, "db", e.name)
		return nil
	}))
	require.Equal(t, "open", open.Name())
	failing := func(err error) func(context.Context) error { return func(context.Context) error { return err } }
	require.NoError(t, fallback.Run(t.Context(), f, failing(&openError{"db"}), open))
	require.True(t, fallback.Run(t.Context(), f, failing(errBoom), open) == errBoom)
	require.NoError(t, fallback.Run(t.Context(), f, failing(nil), open))
	require.Equal(t, []fallback.HandlerMetrics{{Handler: "open", Answered: 1}}, f.Metrics().Handlers)
}

func TestDecoratedCallIsAnswered(t *testing.T) {
	t.Parallel()
	call := fallback.Decorate(newFallback(t), func(context.Context) (string, error) { return "", errMissing },
		onError("missing", errMissing))
	for range 2 {
		got, err := call(t.Context())
		require.NoError(t, err)
		require.Equal(t, "missing", got)
	}
}

func TestHandlerWithoutAFunctionPanicsWhenItIsMade(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "fallback: OnType needs a function, not nil", func() { fallback.OnType[*openError, int]("a", nil) })
	require.PanicsWithValue(t, "fallback: OnType needs a function, not nil", func() { fallback.OnType[error, int]("a", nil) })
	require.PanicsWithValue(t, "fallback: OnError needs a function, not nil", func() { fallback.OnError[int]("a", nil) })
	require.PanicsWithValue(t, "fallback: OnMatch needs two functions, not nil", func() { fallback.OnMatch("a", never, nil) })
	require.PanicsWithValue(t, "fallback: Otherwise needs a function, not nil", func() { fallback.Otherwise[int]("a", nil) })
}
