package redislimiter_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// Defects of Redisson's algorithm, each with what is right. Those that other clients bring about in Redisson's layout are
// in the documentation of RedissonCompatible, and here as far as they are corrected.

func (s *scene) redissonKey(what string) string { return "{" + s.name + "}:" + what }

func TestDefectCallThatIsSentTwice(t *testing.T) { // D1
	t.Parallel()
	s := newScene(t, true)
	l := s.rated(10, time.Second)
	for range 2 { // a Java client sends it again, with the same time and random bytes
		require.True(t, java(s, 1, s.read(), "0123456789abcdef"))
	}
	require.Equal(t, "8", s.client.Get(t.Context(), s.redissonKey("value")).Val())
	s.want(l, 9)
	s.take(l, 9)
	require.False(t, try(t, l, 1))
	s.to(1000)
	s.want(l, 10)
	s.take(l, 10)
}

func TestDefectClientsWhoseClocksAreWrong(t *testing.T) { // D2, D3: own calls take the server's time
	t.Parallel()
	for _, redisson := range []bool{false, true} {
		s := newScene(t, redisson)
		s.name += strconv.FormatBool(redisson)
		l := s.realLimiter() // whatever the clock of this process
		s.set(l, settings(10, 10*time.Second))
		s.take(l, 1)
		seconds, err := s.client.Time(t.Context()).Result()
		require.NoError(t, err)
		if redisson {
			score := s.client.ZRangeWithScores(t.Context(), s.redissonKey("permits"), 0, 0).Val()[0].Score
			require.InDelta(t, seconds.UnixMilli(), score, 60_000)
		}
		ok, wait, err := redislimiter.Ask(t.Context(), l, 10)
		require.NoError(t, err)
		require.False(t, ok)
		require.LessOrEqual(t, wait, 10*time.Second)
	}
}

func TestDefectKeyThatIsLostDoesNotWedgeTheLimiter(t *testing.T) { // D4
	t.Parallel()
	t.Run("own layout", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, false)
		l := s.limiter(rate(10, time.Second)...)
		s.take(l, 10)
		require.NoError(t, s.client.Del(t.Context(), redislimiter.Keys("resil:", s.name, "", 1)...).Err())
		s.take(l, 10)
	})
	for lost, free := range map[string]int{"permits": 10, "value": 3} {
		t.Run("Redisson's "+lost, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, true)
			l := s.rated(10, time.Second)
			s.take(l, 7)
			require.NoError(t, s.client.Del(t.Context(), s.redissonKey(lost)).Err())
			s.want(l, free)
			s.take(l, free)
			require.False(t, try(t, l, 1))
			s.to(1000)
			s.want(l, 10)
			s.take(l, 10)
			require.False(t, try(t, l, 1))
		})
	}
	t.Run("Redisson's settings", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, true)
		l := s.limiter(rate(10, time.Second)...)
		s.take(l, 7)
		require.NoError(t, s.client.Del(t.Context(), s.name).Err())
		s.take(l, 3)
		require.False(t, try(t, l, 1), "what was taken stays so")
	})
}

func TestDefectNegativePermits(t *testing.T) { // D5
	t.Parallel()
	inBothLayouts(t, func(s *scene) {
		l := s.rated(10, time.Second)
		for _, n := range []int{0, -5, math.MinInt} {
			_, err := l.TryAcquire(s.Context(), n)
			require.ErrorIs(s, err, redislimiter.ErrPermits)
		}
		s.want(l, 10)
	})
}

func TestDefectNumberAboveTheRate(t *testing.T) { // what a Java client leaves that took a negative number
	t.Parallel()
	s := newScene(t, true)
	l := s.rated(10, time.Second)
	s.take(l, 4)
	require.NoError(t, s.client.Set(t.Context(), s.redissonKey("value"), 15, 0).Err())
	s.want(l, 6)
	s.take(l, 6)
	require.False(t, try(t, l, 1))
}

