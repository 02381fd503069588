package redislimiter_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// key returns the only key of the test's limiter.
func key(t *testing.T, c *redis.Client) string {
	t.Helper()
	keys := redislimiter.Keys("resil:", named(t), "", 1)
	return keys[0]
}

func TestClockThatStepsBackGrantsNothingTwiceAndDoesNotStandStill(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), rate(10, time.Second, d.option())...)
	d.to(60_000)
	require.True(t, try(t, l, 10))
	d.to(0)
	require.False(t, try(t, l, 1))
	require.Zero(t, left(t, l))
	_, wait, err := redislimiter.Ask(t.Context(), l, 1)
	require.NoError(t, err)
	require.Equal(t, time.Second, wait)
	d.to(999)
	require.False(t, try(t, l, 1))
	d.to(1000)
	require.True(t, try(t, l, 10))
	d.to(61_000)
	require.True(t, try(t, l, 10))
	require.False(t, try(t, l, 1))
}

func TestEveryKeyHasATimeToLiveThatUseRenews(t *testing.T) {
	t.Parallel()
	c, d := client(t), dialled()
	l := made(t, c, named(t), rate(10, time.Second, redislimiter.WithKeepAliveTime(time.Minute), d.option())...)
	ttl := func() time.Duration {
		ttl, err := l.TTL(t.Context())
		require.NoError(t, err)
		return ttl
	}
	require.Negative(t, ttl(), "it is not there")
	require.True(t, try(t, l, 1))
	require.Equal(t, time.Minute, ttl())
	real, err := c.PTTL(t.Context(), key(t, c)).Result()
	require.NoError(t, err)
	require.InDelta(t, time.Minute, real, float64(20*time.Second))
	d.to(14_000)
	require.True(t, try(t, l, 1))
	require.Equal(t, 46*time.Second, ttl(), "more than three quarters are left")
	d.to(16_000)
	require.True(t, try(t, l, 1))
	require.Equal(t, time.Minute, ttl())
	d.to(76_001)
	exists, err := l.Exists(t.Context())
	require.NoError(t, err)
	require.False(t, exists, "it was not used")
	require.True(t, try(t, l, 10), "it makes itself anew")
}

func TestTimeToLiveDoesNotCutTheWindow(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), rate(10, time.Second, redislimiter.WithKeepAliveTime(time.Second), d.option())...)
	require.True(t, try(t, l, 1))
	d.to(200)
	require.True(t, try(t, l, 9))
	d.to(1100)
	require.True(t, try(t, l, 1))
	require.False(t, try(t, l, 1), "9 are in use until 1200 ms")
}

