package httpcall_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/httpcall"
)

// stream is a body that can be sent once.
type stream struct {
	io.Reader
	closed int
}

func (s *stream) Close() error { s.closed++; return nil }

func newRequest(t *testing.T, body io.Reader) *http.Request {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/", body)
	require.NoError(t, err)
	return r
}

func TestRequestWithoutABodyIsReused(t *testing.T) {
	t.Parallel()
	for _, r := range []*http.Request{newRequest(t, nil), newRequest(t, http.NoBody), nil} {
		require.True(t, httpcall.Repeatable(r))
		require.True(t, httpcall.Rearm(r) == r)
	}
}

func TestRequestWithGetBodyIsCopiedWithAFreshBody(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]io.Reader{
		"buffer": bytes.NewBufferString("stock"), "bytes": bytes.NewReader([]byte("stock")), "string": strings.NewReader("stock"),
	} {
		r := newRequest(t, body)
		r.Header.Set("X-Tenant", "acme")
		require.True(t, httpcall.Repeatable(r), name)
		before := r.Body
		for range 2 {
			sent, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			require.Equal(t, "stock", string(sent), name)
			again := httpcall.Rearm(r)
			require.False(t, again == r, name)
			require.True(t, r.Context() == again.Context(), name)
			require.Equal(t, "acme", again.Header.Get("X-Tenant"), name)
			require.EqualValues(t, 5, again.ContentLength, name)
			r = again
		}
		require.False(t, r.Body == before, name)
	}
}

func TestBodyOfTheAttemptBeforeIsClosed(t *testing.T) {
	t.Parallel()
	first := &stream{Reader: strings.NewReader("stock")}
	r := newRequest(t, first)
	r.GetBody = func() (io.ReadCloser, error) { return &stream{Reader: strings.NewReader("stock")}, nil }
	again := httpcall.Rearm(r)
	require.Equal(t, 1, first.closed)
	require.True(t, r.Body == first, "the request of the caller stays as it was")
	require.Zero(t, again.Body.(*stream).closed)
}

func TestBodyThatCanBeSentOnceIsNotRepeatable(t *testing.T) {
	t.Parallel()
	once := &stream{Reader: strings.NewReader("stock")}
	r := newRequest(t, once)
	require.False(t, httpcall.Repeatable(r))
	require.True(t, httpcall.Rearm(r) == r)
	require.Zero(t, once.closed)
}

func TestErrorOfGetBodyIsThatOfTheAttempt(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer server.Close()
	failure := errors.New("the file has gone")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("stock"))
	require.NoError(t, err)
	r.GetBody = func() (io.ReadCloser, error) { return nil, failure }
	_, err = server.Client().Transport.RoundTrip(httpcall.Rearm(r))
	require.ErrorIs(t, err, failure)
}

func TestCloseBodyClosesWhatIsThere(t *testing.T) {
	t.Parallel()
	body := &stream{Reader: strings.NewReader("stock")}
	httpcall.CloseBody(newRequest(t, body))
	require.Equal(t, 1, body.closed)
	httpcall.CloseBody(newRequest(t, nil))
	httpcall.CloseBody(newRequest(t, http.NoBody))
	httpcall.CloseBody(nil)
}
