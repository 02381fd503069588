package generatedtest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/resilgen/resilgen/generator/generatedtest"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// file is a result that is read later.
type file struct {
	io.Reader
	ctx    context.Context
	closed int
}

func (f *file) Close() error { f.closed++; return nil }

func newFile(ctx context.Context, text string) *file {
	return &file{Reader: strings.NewReader(text), ctx: ctx}
}

// shelf is a Files made of functions.
type shelf struct {
	open  func(ctx context.Context) (io.ReadCloser, error)
	fetch func(ctx context.Context) (*Object, error)
	lease func() (*Lease, Pass, error)
	send  func(from io.Reader) error
}

func (s *shelf) Open(ctx context.Context, _ string) (io.ReadCloser, error) { return s.open(ctx) }
func (s *shelf) Detached(ctx context.Context, _ string) (io.ReadCloser, int, error) {
	file, err := s.open(ctx)
	return file, 7, err
}
func (s *shelf) Fetch(ctx context.Context, _ string) (*Object, error) { return s.fetch(ctx) }
func (s *shelf) Lease(context.Context) (*Lease, Pass, error)          { return s.lease() }
func (s *shelf) Send(_ context.Context, from io.Reader) error         { return s.send(from) }
func (s *shelf) Put(r *http.Request) error                            { return s.send(r.Body) }

func newFiles(t *testing.T, next Files) (*ResilientFiles, *resil.Runtime) {
	rt, err := resil.New()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	files, err := NewResilientFiles(next, rt)
	require.NoError(t, err)
	return files, rt
}

func TestDroppedResultIsClosedAfterItWasConsumedAndTheLastOneStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		Noted = nil
		var opened []*file
		files, rt := newFiles(t, &shelf{open: func(ctx context.Context) (io.ReadCloser, error) {
			for _, before := range opened {
				require.Equal(t, 1, before.closed, "before the next attempt")
				require.NotEmpty(t, Noted, "and after it was consumed")
			}
			opened = append(opened, newFile(ctx, ""))
			return opened[len(opened)-1], nil
		}})
		got, err := files.Open(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, []int{1, 2}, Noted)
		require.Len(t, opened, 3)
		require.Zero(t, opened[2].closed)

		limit, _ := rt.Bulkhead("files")
		require.Equal(t, 1, limit.Metrics().AvailableConcurrentCalls, "its slot is free before it is closed")
		require.NoError(t, opened[2].ctx.Err())
		require.NoError(t, got.Close())
		require.ErrorIs(t, opened[2].ctx.Err(), context.Canceled)
	})
}

func TestResultBesideAnErrorIsClosedWhereThereIsOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var opened []*file
		next := &shelf{fetch: func(ctx context.Context) (*Object, error) {
			if len(opened) == 1 {
				opened = append(opened, nil)
				return nil, io.EOF
			}
			opened = append(opened, newFile(ctx, "text"))
			return &Object{Body: opened[len(opened)-1]}, io.EOF
		}}
		files, _ := newFiles(t, next)
		object, err := files.Fetch(t.Context(), "a")
		require.True(t, err == io.EOF)
		require.Len(t, opened, 3)
		require.Equal(t, 1, opened[0].closed)
		rest, _ := io.ReadAll(opened[0])
		require.Empty(t, rest, "drained")
		require.Zero(t, opened[2].closed, "the last one is the caller's")
		require.NoError(t, object.Body.Close())

		leases, passes := 0, 0
		next.lease = func() (*Lease, Pass, error) { return &Lease{&leases}, Pass{&passes}, io.EOF }
		lease, _, err := files.Lease(t.Context())
		require.True(t, err == io.EOF)
		require.NotNil(t, lease)
		require.Equal(t, 2, leases)
		require.Zero(t, passes, "a value beside an error is none")
	})
}

func TestDetachedResultKeepsItsContextAndALateOneIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var opened *file
		next := &shelf{open: func(ctx context.Context) (io.ReadCloser, error) {
			opened = newFile(ctx, "text")
			return opened, nil
		}}
		files, _ := newFiles(t, next)
		got, n, err := files.Detached(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, 7, n)
		require.NoError(t, opened.ctx.Err())
		require.NoError(t, got.Close())
		require.ErrorIs(t, opened.ctx.Err(), context.Canceled)

		got, _, err = files.Detached(t.Context(), "a")
		require.NoError(t, err)
		time.Sleep(time.Second)
		synctest.Wait()
		require.ErrorIs(t, context.Cause(opened.ctx), timelimiter.ErrTimeout, "nobody has closed it in time")
		require.NoError(t, got.Close())

		next.open = func(ctx context.Context) (io.ReadCloser, error) {
			time.Sleep(time.Minute)
			opened = newFile(ctx, "text")
			return opened, nil
		}
		got, _, err = files.Detached(t.Context(), "a")
		require.ErrorIs(t, err, timelimiter.ErrTimeout)
		require.Nil(t, got)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Equal(t, 1, opened.closed)
	})
}

func TestReplayableArgumentsAreGivenToEachAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		from := strings.NewReader("stock")
		var sent []string
		next := &shelf{send: func(r io.Reader) error {
			if seeker, ok := r.(io.Seeker); ok {
				_, _ = seeker.Seek(0, io.SeekStart)
			}
			text, _ := io.ReadAll(r)
			sent = append(sent, string(text))
			return io.EOF
		}}
		files, _ := newFiles(t, next)
		require.True(t, files.Send(t.Context(), from) == io.EOF)
		require.Equal(t, []string{"stock", "stock", "stock"}, sent)

		sent = nil
		once := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/", io.MultiReader(strings.NewReader("stock")))
		require.True(t, files.Put(once) == io.EOF)
		require.Equal(t, []string{"stock", "", ""}, sent, "the body as it is")
	})
}

// screen is a Screen with both of the optional interfaces.
type screen struct {
	plainScreen
	flushed int
}

func (s *screen) Flush()           { s.flushed++ }
func (s *screen) Size() (int, int) { return 80, 25 }

type plainScreen struct{}

func (plainScreen) Draw(context.Context, string) error     { return nil }
func (plainScreen) Split() (left, right Screen, err error) { return nil, nil, nil }

func TestForwardedInterfaceIsThatOfTheWrappedValue(t *testing.T) {
	t.Parallel()
	rt, err := resil.New()
	require.NoError(t, err)
	defer rt.Close()
	next := new(screen)
	var wrapper Screen
	wrapper, err = NewResilientScreen(next, rt)
	require.NoError(t, err)
	wrapper.(http.Flusher).Flush()
	require.Equal(t, 1, next.flushed)
	width, height := wrapper.(Sizer).Size()
	require.Equal(t, []int{80, 25}, []int{width, height})
}

func TestConstructorRefusesAValueWithoutTheForwardedInterface(t *testing.T) {
	t.Parallel()
	rt, err := resil.New()
	require.NoError(t, err)
	defer rt.Close()
	wrapper, err := NewResilientScreen(plainScreen{}, rt)
	require.Nil(t, wrapper)
	require.EqualError(t, err, "resil: next is a generatedtest_test.plainScreen, which is no http.Flusher; the wrapper of "+
		"generatedtest.Screen forwards that interface, so wrap a value that implements it, or take forward=http.Flusher off")
}
