package redislimiter_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

func TestPermitsComeBackOneIntervalAfterEachWasTaken(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), rate(10, time.Second, d.option())...)
	require.True(t, try(t, l, 4))
	d.to(200)
	require.True(t, try(t, l, 3))
	d.to(700)
	require.True(t, try(t, l, 3))
	for _, at := range []struct{ ms, left int }{
		{700, 0}, {999, 0}, {1000, 4}, {1199, 4}, {1200, 7}, {1699, 7}, {1700, 10},
	} {
		d.to(at.ms)
		require.Equal(t, at.left, left(t, l), "at %d ms", at.ms)
	}
}

func TestTwoClientsTogetherNeverExceedTheLimit(t *testing.T) {
	t.Parallel()
	d, random := dialled(), rand.New(rand.NewPCG(3, 3))
	options := rate(3, 5*time.Second, d.option())
	both := []*redislimiter.RateLimiter{
		made(t, client(t), named(t), options...), made(t, client(t), named(t), options...),
	}
	var grants []time.Time
	for range 500 {
		d.add(time.Duration(random.IntN(700)) * time.Millisecond)
		if !try(t, both[random.IntN(2)], 1) {
			continue
		}
		grants = append(grants, d.read())
		if n := len(grants); n > 3 {
			require.GreaterOrEqual(t, grants[n-1].Sub(grants[n-4]), 5*time.Second, "4 in 5 s")
		}
	}
	require.Greater(t, len(grants), 90)
}

func TestMemoryIsBoundedUnderAnyLoad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		interval time.Duration
		step     time.Duration
	}{
		{"each millisecond", time.Second, time.Millisecond},
		{"each bucket", time.Minute, time.Minute / 1024},
		{"the longest exact interval", 1024 * time.Millisecond, time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, server := dialled(), client(t)
			l := made(t, server, named(t), rate(2_000_000_000, c.interval, d.option())...)
			for range 2600 {
				require.True(t, try(t, l, 1000))
				d.add(c.step)
			}
			keys, err := server.Keys(t.Context(), "*"+redislimiter.Tag(named(t))+"*").Result()
			require.NoError(t, err)
			require.Len(t, keys, 1)
			memory, err := server.MemoryUsage(t.Context(), keys[0]).Result()
			require.NoError(t, err)
			require.LessOrEqual(t, memory, int64(17_400))
			require.InDelta(t, 2_000_000_000-int(c.interval/c.step)*1000, left(t, l), 2000)
		})
	}
}

func TestNumbersThatCannotBeAreErrors(t *testing.T) {
	t.Parallel()
	l := made(t, client(t), named(t), rate(10, time.Second)...)
	for _, n := range []int{0, -1, math.MinInt, math.MaxInt32 + 1, math.MaxInt} {
		_, err := l.TryAcquire(t.Context(), n)
		require.ErrorIs(t, err, redislimiter.ErrPermits, n)
		require.ErrorIs(t, l.Acquire(t.Context(), n), redislimiter.ErrPermits)
		_, err = l.AcquireAtMost(t.Context(), n)
		require.ErrorIs(t, err, redislimiter.ErrPermits)
		_, err = l.Reserve(t.Context(), n)
		require.ErrorIs(t, err, redislimiter.ErrPermits)
		if n != 0 {
			require.ErrorIs(t, l.Release(t.Context(), n), redislimiter.ErrPermits)
		}
	}
	_, err := l.TryAcquire(t.Context(), 11)
	require.ErrorIs(t, err, redislimiter.ErrExceedsRate)
	require.ErrorContains(t, err, "requested permits amount 11 cannot exceed defined rate 10")
	require.ErrorIs(t, l.Acquire(t.Context(), 11), redislimiter.ErrExceedsRate)
	_, err = l.Reserve(t.Context(), 11)
	require.ErrorIs(t, err, redislimiter.ErrExceedsRate)
	require.Equal(t, 10, left(t, l))
	n, err := l.AcquireAtMost(t.Context(), 1<<31-1)
	require.NoError(t, err)
	require.EqualValues(t, 10, n)
	n, err = l.AcquireAtMost(t.Context(), 1)
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestWrongOptionsAreNamed(t *testing.T) {
	t.Parallel()
	c := client(t)
	for _, o := range []struct {
		options []redislimiter.Option
		says    string
	}{
		{rate(0, time.Second), "the rate is 0; it must be from 1 to 2147483647"},
		{rate(1<<31, time.Second), "the rate is 2147483648"},
		{rate(1, time.Microsecond), "the interval is 1µs; it must be whole milliseconds"},
		{rate(1, time.Second, redislimiter.WithKeepAliveTime(time.Millisecond)), "the keep-alive time is 1ms"},
		{rate(1, time.Second, redislimiter.WithRateType(redislimiter.PerClient)), "needs WithClientID"},
		{rate(1, time.Second, redislimiter.WithKeyPrefix("{a}")), "must hold no braces"},
		{rate(1, time.Second, redislimiter.WithShards(2)), "there are 2 shards"},
		{rate(10, time.Second, redislimiter.WithLease(3)), "the lease is 3; it must be from 0 to a quarter"},
		{rate(1, time.Second, redislimiter.WithCallTimeout(0)), "the call timeout is 0s"},
		{[]redislimiter.Option{redislimiter.WithShards(2)}, "give New the rate too"},
	} {
		_, err := redislimiter.New(c, "name", o.options...)
		require.ErrorContains(t, err, o.says)
	}
	_, err := redislimiter.New(c, "")
	require.ErrorContains(t, err, "the name is empty")
	_, err = redislimiter.New(nil, "name")
	require.ErrorContains(t, err, "the client is nil")
}

func TestNamesShareNoKeysAndStayInOneSlot(t *testing.T) {
	t.Parallel()
	c := client(t)
	seen := map[string]string{}
	for _, name := range []string{"a", "a{b", "a}b", "{}x", "{a}", "a%7Bb", "{a}{b}", "a:limit:2", "ü b\n", "%s1", "a%s1"} {
		for _, key := range redislimiter.Keys("resil:", name, "client", 2) {
			require.Empty(t, seen[key], "%q and %q", name, seen[key])
			seen[key] = name
			from, to := -1, -1
			for i, r := range key {
				if r == '{' && from < 0 {
					from = i
				}
				if r == '}' && from >= 0 && to < 0 {
					to = i
				}
			}
			require.Equal(t, redislimiter.Tag(name), key[from+1:to])
		}
		l := made(t, c, name+named(t), rate(2, time.Minute)...)
		require.True(t, try(t, l, 2))
		require.False(t, try(t, l, 1), name)
	}
}

func TestReleasedPermitsAreTheNewest(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), rate(10, time.Second, d.option())...)
	require.True(t, try(t, l, 4))
	d.to(200)
	require.True(t, try(t, l, 3))
	d.to(400)
	require.True(t, try(t, l, 3))
	require.NoError(t, l.Release(t.Context(), 5))
	require.Equal(t, 5, left(t, l))
	d.to(1000)
	require.Equal(t, 9, left(t, l))
	d.to(1200)
	require.Equal(t, 10, left(t, l))
	require.NoError(t, l.Release(t.Context(), 100))
	require.Equal(t, 10, left(t, l), "never more than the rate")
}

func TestTakingAndGivingBackLosesNothing(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), rate(10, time.Second, d.option())...)
	for range 50 {
		require.True(t, try(t, l, 3))
		require.NoError(t, l.Release(t.Context(), 3))
		require.Equal(t, 10, left(t, l))
		d.add(100 * time.Millisecond)
	}
}
