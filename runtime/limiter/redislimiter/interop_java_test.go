package redislimiter_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// javaAcquire does to the keys what tryAcquire of Redisson does: n, the client's milliseconds, and random bytes. It
// answers with nothing for a grant.
var javaAcquire = redis.NewScript(`
local rate, interval = tonumber(redis.call('HGET', KEYS[1], 'rate')), tonumber(redis.call('HGET', KEYS[1], 'interval'))
local n, now, left = tonumber(ARGV[1]), tonumber(ARGV[2]), redis.call('GET', KEYS[2])
if not left then
  redis.call('SET', KEYS[2], rate)
  left = rate
end
local released = 0
for _, m in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], 0, now - interval)) do
  local _, permits = struct.unpack('Bc0I', m)
  released = released + permits
end
if released > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], 0, now - interval)
  left = left + released
  if left > rate then
    left = rate
    for _, m in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
      local _, permits = struct.unpack('Bc0I', m)
      left = left - permits
    end
  end
  redis.call('SET', KEYS[2], left)
end
if tonumber(left) < n then return redis.call('ZRANGE', KEYS[3], 0, 0)[1] end
redis.call('ZADD', KEYS[3], now, struct.pack('Bc0I', #ARGV[3], ARGV[3], n))
redis.call('DECRBY', KEYS[2], n)
return nil`)

// java takes n permits as a Java service would whose clock shows at.
func java(s *scene, n int, at time.Time, random string) bool {
	s.Helper()
	keys := []string{s.name, "{" + s.name + "}:value", "{" + s.name + "}:permits"}
	err := javaAcquire.Run(s.Context(), s.client, keys, n, at.UnixMilli(), random).Err()
	if errors.Is(err, redis.Nil) {
		return true
	}
	require.NoError(s, err)
	return false
}

func TestJavaAndGoDecideAlikeOnOneLimit(t *testing.T) {
	t.Parallel()
	s := newScene(t, true)
	const rate, interval = 12, time.Second
	l := s.rated(rate, interval)
	random := rand.New(rand.NewPCG(5, 6))
	type taken struct {
		at time.Time
		n  int
	}
	var window []taken
	for step := range 3000 {
		s.add(time.Duration(random.IntN(120_000)) * time.Microsecond)
		now, used := s.read().Truncate(time.Millisecond), 0
		for len(window) > 0 && now.Sub(window[0].at) >= interval {
			window = window[1:]
		}
		for _, w := range window {
			used += w.n
		}
		n := 1 + random.IntN(5)
		var got bool
		if random.IntN(2) == 0 {
			got = java(s, n, s.read(), strconv.Itoa(1_000_000_000_000_000+step))
		} else {
			got = try(t, l, n)
		}
		require.Equal(t, used+n <= rate, got, "step %d: %d of %d are taken, %d more are wanted", step, used, rate, n)
		if got {
			window, used = append(window, taken{now, n}), used+n
		}
		s.want(l, rate-used)
	}
}

func TestWrongClockOfJavaCostsNoMoreThanIsStated(t *testing.T) {
	t.Parallel()
	const rate, interval, wrong = 10, 10 * time.Second, 3 * time.Second
	for _, skew := range []time.Duration{-wrong, wrong} {
		s := newScene(t, true)
		l := s.rated(rate, interval)
		random := rand.New(rand.NewPCG(7, 8))
		var grants []time.Time
		for step := range 600 {
			s.add(time.Duration(random.IntN(600)) * time.Millisecond)
			got := false
			if step%2 == 0 {
				got = java(s, 1, s.read().Add(skew), strconv.Itoa(1_000_000_000_000_000+step))
			} else {
				got = try(t, l, 1)
			}
			if got {
				grants = append(grants, s.read())
			}
			if n := len(grants); n > rate {
				require.GreaterOrEqual(t, grants[n-1].Sub(grants[n-1-rate]), interval-wrong-time.Millisecond)
			}
		}
		require.Greater(t, len(grants), 100)
	}
}

