package redislimiter_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

var ctxDeadline = context.DeadlineExceeded

func contextFor(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// A counter counts the scripts that a client sends and, while it is held, keeps them from going.
type counter struct {
	calls atomic.Int64
	gate  sync.RWMutex
}

func (c *counter) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "evalsha" || cmd.Name() == "eval" {
			c.calls.Add(1)
			c.gate.RLock()
			defer c.gate.RUnlock()
		}
		return next(ctx, cmd)
	}
}

func (c *counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func counted(t *testing.T) (*redis.Client, *counter) {
	c, n := client(t), &counter{}
	c.AddHook(n)
	return c, n
}

func TestConcurrentAcquisitionsShareCalls(t *testing.T) {
	t.Parallel()
	c, sent := counted(t)
	l := made(t, c, named(t), rate(100, time.Minute, redislimiter.WithCallTimeout(30*time.Second))...)
	require.True(t, try(t, l, 1))
	before := sent.calls.Load()
	sent.gate.Lock()
	var granted, refused atomic.Int64
	var all sync.WaitGroup
	for range 120 {
		all.Go(func() {
			ok, err := l.TryAcquire(t.Context(), 1)
			switch {
			case err != nil:
				t.Error(err)
			case ok:
				granted.Add(1)
			default:
				refused.Add(1)
			}
		})
	}
	require.Eventually(t, func() bool { return redislimiter.Standing(l) == 120 }, 10*time.Second, time.Millisecond)
	sent.gate.Unlock()
	all.Wait()
	require.EqualValues(t, 99, granted.Load())
	require.EqualValues(t, 21, refused.Load())
	require.LessOrEqual(t, sent.calls.Load()-before, int64(4))
}

func TestClientThatKeepsToDeadlinesIsCalledOnTheCallersGoroutine(t *testing.T) {
	t.Parallel()
	options := *client(t).Options()
	options.ContextTimeoutEnabled = true
	c := redis.NewClient(&options)
	defer c.Close()
	l := made(t, c, named(t), rate(40, 100*time.Millisecond, redislimiter.WithCallTimeout(10*time.Second))...)
	require.True(t, try(t, l, 40))
	require.False(t, try(t, l, 1))
	require.NoError(t, l.Acquire(t.Context(), 1))
	all := grants(t, []*redislimiter.RateLimiter{l}, 3, 400*time.Millisecond)
	require.LessOrEqual(t, mostWithin(all, 99*time.Millisecond), 40)
	require.Greater(t, len(all), 10)
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			if err := l.Acquire(t.Context(), 2); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestThoseWhoWaitAreServedInOrder(t *testing.T) {
	t.Parallel()
	c, sent := counted(t)
	l := made(t, c, named(t), rate(4, 200*time.Millisecond)...)
	require.True(t, try(t, l, 4))
	var mu sync.Mutex
	var order []int
	var all sync.WaitGroup
	before := sent.calls.Load()
	for i, n := range []int{3, 1, 4, 2, 2, 1, 3} {
		all.Go(func() {
			if err := l.Acquire(t.Context(), n); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
		})
		require.Eventually(t, func() bool { return redislimiter.Standing(l) == i+1 }, 10*time.Second, 100*time.Microsecond)
	}
	all.Wait()
	// Those of one answer wake together, in any order.
	for _, group := range [][]int{{0, 1}, {2}, {3, 4}, {5, 6}} {
		require.ElementsMatch(t, group, order[:len(group)])
		order = order[len(group):]
	}
	require.LessOrEqual(t, sent.calls.Load()-before, int64(20))
}

func TestManyWhoWaitMakeFewCalls(t *testing.T) {
	t.Parallel()
	c, sent := counted(t)
	l := made(t, c, named(t), rate(50, 250*time.Millisecond)...)
	for range 50 { // so that they come back one after the other
		require.True(t, try(t, l, 1))
		time.Sleep(2 * time.Millisecond)
	}
	before := sent.calls.Load()
	var grants atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for range 3 {
				if err := l.Acquire(t.Context(), 1); err != nil {
					t.Error(err)
				}
				grants.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 192, grants.Load())
	require.LessOrEqual(t, sent.calls.Load()-before, 2*grants.Load())
}

func TestWhoGivesUpLeavesTheLine(t *testing.T) {
	t.Parallel()
	l := made(t, client(t), named(t), rate(10, time.Minute)...)
	require.True(t, try(t, l, 7))
	ctx, cancel := context.WithCancelCause(t.Context())
	first := make(chan error, 1)
	go func() { first <- l.Acquire(ctx, 5) }()
	require.Eventually(t, func() bool { return redislimiter.Sleeping(l) }, 10*time.Second, time.Millisecond)
	second := make(chan error, 1)
	go func() { second <- l.Acquire(t.Context(), 3) }()
	require.Eventually(t, func() bool { return redislimiter.Standing(l) == 2 }, 10*time.Second, time.Millisecond)
	require.False(t, try(t, l, 1), "who does not wait does not overtake those who do")
	gone := errors.New("gone")
	cancel(gone)
	err := <-first
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, gone)
	require.NoError(t, <-second, "it moves up at once")
	require.Zero(t, left(t, l))
}

func TestPermitsOfWhoGivesUpDuringTheCallAreGivenBack(t *testing.T) {
	t.Parallel()
	c, sent := counted(t)
	l := made(t, c, named(t), rate(10, time.Minute, redislimiter.WithCallTimeout(30*time.Second))...)
	require.True(t, try(t, l, 1))
	before := sent.calls.Load()
	sent.gate.Lock()
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan error, 1)
	go func() { end <- l.Acquire(ctx, 5) }()
	require.Eventually(t, func() bool { return sent.calls.Load() > before }, 10*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-end, context.Canceled)
	sent.gate.Unlock()
	require.Eventually(t, func() bool { return left(t, l) == 9 }, 10*time.Second, time.Millisecond)
}

func TestWhatCannotBeInTimeIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	l := made(t, client(t), named(t), rate(2, time.Hour)...)
	require.True(t, try(t, l, 2))
	ok, err := l.TryAcquireFor(t.Context(), 1, time.Minute)
	require.NoError(t, err)
	require.False(t, ok)
	ctx, cancel := contextFor(t, time.Minute)
	defer cancel()
	require.ErrorIs(t, l.Acquire(ctx, 1), context.DeadlineExceeded)
	require.NoError(t, ctx.Err(), "it did not wait for it")
	ok, err = l.TryAcquireFor(t.Context(), 1, -time.Second)
	require.NoError(t, err)
	require.False(t, ok)
	cancel()
	_, err = l.TryAcquire(ctx, 1)
	require.ErrorIs(t, err, context.Canceled)
}

func TestWaitEndsWhenThePermitsAreBack(t *testing.T) {
	t.Parallel()
	l := made(t, client(t), named(t), rate(2, 150*time.Millisecond)...)
	start := time.Now()
	require.True(t, try(t, l, 2))
	ok, err := l.TryAcquireFor(t.Context(), 2, time.Hour)
	require.NoError(t, err)
	require.True(t, ok)
	require.GreaterOrEqual(t, time.Since(start), 149*time.Millisecond)
}

func TestReleaseWakesThoseWhoWait(t *testing.T) {
	t.Parallel()
	l := made(t, client(t), named(t), rate(2, time.Hour)...)
	require.True(t, try(t, l, 2))
	end := make(chan error, 1)
	go func() { end <- l.Acquire(t.Context(), 1) }()
	require.Eventually(t, func() bool { return redislimiter.Sleeping(l) }, 10*time.Second, time.Millisecond)
	require.NoError(t, l.Release(t.Context(), 1))
	require.NoError(t, <-end)
}

func TestRateThatIsLoweredEndsWaitsForMore(t *testing.T) {
	t.Parallel()
	l := made(t, client(t), named(t), rate(5, time.Hour)...)
	require.True(t, try(t, l, 5))
	end := make(chan error, 1)
	go func() { end <- l.Acquire(t.Context(), 4) }()
	require.Eventually(t, func() bool { return redislimiter.Sleeping(l) }, 10*time.Second, time.Millisecond)
	require.NoError(t, l.SetRate(t.Context(), redislimiter.Config{Rate: 3, Interval: time.Hour}, redislimiter.KeepState))
	require.ErrorIs(t, <-end, redislimiter.ErrExceedsRate)
}

func TestCloseEndsWaits(t *testing.T) {
	t.Parallel()
	l := made(t, client(t), named(t), rate(1, time.Hour)...)
	require.True(t, try(t, l, 1))
	end := make(chan error, 1)
	go func() { end <- l.Acquire(t.Context(), 1) }()
	require.Eventually(t, func() bool { return redislimiter.Sleeping(l) }, 10*time.Second, time.Millisecond)
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-end, policy.ErrClosed)
	ok, err := l.TryAcquireFor(t.Context(), 1, 2*time.Hour)
	require.NoError(t, err)
	require.False(t, ok, "it does not wait any more")
	require.ErrorIs(t, l.Acquire(t.Context(), 1), policy.ErrClosed)
	require.NoError(t, l.Close())
}