func TestExpireHoldsWhateverHappensUntilItIsCleared(t *testing.T) {
	t.Parallel()
	c, d := client(t), dialled()
	l := made(t, c, named(t), rate(5, time.Second, d.option())...)
	ok, err := l.Expire(t.Context(), time.Minute)
	require.NoError(t, err)
	require.False(t, ok, "it is not there")
	require.True(t, try(t, l, 1))
	ok, err = l.Expire(t.Context(), 10*time.Second)
	require.NoError(t, err)
	require.True(t, ok)
	for ms := 0; ms < 10_000; ms += 500 {
		d.to(ms)
		require.True(t, try(t, l, 2))
	}
	real, err := c.PTTL(t.Context(), key(t, c)).Result()
	require.NoError(t, err)
	require.LessOrEqual(t, real, 10*time.Second)
	require.Positive(t, real)
	ttl, err := l.TTL(t.Context())
	require.NoError(t, err)
	require.Equal(t, 500*time.Millisecond, ttl)
	ok, err = l.ClearExpire(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = l.ClearExpire(t.Context())
	require.NoError(t, err)
	require.False(t, ok)
	ttl, err = l.TTL(t.Context())
	require.NoError(t, err)
	require.Equal(t, time.Hour, ttl)
}

func TestLostStateHealsItself(t *testing.T) {
	t.Parallel()
	c := client(t)
	l := made(t, c, named(t), rate(5, time.Minute)...)
	require.True(t, try(t, l, 5))
	require.NoError(t, c.Del(t.Context(), key(t, c)).Err())
	require.True(t, try(t, l, 5))

	require.NoError(t, c.SetRange(t.Context(), key(t, c), 3, "\x7f").Err())
	require.True(t, try(t, l, 5), "a version that it cannot read is as good as none")

	require.NoError(t, c.Set(t.Context(), key(t, c), "rlm\x01short", 0).Err())
	require.True(t, try(t, l, 5))

	plain := made(t, c, named(t))
	require.NoError(t, c.Del(t.Context(), key(t, c)).Err())
	_, err := plain.TryAcquire(t.Context(), 1)
	require.ErrorIs(t, err, redislimiter.ErrNotInitialized)
	_, err = plain.Config(t.Context())
	require.ErrorIs(t, err, redislimiter.ErrNotInitialized)
	_, err = plain.AvailablePermits(t.Context())
	require.ErrorIs(t, err, redislimiter.ErrNotInitialized)
	require.ErrorIs(t, plain.Release(t.Context(), 1), redislimiter.ErrNotInitialized)
}

func TestStateThatWasCutShortGrantsNothingTwice(t *testing.T) {
	t.Parallel()
	c, d := client(t), dialled()
	l := made(t, c, named(t), rate(100, time.Second, d.option())...)
	for ms := range 100 {
		d.to(ms)
		require.True(t, try(t, l, 1))
	}
	whole, err := c.Get(t.Context(), key(t, c)).Result()
	require.NoError(t, err)
	require.NoError(t, c.Set(t.Context(), key(t, c), whole[:200], time.Minute).Err())
	d.to(1050)
	require.LessOrEqual(t, left(t, l), 51)
	_, _, err = redislimiter.Ask(t.Context(), l, 100)
	require.NoError(t, err)
	d.to(1099 + 1000)
	require.Equal(t, 100, left(t, l), "all is back one interval after the newest at the latest")
}

func TestKeysOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	c := client(t)
	l := made(t, c, named(t), rate(5, time.Minute)...)
	require.NoError(t, c.Set(t.Context(), key(t, c), "somebody's", time.Minute).Err())
	check := func() {
		_, err := l.TryAcquire(t.Context(), 1)
		require.ErrorIs(t, err, redislimiter.ErrForeignKey)
		require.ErrorIs(t, l.SetRate(t.Context(), redislimiter.Config{Rate: 1, Interval: time.Second}), redislimiter.ErrForeignKey)
		_, err = l.Delete(t.Context())
		require.ErrorIs(t, err, redislimiter.ErrForeignKey)
		_, err = l.AvailablePermits(t.Context())
		require.ErrorIs(t, err, redislimiter.ErrForeignKey)
	}
	check()
	value, err := c.Get(t.Context(), key(t, c)).Result()
	require.NoError(t, err)
	require.Equal(t, "somebody's", value)
	require.NoError(t, c.Del(t.Context(), key(t, c)).Err())
	require.NoError(t, c.HSet(t.Context(), key(t, c), "a", "b").Err())
	require.NoError(t, c.Expire(t.Context(), key(t, c), time.Minute).Err())
	check()
}

func TestAskingForPermitsWritesNothing(t *testing.T) {
	t.Parallel()
	c := client(t)
	l := made(t, c, named(t), rate(5, time.Minute)...)
	require.Equal(t, 5, left(t, l))
	exists, err := c.Exists(t.Context(), key(t, c)).Result()
	require.NoError(t, err)
	require.Zero(t, exists)
	require.True(t, try(t, l, 2))
	before, err := c.Get(t.Context(), key(t, c)).Result()
	require.NoError(t, err)
	require.Equal(t, 3, left(t, l))
	require.False(t, try(t, l, 4), "nor does a refusal")
	after, err := c.Get(t.Context(), key(t, c)).Result()
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestScriptsThatTheServerHasForgottenTakeOnce(t *testing.T) {
	t.Parallel()
	c := client(t)
	l := made(t, c, named(t), rate(5, time.Minute)...)
	require.True(t, try(t, l, 1))
	require.NoError(t, c.ScriptFlush(t.Context()).Err())
	require.True(t, try(t, l, 1))
	require.Equal(t, 3, left(t, l))
}