func TestSweepOfALargeWindowIsSpreadOverCalls(t *testing.T) {
	t.Parallel()
	s := newScene(t, true)
	const old = 20_000
	l := s.rated(30_000, time.Second)
	for batch := range old / 1000 {
		pipe := s.client.Pipeline()
		for i := range 1000 {
			keys := []string{s.name, "{" + s.name + "}:value", "{" + s.name + "}:permits"}
			random := strconv.Itoa(1_000_000_000_000_000 + 1000*batch + i)
			javaAcquire.Eval(t.Context(), pipe, keys, 1, s.read().UnixMilli(), random)
		}
		_, err := pipe.Exec(t.Context())
		if err != nil {
			require.ErrorIs(t, err, redis.Nil)
		}
		s.add(10 * time.Millisecond)
	}
	require.EqualValues(t, old, s.client.ZCard(t.Context(), "{"+s.name+"}:permits").Val())
	s.want(l, 30_000-old)
	s.add(2 * time.Second)
	s.want(l, 30_000)
	s.take(l, 1)
	require.Greater(t, s.client.ZCard(t.Context(), "{"+s.name+"}:permits").Val(), int64(old-1000))
	s.want(l, 30_000-1)
	s.take(l, 29_999)
	require.False(t, try(t, l, 1))
	require.EqualValues(t, 2, s.client.ZCard(t.Context(), "{"+s.name+"}:permits").Val())
}

func TestReservationsAndLeasesFitIntoTheSet(t *testing.T) {
	t.Parallel()
	s := newScene(t, true)
	l := s.rated(10, time.Minute)
	s.take(l, 7)
	s.to(20_000)
	r, err := l.Reserve(t.Context(), 8)
	require.NoError(t, err)
	require.InDelta(t, 40*time.Second, r.Delay(), float64(20*time.Second))
	s.want(l, 0)
	require.False(t, java(s, 1, s.read(), "0123456789abcdef"))
	s.to(60_000)
	s.want(l, 2)
	s.to(119_999)
	s.want(l, 2)
	s.to(120_000)
	s.want(l, 10)

	s.take(l, 7)
	r, err = l.Reserve(t.Context(), 8)
	require.NoError(t, err)
	ok, err := r.Cancel(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	s.want(l, 3)

	leasing := s.realLimiter(append(rate(10, time.Minute), redislimiter.WithLease(2), s.dial.option())...)
	s.take(leasing, 1)
	require.NoError(t, leasing.Close())
	s.want(l, 2)
}

func TestRateOfJavaIsAdopted(t *testing.T) {
	t.Parallel()
	s := newScene(t, true)
	require.NoError(t, s.client.HSet(t.Context(), s.name, "rate", 3, "interval", 3_600_000, "type", 0).Err())
	var seen []redislimiter.RateMismatch
	b := redislimiter.Backend(s.client, redislimiter.RedissonCompatible(),
		redislimiter.WithRateMismatchListener(func(m redislimiter.RateMismatch) { seen = append(seen, m) }))
	l := behind(t, b, 30, time.Hour)
	require.True(t, l.TryAcquire(3))
	require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
	require.Len(t, seen, 1)
	require.EqualValues(t, 3, seen[0].There.Rate)
	require.False(t, seen[0].Overwritten)
	change(t, l, limiter.WithOnRateMismatch(limiter.Overwrite))
	require.True(t, l.TryAcquire(27))
	require.Equal(t, "30", s.client.HGet(t.Context(), s.name, "rate").Val())
}

func TestWhatRedissonsKeysCannotHoldIsAnError(t *testing.T) {
	t.Parallel()
	s := newScene(t, true)
	two := redislimiter.WithLimits(redislimiter.Limit{Rate: 1, Interval: time.Second},
		redislimiter.Limit{Rate: 2, Interval: time.Minute})
	_, err := redislimiter.New(s.client, s.name, redislimiter.RedissonCompatible(), two)
	require.ErrorContains(t, err, "Redisson's keys hold one limit")
	c := settings(1, time.Second)
	c.And = []redislimiter.Limit{{Rate: 2, Interval: time.Minute}}
	require.ErrorIs(t, s.limiter().SetRate(t.Context(), c), redislimiter.ErrUnsupported)

	cluster := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}})
	t.Cleanup(func() { cluster.Close() })
	for name, fits := range map[string]bool{
		"orders": true, "a{b}c": true, "{a}{b}": true, "a{b": false, "a}b": false, "{}x": false,
	} {
		_, err := redislimiter.New(cluster, name, redislimiter.RedissonCompatible())
		if fits {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, "are in different slots", name)
		}
	}
}

// takenAt returns what asks a set for the members of one instant of a scene's clock.
func takenAt(set string, ms int) redis.ZRangeArgs {
	at := dialled().read().UnixMilli() + int64(ms)
	return redis.ZRangeArgs{Key: set, Start: at, Stop: at, ByScore: true}
}
