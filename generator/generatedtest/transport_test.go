package generatedtest_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/resilgen/resilgen/generator/generatedtest"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// tracker sends requests and knows which bodies of responses are still open.
type tracker struct {
	next http.RoundTripper
	open atomic.Int32
	sent atomic.Int32
}

func (t *tracker) RoundTrip(r *http.Request) (*http.Response, error) {
	t.sent.Add(1)
	response, err := t.next.RoundTrip(r)
	if response != nil {
		t.open.Add(1)
		response.Body = &tracked{ReadCloser: response.Body, open: &t.open}
	}
	return response, err
}

type tracked struct {
	io.ReadCloser
	open *atomic.Int32
	once sync.Once
}

func (t *tracked) Close() error {
	t.once.Do(func() { t.open.Add(-1) })
	return t.ReadCloser.Close()
}

// service is a server, and a client of it whose transport is the wrapper.
type service struct {
	*httptest.Server
	client      *http.Client
	tracker     *tracker
	connections atomic.Int32
	runtime     *resil.Runtime
}

func serve(t *testing.T, handler http.HandlerFunc, options ...resil.Option) *service {
	s := &service{Server: httptest.NewUnstartedServer(handler)}
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	rt, err := resil.New(options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	s.tracker = &tracker{next: s.Client().Transport}
	wrapper, err := NewResilientTransport(s.tracker, rt)
	require.NoError(t, err)
	s.client, s.runtime = &http.Client{Transport: wrapper}, rt
	return s
}

// read returns what is left of a response's body, and closes it.
func read(t *testing.T, response *http.Response) string {
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return string(text)
}

func TestRequestIsSentAgainWithItsBodyUntilTheServerIsAvailable(t *testing.T) {
	t.Parallel()
	var received []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received = append(received, string(body))
		if len(received) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, strings.Repeat("busy ", 1000))
			return
		}
		_, _ = io.WriteString(w, "done")
	})
	response, err := s.client.Post(s.URL, "text/plain", strings.NewReader("stock"))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.EqualValues(t, 1, s.tracker.open.Load(), "those of the other attempts are closed")
	require.Equal(t, "done", read(t, response))
	require.Equal(t, []string{"stock", "stock", "stock"}, received)
	require.Zero(t, s.tracker.open.Load())
	require.EqualValues(t, 1, s.connections.Load(), "dropped bodies are drained, so that their connection is used again")
}

func TestLastAnswerReachesTheCallerWithItsBody(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "busy")
	})
	response, err := s.client.Get(s.URL)
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Equal(t, "busy", read(t, response))
	require.EqualValues(t, 3, s.tracker.sent.Load())
	require.Zero(t, s.tracker.open.Load())
	require.EqualValues(t, 3, breakerOf(t, s.runtime, "transport").Metrics().Failed)
}

func TestBodyThatCanBeSentOnceIsSentOnceAndNothingIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	r, _ := s.runtime.Retry("transport")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, io.MultiReader(strings.NewReader("stock")))
	require.NoError(t, err)
	require.Nil(t, request.GetBody)
	response, err := s.client.Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.NoError(t, response.Body.Close())
	require.EqualValues(t, 1, s.tracker.sent.Load())
	require.Zero(t, r.Metrics().Retries)
	require.Zero(t, s.tracker.open.Load())
}

func TestErrorOfARequestThatCanBeSentOnceIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	rt, err := resil.New()
	require.NoError(t, err)
	defer rt.Close()
	failure := errors.New("connection reset")
	calls := 0
	wrapper, err := NewResilientTransport(roundTripper(func(*http.Request) (*http.Response, error) {
		calls++
		return nil, failure
	}), rt)
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.MultiReader(strings.NewReader("stock")))
	_, err = wrapper.RoundTrip(request)
	require.True(t, err == failure)
	require.Equal(t, 1, calls)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestBodyIsReadInTheTimeOfTheLimitAfterTheCallHasReturned(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	slow := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
		select {
		case <-release:
			_, _ = io.WriteString(w, "second")
		case <-r.Context().Done():
		}
	}
	short := serve(t, slow, resil.WithTimeLimiter("transport", timelimiter.WithTimeoutDuration(200*time.Millisecond)))
	response, err := short.client.Get(short.URL)
	require.NoError(t, err)
	_, err = io.ReadAll(response.Body)
	require.ErrorIs(t, err, timelimiter.ErrTimeout)
	require.NoError(t, response.Body.Close())

	long := serve(t, slow, resil.WithTimeLimiter("transport", timelimiter.WithTimeoutDuration(time.Minute)))
	response, err = long.client.Get(long.URL)
	require.NoError(t, err)
	close(release)
	require.Equal(t, "first second", read(t, response))
	require.Zero(t, short.tracker.open.Load()+long.tracker.open.Load())
}

