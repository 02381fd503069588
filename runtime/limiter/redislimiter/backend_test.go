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

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// backed returns a patient backend.
func backed(c redis.UniversalClient, options ...redislimiter.Option) limiter.Backend {
	return redislimiter.Backend(c, append([]redislimiter.Option{patience}, options...)...)
}

// behind returns a limiter behind which a backend decides.
func behind(t *testing.T, b limiter.Backend, n int, period time.Duration, options ...limiter.Option) *limiter.Limiter {
	t.Helper()
	l, err := limiter.NewWithBackend(named(t), b, append([]limiter.Option{
		limiter.WithLimitForPeriod(n), limiter.WithLimitRefreshPeriod(period), limiter.WithTimeoutDuration(0),
	}, options...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

// dead returns a client of a server that refuses connections until told otherwise.
func dead(t *testing.T) (*redis.Client, *atomic.Bool) {
	options, up := *client(t).Options(), &atomic.Bool{}
	options.DialerRetries = 1
	options.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if !up.Load() {
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	c := redis.NewClient(&options)
	t.Cleanup(func() { c.Close() })
	return c, up
}

func change(t *testing.T, l *limiter.Limiter, options ...limiter.Option) {
	t.Helper()
	config := l.Config()
	for _, o := range options {
		o(&config)
	}
	require.NoError(t, l.Reconfigure(config))
}

func TestLimitersOfTwoProcessesShareOneLimit(t *testing.T) {
	t.Parallel()
	one := behind(t, backed(client(t)), 3, time.Hour)
	two := behind(t, backed(client(t)), 3, time.Hour)
	require.True(t, one.TryAcquire(2))
	require.NoError(t, two.Acquire(t.Context(), 1))
	err := one.Acquire(t.Context(), 1)
	require.ErrorIs(t, err, limiter.ErrExceeded)
	after, known := err.(policy.Refusal).RetryAfter()
	require.True(t, known)
	require.InDelta(t, time.Hour, after, float64(time.Minute))
	require.ErrorIs(t, two.Acquire(t.Context(), 4), limiter.ErrExceeded)
	available, err := two.Available(t.Context())
	require.NoError(t, err)
	require.Zero(t, available)

	elsewhere := behind(t, backed(client(t), redislimiter.WithKeyPrefix("orders:")), 3, time.Hour)
	elsewhere.Drain()
	require.False(t, elsewhere.TryAcquire(1))
	exists, err := client(t).Exists(t.Context(), redislimiter.Keys("orders:", named(t), "", 1)...).Result()
	require.NoError(t, err)
	require.EqualValues(t, 1, exists)
}

func TestSettingsThatTheBackendCannotServeAreErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		options []limiter.Option
		says    string
	}{
		{[]limiter.Option{limiter.WithAlgorithm(limiter.Smooth)}, "algorithm is SMOOTH"},
		{[]limiter.Option{limiter.WithBurst(2)}, "burst is 2"},
		{[]limiter.Option{limiter.WithLimitRefreshPeriod(time.Microsecond)}, "limitRefreshPeriod is 1µs"},
		{[]limiter.Option{limiter.WithLimitRefreshPeriod(1500 * time.Microsecond)}, "limitRefreshPeriod is 1.5ms"},
		{[]limiter.Option{limiter.WithRateType(limiter.PerClient)}, "needs WithClientID"},
		{[]limiter.Option{limiter.WithShards(51)}, "there are 51 shards"},
		{[]limiter.Option{limiter.WithKeepAliveTime(time.Millisecond)}, "the keep-alive time is 1ms"},
	} {
		options := append([]limiter.Option{limiter.WithLimitRefreshPeriod(time.Second)}, c.options...)
		_, err := limiter.NewWithBackend("name", backed(client(t)), options...)
		require.ErrorContains(t, err, c.says)
	}
	l := behind(t, backed(client(t)), 3, time.Hour, limiter.WithAlgorithm(limiter.Sliding))
	config := l.Config()
	config.Algorithm = limiter.Smooth
	require.ErrorContains(t, l.Reconfigure(config), "algorithm is SMOOTH")
}

func TestServerThatIsAwayIsWhatOnUnavailableSays(t *testing.T) {
	t.Parallel()
	c, up := dead(t)
	b := backed(c)
	l := behind(t, b, 3, time.Hour)
	for range 10 {
		err := l.Acquire(t.Context(), 1)
		require.ErrorIs(t, err, limiter.ErrUnanswered)
		require.ErrorIs(t, err, redislimiter.ErrUnavailable)
		require.True(t, policy.Marked(policy.InnerRefusal(err)), "a circuit breaker counts it neither way")
	}
	change(t, l, limiter.WithOnUnavailable(limiter.Allow))
	for range 10 {
		require.NoError(t, l.Acquire(t.Context(), 1))
	}
	change(t, l, limiter.WithOnUnavailable(limiter.Local))
	require.NoError(t, l.Acquire(t.Context(), 3))
	require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
	available, err := l.Available(t.Context())
	require.NoError(t, err)
	require.Zero(t, available)
	change(t, l, limiter.WithTimeoutDuration(time.Minute))
	require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded, "it cannot be in a minute")
	change(t, l, limiter.WithOnUnavailable(0), limiter.WithTimeoutDuration(0))
	up.Store(true)
	require.Eventually(t, func() bool { return l.Acquire(t.Context(), 1) == nil }, 20*time.Second, 10*time.Millisecond)
}

func TestRateOfTheLastOneStartedWins(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []redislimiter.RateMismatch
	process := func(n int) *limiter.Limiter {
		return behind(t, backed(client(t), redislimiter.WithRateMismatchListener(func(m redislimiter.RateMismatch) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, m)
		})), n, time.Second)
	}
	var group sync.WaitGroup
	stop := make(chan struct{})
	var all []grant
	run := func(l *limiter.Limiter) {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				began := time.Now()
				if l.TryAcquire(1) {
					mu.Lock()
					all = append(all, grant{began, time.Now(), 1})
					mu.Unlock()
				} else {
					time.Sleep(2 * time.Millisecond)
				}
			}
		})
	}
	old, older := process(100), process(100)
	run(old)
	run(older)
	time.Sleep(300 * time.Millisecond)
	run(process(200))
	time.Sleep(1200 * time.Millisecond)
	close(stop)
	group.Wait()
	require.LessOrEqual(t, mostWithin(all, 999*time.Millisecond), 200)
	require.Greater(t, len(all), 200)
	config, err := made(t, client(t), named(t)).Config(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 200, config.Rate)
	require.Len(t, seen, 1)
	require.EqualValues(t, 200, seen[0].Here.Rate)
	require.EqualValues(t, 100, seen[0].There.Rate)
	require.True(t, seen[0].Overwritten)
	require.Contains(t, seen[0].String(), "the rate here is OVERALL [200/1s], in Redis it was OVERALL [100/1s]; [200/1s] is in force")
	require.True(t, older.Config().LimitForPeriod == 100, "its own settings stay")
}