func TestRefusalsAreRememberedOnRequest(t *testing.T) {
	t.Parallel()
	c, sent := counted(t)
	l := made(t, c, named(t), rate(10, time.Hour, redislimiter.WithDenialCache(time.Hour))...)
	require.True(t, try(t, l, 8))
	require.False(t, try(t, l, 3))
	before := sent.calls.Load()
	require.False(t, try(t, l, 3))
	require.False(t, try(t, l, 10))
	require.Equal(t, before, sent.calls.Load(), "no call")
	require.True(t, try(t, l, 2), "less may be there")
	require.NoError(t, l.Release(t.Context(), 5))
	require.True(t, try(t, l, 5), "what this process gives back is seen at once")
}

// A mute server is one that takes connections, and never answers.
func mute(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		var held []net.Conn
		for {
			c, err := listener.Accept()
			if err != nil {
				for _, c := range held {
					c.Close()
				}
				return
			}
			held = append(held, c)
		}
	}()
	return listener.Addr().String()
}

func TestBudgetOfACallHoldsAgainstAServerThatStandsStill(t *testing.T) {
	t.Parallel()
	for name, keeps := range map[string]bool{"a client with its own timeouts": false, "a client that keeps to deadlines": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			standsStill(t, redis.NewClient(&redis.Options{Addr: mute(t), ReadTimeout: time.Hour, PoolTimeout: time.Hour,
				ContextTimeoutEnabled: keeps}))
		})
	}
}

func standsStill(t *testing.T, c *redis.Client) {
	l, err := redislimiter.New(c, named(t), rate(10, time.Minute, redislimiter.WithCallTimeout(20*time.Millisecond))...)
	require.NoError(t, err)
	start := time.Now()
	for range 3 {
		_, err := l.TryAcquire(t.Context(), 1)
		require.ErrorIs(t, err, redislimiter.ErrUnknownOutcome)
	}
	require.Less(t, time.Since(start), 10*time.Second, "the client's own limit is an hour")
	start = time.Now()
	for range 1000 {
		_, err := l.TryAcquire(t.Context(), 1)
		if !errors.Is(err, redislimiter.ErrUnavailable) && !errors.Is(err, redislimiter.ErrUnknownOutcome) {
			t.Fatal(err)
		}
	}
	require.Less(t, time.Since(start), 10*time.Second, "a call that Redis is not asked for costs no time out")
	_, err = l.AvailablePermits(t.Context())
	require.Error(t, err)
	require.NoError(t, l.Close())
	require.NoError(t, c.Close())
}

func TestDeadServerIsAnsweredForAtOnceAndComesBackWithoutARestart(t *testing.T) {
	t.Parallel()
	options := *client(t).Options()
	options.DialerRetries = 1
	var dead atomic.Bool
	dead.Store(true)
	options.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dead.Load() {
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	c := redis.NewClient(&options)
	defer c.Close()
	l := made(t, c, named(t), rate(10, time.Minute)...)
	for range 20 {
		_, err := l.TryAcquire(t.Context(), 1)
		require.ErrorIs(t, err, redislimiter.ErrUnavailable)
	}
	dead.Store(false)
	require.Eventually(t, func() bool {
		ok, err := l.TryAcquire(t.Context(), 1)
		return ok && err == nil
	}, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, 9, left(t, l), "calls that failed have taken nothing")
}

// A mutter is a connection whose answers are lost once it is told so.
type mutter struct {
	net.Conn
	lost *atomic.Bool
}

func (m mutter) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	if err == nil && m.lost.Load() {
		m.Close()
		return 0, errors.New("connection reset by peer")
	}
	return n, err
}

func TestRequestWhoseAnswerIsLostIsNotSentAgain(t *testing.T) {
	t.Parallel()
	sound := client(t)
	options := *sound.Options()
	var lost atomic.Bool
	options.MaxRetries = 5
	options.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		return mutter{c, &lost}, err
	}
	c := redis.NewClient(&options)
	defer c.Close()
	l := made(t, c, named(t), rate(10, time.Minute)...)
	require.True(t, try(t, l, 1))
	lost.Store(true)
	_, err := l.TryAcquire(t.Context(), 1)
	require.ErrorIs(t, err, redislimiter.ErrUnknownOutcome)
	lost.Store(false)
	require.Equal(t, 8, left(t, made(t, sound, named(t))), "one permit, not six")
}
