package limiter_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// A far is a backend whose limit is shared by all limiters of one name.
type far struct {
	mu     sync.Mutex
	shared map[string]*shared
	down   error
}

type shared struct {
	far    *far
	left   int
	config limiter.Config
	waited []time.Duration
	closed chan struct{}
}

func (f *far) Decider(name string, config limiter.Config) (limiter.Decider, error) {
	if name == "forbidden" {
		return nil, errors.New("no such limit")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shared == nil {
		f.shared = map[string]*shared{}
	}
	if f.shared[name] == nil {
		f.shared[name] = &shared{far: f, left: config.LimitForPeriod, config: config, closed: make(chan struct{})}
	}
	return f.shared[name], nil
}

func (s *shared) Acquire(ctx context.Context, n int, wait time.Duration) (limiter.Answer, error) {
	s.far.mu.Lock()
	defer s.far.mu.Unlock()
	s.waited = append(s.waited, wait)
	switch {
	case s.far.down != nil:
		return limiter.Answer{}, s.far.down
	case s.left >= n:
		s.left -= n
		return limiter.Answer{Granted: true}, nil
	case wait == 0:
		return limiter.Answer{RetryAfter: time.Minute}, nil
	}
	s.far.mu.Unlock()
	defer s.far.mu.Lock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return limiter.Answer{RetryAfter: -1}, nil
	case <-ctx.Done():
		return limiter.Answer{}, ctx.Err()
	case <-s.closed:
		return limiter.Answer{}, policy.ErrClosed
	}
}

func (s *shared) Available(context.Context) (int64, error) { return int64(s.left), s.far.down }

func (s *shared) Drain(context.Context) (int64, error) {
	left := s.left
	if s.far.down == nil {
		s.left = 0
	}
	return int64(left), s.far.down
}

func (s *shared) Reconfigure(config limiter.Config) error { s.config = config; return s.far.down }

func (s *shared) Close() error { close(s.closed); return nil }

func remote(t *testing.T, f *far, options ...limiter.Option) *limiter.Limiter {
	t.Helper()
	l, err := limiter.NewWithBackend("orders", f, append([]limiter.Option{
		limiter.WithLimitForPeriod(2), limiter.WithLimitRefreshPeriod(time.Minute), limiter.WithBackend("far"),
	}, options...)...)
	require.NoError(t, err)
	return l
}

func TestLimitersOfOneNameShareTheLimitOfTheirBackend(t *testing.T) {
	t.Parallel()
	f := &far{}
	one := remote(t, f, limiter.WithTimeoutDuration(0))
	two := remote(t, f, limiter.WithTimeoutDuration(0))
	other, err := limiter.NewWithBackend("stock", f)
	require.NoError(t, err)
	require.NoError(t, one.Acquire(t.Context(), 1))
	require.True(t, two.TryAcquire(1))
	refused := one.Acquire(t.Context(), 1)
	require.EqualError(t, refused, `ratelimiter "orders" does not permit further calls`)
	wait, known := refused.(policy.Refusal).RetryAfter()
	require.True(t, known)
	require.InDelta(t, time.Minute, wait, float64(10*time.Second))
	_, err = two.Reserve(1)
	require.ErrorIs(t, err, limiter.ErrExceeded)
	require.NoError(t, other.Acquire(t.Context(), 1), "another name is another limit")
	require.NoError(t, one.Acquire(t.Context(), 0), "nothing is asked for nothing")
	m := one.Metrics()
	require.EqualValues(t, 1, m.AdmittedCalls)
	require.EqualValues(t, 1, m.RefusedCalls)
}

func TestBackendIsToldHowLongACallMayWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &far{}
		l := remote(t, f, limiter.WithTimeoutDuration(10*time.Second))
		require.True(t, l.TryAcquire(1))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, l.Acquire(ctx, 1))
		end := <-acquiring(t.Context(), l, 1)
		require.ErrorIs(t, end.err, limiter.ErrExceeded)
		_, known := end.err.(policy.Refusal).RetryAfter()
		require.False(t, known)
		require.Equal(t, 10*time.Second, end.after)
		require.Equal(t, []time.Duration{0, time.Second - 1, 10 * time.Second}, f.shared["orders"].waited)
	})
}

func TestBackendThatDoesNotAnswerIsNoFailureOfTheCall(t *testing.T) {
	t.Parallel()
	f := &far{}
	l := remote(t, f)
	seen := events(l)
	f.down = errors.New("connection refused")
	err := l.Acquire(t.Context(), 1)
	require.ErrorIs(t, err, limiter.ErrUnanswered)
	require.ErrorIs(t, err, f.down)
	require.EqualError(t, err, `ratelimiter "orders" got no answer from its backend: connection refused`)
	require.True(t, policy.Marked(policy.InnerRefusal(err)), "an outer circuit breaker counts it neither way")
	require.Equal(t, policy.FailedAcquire, (*seen)[0].Type)
	require.False(t, l.TryAcquire(1))
	_, err = l.Available(t.Context())
	require.ErrorIs(t, err, limiter.ErrUnanswered)
	l.Drain()
	require.EqualValues(t, 3, l.Metrics().UnansweredCalls)
	require.ErrorIs(t, l.Reconfigure(l.Config()), f.down)

	f.down = nil
	available, err := l.Available(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, available)
	l.Drain()
	require.False(t, l.TryAcquire(1))
}

func TestCancelledOrClosedCallsLeaveTheBackend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := remote(t, &far{})
		require.True(t, l.TryAcquire(2))
		ctx, cancel := context.WithCancel(t.Context())
		first, second := acquiring(ctx, l, 1), acquiring(t.Context(), l, 1)
		synctest.Wait()
		require.Equal(t, 2, l.Metrics().WaitingCalls)
		cancel()
		require.ErrorIs(t, (<-first).err, context.Canceled)
		require.NoError(t, l.Close())
		require.NoError(t, l.Close())
		require.ErrorIs(t, (<-second).err, policy.ErrClosed)
		require.ErrorIs(t, (<-acquiring(t.Context(), l, 1)).err, limiter.ErrExceeded)
		require.ErrorIs(t, l.Acquire(ctx, 1), context.Canceled, "the backend is not asked")
	})
}

func TestChangedSettingsReachTheBackend(t *testing.T) {
	t.Parallel()
	f := &far{}
	l := remote(t, f)
	change(t, l, limiter.WithLimitForPeriod(9))
	require.Equal(t, 9, f.shared["orders"].config.LimitForPeriod)
	require.Equal(t, 9, l.Config().LimitForPeriod)
	config := l.Config()
	config.Backend = "elsewhere"
	require.EqualError(t, l.Reconfigure(config),
		`ratelimiter "orders": backend is "elsewhere"; it must stay "far" as long as the instance lives`)
}

func TestBackendIsNotForgotten(t *testing.T) {
	t.Parallel()
	_, err := limiter.New("orders", limiter.WithBackend("far"))
	require.ErrorContains(t, err, `backend is "far"; New decides in this process only`)
	_, err = limiter.NewWithBackend("orders", nil, limiter.WithBackend("far"))
	require.Error(t, err)
	_, err = limiter.NewWithBackend("forbidden", &far{})
	require.EqualError(t, err, `ratelimiter "forbidden": no such limit`)
	l, err := limiter.NewWithBackend("orders", nil)
	require.NoError(t, err)
	available, err := l.Available(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 50, available)
}