func TestRateOfTheServerIsAdopted(t *testing.T) {
	t.Parallel()
	require.True(t, behind(t, backed(client(t)), 3, time.Hour).TryAcquire(1))
	var seen []redislimiter.RateMismatch
	l := behind(t, backed(client(t), redislimiter.WithOnRateMismatch(limiter.Adopt),
		redislimiter.WithRateMismatchListener(func(m redislimiter.RateMismatch) { seen = append(seen, m) })), 30, time.Hour)
	require.True(t, l.TryAcquire(2))
	require.False(t, l.TryAcquire(1))
	require.Len(t, seen, 1)
	require.False(t, seen[0].Overwritten)
	change(t, l, limiter.WithOnRateMismatch(limiter.Overwrite))
	require.True(t, l.TryAcquire(27))
	require.False(t, l.TryAcquire(1), "what was taken stays so")
}

func TestSettingsOfTheBackendAreLive(t *testing.T) {
	t.Parallel()
	c, sent := counted(t)
	l := behind(t, backed(c, redislimiter.WithClientID("me")), 10, time.Hour)
	require.True(t, l.TryAcquire(10))
	end := make(chan error, 1)
	change(t, l, limiter.WithTimeoutDuration(2*time.Hour))
	go func() { end <- l.Acquire(t.Context(), 5) }()
	require.Eventually(t, func() bool { return l.Metrics().WaitingCalls == 1 }, 10*time.Second, time.Millisecond)
	change(t, l, limiter.WithLimitForPeriod(20))
	require.NoError(t, <-end, "who waits goes on under the new limit")
	require.True(t, l.TryAcquire(5))
	before := sent.calls.Load()
	change(t, l, limiter.WithTimeoutDuration(0))
	require.Equal(t, before, sent.calls.Load(), "Redis need not know that")
	change(t, l, limiter.WithShards(2), limiter.WithLimitForPeriod(100), limiter.WithLease(5))
	require.True(t, l.TryAcquire(1))
	change(t, l, limiter.WithShards(0), limiter.WithLease(0), limiter.WithRateType(limiter.PerClient),
		limiter.WithLimitForPeriod(4), limiter.WithKeepAliveTime(2*time.Hour))
	require.True(t, l.TryAcquire(4))
	require.False(t, l.TryAcquire(1))
	config, err := made(t, c, named(t)).Config(t.Context())
	require.NoError(t, err)
	require.Equal(t, redislimiter.Config{RateType: redislimiter.PerClient, Rate: 4, Interval: time.Hour,
		KeepAliveTime: 2 * time.Hour}, config)
}

// A watched backend shows the decider that it has made last.
type watched struct {
	limiter.Backend
	decider limiter.Decider
}

func (w *watched) Decider(name string, config limiter.Config) (limiter.Decider, error) {
	var err error
	w.decider, err = w.Backend.Decider(name, config)
	return w.decider, err
}

func TestClosedLimiterDecidesButDoesNotWait(t *testing.T) {
	t.Parallel()
	b := &watched{Backend: backed(client(t))}
	l := behind(t, b, 1, time.Hour, limiter.WithTimeoutDuration(2*time.Hour))
	require.True(t, l.TryAcquire(1))
	end := make(chan error, 1)
	go func() { end <- l.Acquire(t.Context(), 1) }()
	require.Eventually(t, func() bool { return l.Metrics().WaitingCalls == 1 }, 10*time.Second, time.Millisecond)
	standing := func() bool { return redislimiter.StandingBehind(b.decider) == 1 } // it counts as waiting on its way there
	require.Eventually(t, standing, 10*time.Second, time.Millisecond)
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-end, policy.ErrClosed)
	require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
}