func TestOpenBreakerKeepsRequestsFromTheServer(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	for range 4 { // of up to three attempts
		response, err := s.client.Get(s.URL)
		if err == nil {
			require.NoError(t, response.Body.Close())
		}
	}
	require.Equal(t, breaker.Open, breakerOf(t, s.runtime, "transport").State())
	require.EqualValues(t, 10, s.tracker.sent.Load(), "the breaker opens at its tenth failure")
	_, err := s.client.Get(s.URL)
	require.ErrorIs(t, err, breaker.ErrOpen)
	require.EqualValues(t, 10, s.tracker.sent.Load())
	require.Zero(t, s.tracker.open.Load())
}

func TestCancelledRequestIsNeitherRetriedNorCounted(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	require.NoError(t, err)
	_, err = s.client.Do(request)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, 1, s.tracker.sent.Load())
	require.Zero(t, breakerOf(t, s.runtime, "transport").Metrics().Failed)
}

// doors answer every request, and let one caller stay inside.
type doors struct{ inside chan struct{} }

func (d doors) pass(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	if d.inside != nil {
		d.inside <- struct{}{}
		<-req.Context().Done()
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func (d doors) Breaker(req *http.Request) (*http.Response, error)  { return d.pass(req) }
func (d doors) Limiter(req *http.Request) (*http.Response, error)  { return d.pass(req) }
func (d doors) Bulkhead(req *http.Request) (*http.Response, error) { return d.pass(req) }
func (d doors) Pool(req *http.Request) (*http.Response, error)     { return d.pass(req) }

// upload is a body that can be sent once.
type upload struct {
	io.Reader
	closed atomic.Int32
}

func (u *upload) Close() error { u.closed.Add(1); return nil }

func TestBodyOfARefusedRequestIsClosed(t *testing.T) {
	t.Parallel()
	for door, call := range map[string]func(*ResilientDoors, *http.Request) (*http.Response, error){
		"breaker": (*ResilientDoors).Breaker, "limiter": (*ResilientDoors).Limiter,
		"bulkhead": (*ResilientDoors).Bulkhead, "pool": (*ResilientDoors).Pool,
	} {
		rt, err := resil.New()
		require.NoError(t, err)
		d := doors{}
		occupied := door == "bulkhead" || door == "pool"
		if occupied {
			d.inside = make(chan struct{})
		}
		wrapper, err := NewResilientDoors(d, rt)
		require.NoError(t, err)
		ctx, leave := context.WithCancel(t.Context())
		first, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://example.com/", nil)
		require.NoError(t, err)
		var callers sync.WaitGroup
		if occupied {
			callers.Go(func() { _, _ = call(wrapper, first) })
			<-d.inside
		} else {
			_, err = call(wrapper, first)
			require.NoError(t, err)
		}
		if b, ok := rt.Breaker("door"); ok {
			require.NoError(t, b.TransitionTo(breaker.Open))
		}
		body := &upload{Reader: strings.NewReader("stock")}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/", body)
		require.NoError(t, err)
		response, err := call(wrapper, request)
		_, refused := errors.AsType[policy.Refusal](err)
		require.True(t, refused, "%s: %v", door, err)
		require.Nil(t, response)
		require.EqualValues(t, 1, body.closed.Load(), door)
		leave()
		callers.Wait()
		require.NoError(t, rt.Close())
	}
}
