package generatedtest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/resilgen/resilgen/generator/generatedtest"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// failer is a Picks whose methods all end in its error.
type failer struct{ err error }

func (f failer) Types(context.Context) (string, error)         { return "half", f.err }
func (f failer) Interfaces(context.Context) (string, error)    { return "half", f.err }
func (f failer) Values(context.Context) (string, error)        { return "half", f.err }
func (f failer) Any(context.Context) (string, error)           { return "half", f.err }
func (f failer) Cancellable(context.Context) (string, error)   { return "half", f.err }
func (f failer) Failing(context.Context) (string, error)       { return "half", f.err }
func (f failer) Forms(context.Context, string) (string, error) { return "half", f.err }

// timeoutError is a Timeouter and no net.Error.
type timeoutError struct{}

func (timeoutError) Error() string { return "timed out" }
func (timeoutError) Timeout() bool { return true }

func newPicks(t *testing.T, next Picks) *ResilientPicks {
	rt, err := resil.New()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	picks, err := NewResilientPicks(next, rt)
	require.NoError(t, err)
	return picks
}

func TestFallbackIsPickedAsASwitchWouldBeWritten(t *testing.T) {
	t.Parallel()
	api, quota := &APIError{503}, QuotaError{10}
	wrapped := func(err error) error { return fmt.Errorf("outer: %w", fmt.Errorf("inner: %w", err)) }
	urlError := func(err error) error { return &url.Error{Op: "Get", URL: "http://localhost", Err: err} }

	for _, test := range []struct {
		name string
		call func(Picks, context.Context) (string, error)
		err  error
		want string
	}{
		{"concrete type", Picks.Types, api, "api 503"},
		{"concrete type wrapped twice", Picks.Types, wrapped(api), "api 503"},
		{"concrete type in a join", Picks.Types, errors.Join(io.EOF, api), "api 503"},
		{"two concrete types: the listed order decides", Picks.Types, errors.Join(api, quota), "quota 10"},
		{"an error with its own As", Picks.Types, ForeignError{7}, "api 7"},
		{"concrete type deeper than an interface", Picks.Interfaces, urlError(api), "api 503"},
		{"narrower interface before wider", Picks.Interfaces, urlError(io.EOF), "net false"},
		{"wider interface where the narrower does not fit", Picks.Interfaces, timeoutError{}, "timeouter true"},
		{"value of the package", Picks.Values, wrapped(ErrMissing), "missing"},
		{"value by the error's own Is", Picks.Values, QuotaError{0}, "missing"},
		{"value of an imported package", Picks.Values, wrapped(io.EOF), "EOF"},
		{"value of a package that is not imported", Picks.Values, wrapped(sql.ErrNoRows), "no rows"},
		{"error comes last wherever it is listed", Picks.Any, wrapped(api), "api 503"},
		{"error takes the rest", Picks.Any, io.EOF, "any *errors.errorString"},
		{"a typed nil goes to error", Picks.Any, (*APIError)(nil), "any *generatedtest.APIError"},
		{"a typed nil of a type whose methods would panic", Picks.Any, (*url.Error)(nil), "any *url.Error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer, err := test.call(newPicks(t, failer{test.err}), t.Context())
			require.NoError(t, err)
			require.Equal(t, test.want, answer)
		})
	}
}

func TestErrorWithoutHandlerIsReturnedUnchanged(t *testing.T) {
	t.Parallel()
	for _, original := range []error{io.ErrUnexpectedEOF, (*url.Error)(nil)} {
		answer, err := newPicks(t, failer{original}).Types(t.Context())
		require.True(t, err == original, "the very same error value")
		require.Equal(t, "half", answer, "and the result beside it")
	}
}

func TestFallbackIsGivenWhatItAsksFor(t *testing.T) {
	t.Parallel()
	answer, err := newPicks(t, failer{ErrMissing}).Forms(t.Context(), "with ")
	require.NoError(t, err)
	require.Equal(t, "with params", answer)
	answer, err = newPicks(t, failer{io.EOF}).Forms(t.Context(), "with ")
	require.NoError(t, err)
	require.Equal(t, "error EOF", answer)
}

func TestFallbacksOwnErrorIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	answer, err := newPicks(t, failer{io.EOF}).Failing(t.Context())
	require.True(t, err == ErrOwn)
	require.Equal(t, "half", answer)
}

func TestCancelledCallerIsAnsweredOnlyByAHandlerThatNamesIt(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	asked := fmt.Errorf("asking: %w", context.Canceled)

	answer, err := newPicks(t, failer{asked}).Cancellable(cancelled)
	require.NoError(t, err)
	require.Equal(t, "cancelled", answer)

	_, err = newPicks(t, failer{asked}).Any(cancelled)
	require.True(t, err == asked, "no handler names context.Canceled")

	_, err = newPicks(t, failer{io.EOF}).Cancellable(cancelled)
	require.True(t, err == io.EOF, "the caller has gone, whatever the error")

	expired, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	answer, err = newPicks(t, failer{context.DeadlineExceeded}).Any(expired)
	require.NoError(t, err)
	require.Equal(t, "any context.deadlineExceededError", answer, "a deadline is no cancellation")

	answer, err = newPicks(t, failer{context.Canceled}).Cancellable(t.Context())
	require.NoError(t, err)
	require.Equal(t, "cancelled", answer, "a cancellation further inside is an error like any other")
}

func TestAnswersAreCountedAndPublished(t *testing.T) {
	t.Parallel()
	rt, err := resil.New()
	require.NoError(t, err)
	defer rt.Close()
	var events []string
	rt.Subscribe(func(e policy.Event) { events = append(events, e.String()) })
	picks, err := NewResilientPicks(failer{&APIError{503}}, rt)
	require.NoError(t, err)

	_, _ = picks.Any(t.Context())
	_, _ = picks.Failing(t.Context())
	require.Equal(t, []string{
		`fallback "generatedtest.Picks.Any" ANSWERED handler=onAPI error="api error 503"`,
		`fallback "generatedtest.Picks.Failing" FALLBACK_FAILED handler=failing error="the fallback's own error"`,
	}, events)
	account, ok := rt.Fallback("generatedtest.Picks.Any")
	require.True(t, ok)
	require.EqualValues(t, 1, account.Metrics().Handlers[0].Answered)
}