func TestDefectRateThatIsLoweredLetsMorePass(t *testing.T) {
	t.Parallel()
	inBothLayouts(t, func(s *scene) {
		l := s.rated(10, 10*time.Second)
		s.take(l, 5)
		s.to(2000)
		s.take(l, 5)
		s.update(l, settings(4, 10*time.Second))
		s.want(l, 0)
		s.to(10_000)
		s.want(l, 0) // 5 are in use yet
		require.False(s, try(s.T, l, 1))
		s.to(12_000)
		s.want(l, 4)
		s.take(l, 4)
		require.False(s, try(s.T, l, 1))
	})
}

func TestDefectReleasedPermitsVanish(t *testing.T) { // D8
	t.Parallel()
	inBothLayouts(t, func(s *scene) {
		l := s.rated(10, time.Second)
		for range 60 {
			s.take(l, 1)
			require.NoError(s, l.Release(s.Context(), 1))
			s.want(l, 10)
			s.add(100 * time.Millisecond)
		}
		s.take(l, 4)
		s.add(100 * time.Millisecond)
		s.take(l, 4)
		require.NoError(s, l.Release(s.Context(), 6)) // of an acquisition, a part
		s.want(l, 8)
		s.add(900 * time.Millisecond)
		s.want(l, 10)
	})
}

func TestDefectRatePerClientThatAnotherClientSets(t *testing.T) { // D9
	t.Parallel()
	inBothLayouts(t, func(s *scene) {
		one := s.rated(10, time.Second, redislimiter.PerClient)
		other := s.limiter(redislimiter.WithClientID("other"))
		s.take(other, 10)
		s.set(one, settings(100, time.Second, redislimiter.PerClient), redislimiter.KeepState)
		require.False(s, try(s.T, other, 101-10))
		s.to(1000)
		s.take(other, 100)
		require.False(s, try(s.T, other, 1))
		s.set(one, settings(5, time.Second, redislimiter.PerClient), redislimiter.KeepState)
		require.False(s, try(s.T, other, 1))
		s.to(2000)
		s.want(other, 5)
		s.take(other, 5)
		require.False(s, try(s.T, other, 1))
	})
}

// namesWithBraces is D12, in a cluster. For Redisson's keys see TestWhatRedissonsKeysCannotHoldIsAnError.
func namesWithBraces(t *testing.T, cluster *redis.ClusterClient) {
	t.Helper()
	for _, name := range []string{"a{b", "a}b", "{}x", "{a}{b}"} {
		l := made(t, cluster, name, redislimiter.WithLimits(
			redislimiter.Limit{Rate: 2, Interval: time.Minute}, redislimiter.Limit{Rate: 5, Interval: time.Hour}),
			redislimiter.WithRateType(redislimiter.PerClient), redislimiter.WithClientID("me"))
		require.True(t, try(t, l, 2), name)
		require.False(t, try(t, l, 1), name)
	}
}

func TestDefectClientThatStartsAgainIsAnother(t *testing.T) { // D13
	t.Parallel()
	inBothLayouts(t, func(s *scene) {
		before := s.rated(10, time.Second, redislimiter.PerClient)
		s.take(before, 7)
		require.NoError(s, before.Close())
		after := s.limiter()
		s.want(after, 3)
		require.NotZero(s, s.keys())
		requireDelete(s, after, true)
		require.Zero(s, s.keys())
		none := made(s.T, s.client, s.name+"-none", s.options[1:]...)
		err := none.SetRate(s.Context(), settings(1, time.Second, redislimiter.PerClient))
		require.ErrorIs(s, err, redislimiter.ErrNoClientID)
	})
}

func TestDefectPermitsThatJavaReleasesAreNotAddedToThoseThatComeBack(t *testing.T) { // D8, from the other side
	t.Parallel()
	s := newScene(t, true)
	l := s.rated(10, time.Second)
	for i := range 2 {
		require.True(t, java(s, 5, s.read(), strconv.Itoa(1_000_000_000_000_000+i)))
		require.NoError(t, s.client.IncrBy(t.Context(), s.redissonKey("value"), 5).Err()) // its release
		s.want(l, 10)
	}
	s.to(900)
	s.take(l, 3)
	s.want(l, 7)
	s.to(1000)
	s.take(l, 7)
	require.False(t, try(t, l, 1))
}
