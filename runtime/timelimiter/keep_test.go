package timelimiter_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// feed is a body that is read through a context: its second half comes a second after the first.
type feed struct {
	ctx    context.Context
	read   int
	closed int
	alive  bool // whether the context lived when it was closed
}

func (f *feed) Read(p []byte) (int, error) {
	if f.read > 0 {
		select {
		case <-time.After(time.Second):
		case <-f.ctx.Done():
			return 0, errBoom // in its own words
		}
	}
	if f.read++; f.read > 2 {
		return 0, io.EOF
	}
	return copy(p, "half "), nil
}

func (f *feed) Close() error {
	f.closed++
	f.alive = f.ctx.Err() == nil
	return nil
}

// A form is a way to make a call whose result is read later.
type form func(
	context.Context, *timelimiter.TimeLimiter, func(context.Context) (io.ReadCloser, error),
) (io.ReadCloser, error)

// open makes a call as generated code does.
func open(ctx context.Context, l *timelimiter.TimeLimiter, fn func(context.Context) (io.ReadCloser, error)) (io.ReadCloser, error) {
	ctx, call := l.Begin(ctx)
	defer call.Stop()
	body, err := fn(ctx)
	body = call.KeepUntilClose(body)
	return body, call.End(err)
}

// detached makes it on a goroutine of its own.
func detached(ctx context.Context, l *timelimiter.TimeLimiter, fn func(context.Context) (io.ReadCloser, error)) (io.ReadCloser, error) {
	return timelimiter.DetachUntilClose(ctx, l, fn, func(body *io.ReadCloser) *io.ReadCloser { return body })
}

// forms calls test for each form of a call, and each setting that makes a difference there.
func forms(t *testing.T, limit time.Duration, test func(
	t *testing.T, l *timelimiter.TimeLimiter, call form,
)) {
	t.Parallel()
	for name, made := range map[string]struct {
		call   form
		cancel bool
	}{"attached": {open, true}, "detached": {detached, true}, "running on": {detached, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLimiter(t, timelimiter.WithTimeoutDuration(limit), timelimiter.WithCancelRunningFuture(made.cancel))
				test(t, l, made.call)
			})
		})
	}
}

func TestBodyIsReadThroughTheContextOfTheCallUntilItIsClosed(t *testing.T) {
	forms(t, 3*time.Second, func(t *testing.T, l *timelimiter.TimeLimiter, call form) {
		var from *feed
		body, err := call(t.Context(), l, func(ctx context.Context) (io.ReadCloser, error) {
			from = &feed{ctx: ctx}
			return from, nil
		})
		require.NoError(t, err)
		text, err := io.ReadAll(body)
		require.NoError(t, err)
		require.Equal(t, "half half ", string(text))
		require.NoError(t, from.ctx.Err(), "the end of the body is not its close")
		require.NoError(t, body.Close())
		require.NoError(t, body.Close())
		require.Equal(t, 2, from.closed)
		require.ErrorIs(t, from.ctx.Err(), context.Canceled)
		require.Equal(t, timelimiter.Metrics{SuccessfulCalls: 1}, l.Metrics())
	})
}

func TestLimitEndsABodyThatIsStillRead(t *testing.T) {
	forms(t, 500*ms, func(t *testing.T, l *timelimiter.TimeLimiter, call form) {
		body, err := call(t.Context(), l, func(ctx context.Context) (io.ReadCloser, error) {
			return &feed{ctx: ctx}, nil
		})
		require.NoError(t, err)
		start := time.Now()
		text, err := io.ReadAll(body)
		require.Equal(t, "half ", string(text))
		requireTimeout(t, err)
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, 500*ms, time.Since(start))
		require.NoError(t, body.Close())
		require.Equal(t, timelimiter.Metrics{SuccessfulCalls: 1}, l.Metrics(), "the call was over")
	})
}

func TestCallersOwnEndIsNoTimeoutOfABody(t *testing.T) {
	forms(t, time.Minute, func(t *testing.T, l *timelimiter.TimeLimiter, call form) {
		ctx, cancel := context.WithCancel(t.Context())
		body, err := call(ctx, l, func(ctx context.Context) (io.ReadCloser, error) { return &feed{ctx: ctx}, nil })
		require.NoError(t, err)
		time.AfterFunc(100*ms, cancel)
		_, err = io.ReadAll(body)
		require.True(t, err == errBoom, "%v", err)
		require.NoError(t, body.Close())
	})
}

func TestErrorOfAReadAfterCloseIsNoTimeout(t *testing.T) {
	forms(t, time.Minute, func(t *testing.T, l *timelimiter.TimeLimiter, call form) {
		from := &feed{read: 1}
		body, err := call(t.Context(), l, func(ctx context.Context) (io.ReadCloser, error) {
			from.ctx = ctx
			return from, nil
		})
		require.NoError(t, err)
		require.NoError(t, body.Close())
		require.True(t, from.alive, "closed first, and not cut off")
		time.Sleep(2 * time.Minute)
		_, err = body.Read(make([]byte, 8))
		require.True(t, err == errBoom, "%v", err)
	})
}

func TestCallWithoutABodyEndsItsContext(t *testing.T) {
	forms(t, time.Minute, func(t *testing.T, l *timelimiter.TimeLimiter, call form) {
		var limited context.Context
		body, err := call(t.Context(), l, func(ctx context.Context) (io.ReadCloser, error) {
			limited = ctx
			return nil, errBoom
		})
		require.Nil(t, body)
		require.True(t, err == errBoom)
		synctest.Wait()
		require.ErrorIs(t, limited.Err(), context.Canceled)
	})
}

func TestBodyIsLeftAsItIsWhereTheCallHasNoLimitOfItsOwn(t *testing.T) {
	t.Parallel()
	from := io.NopCloser(strings.NewReader("text"))
	give := func(context.Context) (io.ReadCloser, error) { return from, nil }
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, l := range []*timelimiter.TimeLimiter{
		newLimiter(t, timelimiter.WithEnabled(false)), newLimiter(t, timelimiter.WithTimeoutDuration(time.Hour)),
	} {
		body, err := open(ctx, l, give)
		require.NoError(t, err)
		require.True(t, body == from)
		body, err = detached(ctx, l, give)
		require.NoError(t, err)
		require.True(t, body == from)
	}
}

func TestDetachedBodyOfACallWithoutItsOwnLimitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t, timelimiter.WithTimeoutDuration(time.Hour), timelimiter.WithCancelRunningFuture(false))
		ctx, cancel := context.WithTimeout(t.Context(), 500*ms)
		defer cancel()
		from := new(feed)
		body, err := detached(ctx, l, func(ctx context.Context) (io.ReadCloser, error) {
			from.ctx = ctx
			return from, nil
		})
		require.NoError(t, err)
		_, err = io.ReadAll(body)
		require.True(t, err == errBoom, "the caller's deadline, not a limit: %v", err)
		require.NoError(t, body.Close())
		require.ErrorIs(t, from.ctx.Err(), context.Canceled)
	})
}

func TestBodyThatComesWhenTheCallerHasLeftIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, cancel := range []bool{true, false} {
			l := newLimiter(t, timelimiter.WithCancelRunningFuture(cancel))
			from := new(feed)
			body, err := detached(t.Context(), l, func(ctx context.Context) (io.ReadCloser, error) {
				time.Sleep(time.Minute)
				from.ctx = ctx
				return from, nil
			})
			requireTimeout(t, err)
			require.Nil(t, body)
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			require.Equal(t, 1, from.closed)
			require.Error(t, from.ctx.Err())
			require.Zero(t, l.Metrics().AbandonedCalls)
		}
	})
}

func TestPanicOfADetachedCallWithABodyReachesTheCaller(t *testing.T) {
	t.Parallel()
	l := newLimiter(t)
	require.PanicsWithValue(t, "boom", func() {
		_, _ = detached(t.Context(), l, func(context.Context) (io.ReadCloser, error) { panic("boom") })
	})
}

// pipe is a body that can be written to.
type pipe struct {
	io.Reader
	written strings.Builder
}

func (p *pipe) Write(b []byte) (int, error) { return p.written.Write(b) }
func (p *pipe) Close() error                { return nil }

// halfPipe has an end of its own for what is written.
type halfPipe struct {
	pipe
	ended bool
}

func (p *halfPipe) CloseWrite() error { p.ended = true; return nil }

func TestBodyThatCanBeWrittenToStaysOne(t *testing.T) {
	t.Parallel()
	l := newLimiter(t)
	whole, half := new(pipe), new(halfPipe)
	for _, from := range []io.ReadWriteCloser{whole, half} {
		body, err := open(t.Context(), l, func(context.Context) (io.ReadCloser, error) { return from, nil })
		require.NoError(t, err)
		require.False(t, body == io.ReadCloser(from))
		_, err = body.(io.Writer).Write([]byte("text"))
		require.NoError(t, err)
		end, ok := body.(interface{ CloseWrite() error })
		require.Equal(t, from == io.ReadWriteCloser(half), ok)
		if ok {
			require.NoError(t, end.CloseWrite())
		}
	}
	require.Equal(t, "text", whole.written.String())
	require.Equal(t, "text", half.written.String())
	require.True(t, half.ended)

	body, err := open(t.Context(), l, func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("")), nil
	})
	require.NoError(t, err)
	_, ok := body.(io.Writer)
	require.False(t, ok)
}

func TestResponseOfARealServerIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
		select {
		case <-release:
			_, _ = io.WriteString(w, "second")
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	get := func(l *timelimiter.TimeLimiter) (*http.Response, error) {
		ctx, call := l.Begin(t.Context())
		defer call.Stop()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		response, err := server.Client().Do(request)
		if response != nil {
			response.Body = call.KeepUntilClose(response.Body)
		}
		return response, call.End(err)
	}

	short, err := get(newLimiter(t, timelimiter.WithTimeoutDuration(200*ms)))
	require.NoError(t, err)
	_, err = io.ReadAll(short.Body)
	requireTimeout(t, err)
	var network net.Error
	require.True(t, errors.As(err, &network) && network.Timeout())
	require.NoError(t, short.Body.Close())

	long, err := get(newLimiter(t, timelimiter.WithTimeoutDuration(time.Minute)))
	require.NoError(t, err)
	close(release)
	text, err := io.ReadAll(long.Body)
	require.NoError(t, err)
	require.Equal(t, "first second", string(text))
	require.NoError(t, long.Body.Close())
}
