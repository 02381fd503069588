package redislimiter_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// What users of Redisson have reported, by the numbers of its issues, each with what is right. Some stand elsewhere:
//
//	2322, 2618       a rate can be changed: TestConformance, changeRate
//	2670, 3099       Delete takes all keys and says so: TestConformance, remove
//	3025             one way to read members: TestLimitersOfRedissonGoOn
//	4421             calls per grant are bounded: the tests of the line
//	4680             a key that was lost: TestDefectKeyThatIsLostDoesNotWedgeTheLimiter
//	5098             a rate per client: TestDefectRatePerClientThatAnotherClientSets
//	5900             state of older versions: TestFixedWindowOfOldRedissonIsRefused, and the tests of the state
//	6499, 7060       a rate changes with its state kept: TestConformance, KeepState
//	7342             released permits vanish: TestDefectReleasedPermitsVanish
var issues = map[string]func(s *scene){
	"1524 acquire hangs": func(s *scene) {
		l := s.realLimiter()
		s.set(l, settings(1, 100*time.Millisecond))
		s.take(l, 1)
		began := time.Now()
		require.NoError(s, l.Acquire(s.Context(), 1))
		require.Less(s, time.Since(began), 20*time.Second, "milliseconds are no seconds")
	},
	"1659 tryAcquire hangs past its timeout, 2149 a timeout of 0 blocks": func(s *scene) {
		l := s.rated(1, time.Hour)
		s.take(l, 1)
		for _, wait := range []time.Duration{0, -1, -time.Millisecond, 50 * time.Millisecond} {
			began := time.Now()
			ok, err := l.TryAcquireFor(s.Context(), 1, wait)
			require.NoError(s, err)
			require.False(s, ok)
			require.Less(s, time.Since(began), 20*time.Second)
		}
	},
	"1870 clients share a limit per client": func(s *scene) {
		one := s.rated(2, time.Second, redislimiter.PerClient)
		other := s.limiter(redislimiter.WithClientID("other"))
		s.take(one, 2)
		s.want(other, 2)
		s.take(other, 2)
	},
	"2072 the first acquire exceeds the rate": func(s *scene) {
		l := s.rated(3, time.Second)
		for range 2 {
			_, err := l.TryAcquire(s.Context(), 4)
			require.ErrorIs(s, err, redislimiter.ErrExceedsRate)
		}
		require.ErrorIs(s, l.Acquire(s.Context(), 4), redislimiter.ErrExceedsRate)
		s.want(l, 3)
	},
	"2236, 2537 looking changes nothing": func(s *scene) {
		l := s.rated(3, time.Second)
		keys := s.keys()
		s.want(l, 3)
		require.Equal(s, keys, s.keys())
		s.take(l, 2)
		before := s.state()
		s.to(1000)
		s.want(l, 3)
		require.Equal(s, before, s.state())
	},
	"2617 permits come back all at once": func(s *scene) {
		l := s.rated(3, time.Second)
		for _, ms := range []int{0, 300, 600} {
			s.to(ms)
			s.take(l, 1)
		}
		for i, ms := range []int{1000, 1300, 1600} {
			s.to(ms - 1)
			s.want(l, i)
			s.to(ms)
			s.want(l, i+1)
		}
	},
	"2931 twice the rate at the edge of a window, 3639 bursts after idling": func(s *scene) {
		l := s.rated(20, time.Second)
		random := rand.New(rand.NewPCG(9, 9))
		var grants []time.Time
		for range 1500 {
			s.add(time.Duration(random.IntN(40)) * time.Millisecond)
			if random.IntN(200) == 0 {
				s.add(5 * time.Second)
			}
			if try(s.T, l, 1) {
				grants = append(grants, s.read().Truncate(time.Millisecond))
			}
			if n := len(grants); n > 20 {
				require.GreaterOrEqual(s, grants[n-1].Sub(grants[n-21]), time.Second)
			}
		}
	},
	"2987, 3197, 3444, 3910, 5516 refusing fails while nothing is in the window": func(s *scene) {
		l := s.rated(5, time.Second)
		for _, ms := range []int{0, 999, 1000, 1001, 1999, 2000, 2001, 5000} {
			s.to(ms)
			for try(s.T, l, 3) || try(s.T, l, 1) {
			}
		}
	},
	"3260 an expired limiter": func(s *scene) {
		l := s.limiter()
		_, err := l.TryAcquire(s.Context(), 1)
		require.ErrorIs(s, err, redislimiter.ErrNotInitialized)
		s.take(s.limiter(rate(1, time.Second)...), 1)
	},
	"3756, 4007, 4301, 4663 a time to live goes with an acquisition": func(s *scene) {
		l := s.rated(5, time.Second)
		expire(s, l, time.Hour)
		for range 3 {
			s.take(l, 1)
			s.add(1100 * time.Millisecond)
		}
		ttl, err := l.TTL(s.Context())
		require.NoError(s, err)
		require.InDelta(s, time.Hour, ttl, float64(10*time.Minute))
		for _, key := range s.list() {
			left := s.client.PTTL(s.Context(), key).Val()
			require.InDelta(s, time.Hour, left, float64(10*time.Minute), key)
		}
	},
	"3804 the rate sinks under load, 5687 permits are lost": func(s *scene) {
		l := s.rated(50, time.Second)
		for range 20 {
			var granted atomic.Int64
			var group sync.WaitGroup
			for range 10 {
				group.Go(func() {
					for range 8 {
						if ok, err := l.TryAcquire(s.Context(), 1); err == nil && ok {
							granted.Add(1)
						}
					}
				})
			}
			group.Wait()
			require.EqualValues(s, 50, granted.Load())
			s.add(time.Second)
		}
	},
	"4176 a long interval: each permit is back one interval later": func(s *scene) {
		l := s.rated(1000, 24*time.Hour)
		s.take(l, 1000)
		s.add(24*time.Hour - time.Millisecond)
		s.want(l, 0)
		s.add(time.Millisecond)
		s.want(l, 1000)
	},
	"4812, 4813 limiters for users stay for ever": func(s *scene) {
		l := s.realLimiter()
		s.set(l, redislimiter.Config{Rate: 1, Interval: time.Second, KeepAliveTime: time.Minute})
		s.take(l, 1)
		for _, key := range s.list() {
			require.Positive(s, s.client.PTTL(s.Context(), key).Val(), key)
		}
		if !s.redisson {
			s.set(l, settings(1, time.Second))
			require.Positive(s, s.client.PTTL(s.Context(), s.list()[0]).Val(), "without being asked for too")
		}
	},
	"5751 acquisitions are counted instead of permits": func(s *scene) {
		l := s.rated(10, time.Second)
		s.take(l, 4)
		s.to(500)
		s.take(l, 5)
		s.update(l, settings(8, time.Second))
		s.to(1000)
		s.want(l, 3)
		s.take(l, 3)
		require.False(s, try(s.T, l, 1))
	},
	"6216, 6222 a time to live cuts the window": func(s *scene) {
		l := s.realLimiter()
		c := redislimiter.Config{Rate: 4, Interval: time.Second, KeepAliveTime: time.Second}
		s.set(l, c)
		time.Sleep(700 * time.Millisecond)
		began := time.Now()
		s.take(l, 4)
		time.Sleep(500 * time.Millisecond) // the keys would have gone by now
		if ok := try(s.T, l, 1); time.Since(began) < time.Second {
			require.False(s, ok)
		}
	},
	"6959 long waits": func(s *scene) {
		l := s.realLimiter()
		s.set(l, settings(1, 10*time.Millisecond))
		for range 60 {
			require.NoError(s, l.Acquire(s.Context(), 1))
		}
	},
	"7329 more than the rate after a release": func(s *scene) {
		l := s.rated(10, time.Second)
		s.take(l, 2)
		require.NoError(s, l.Release(s.Context(), 10))
		s.want(l, 10)
		s.to(1000)
		s.want(l, 10)
	},
}

func TestIssues(t *testing.T) {
	t.Parallel()
	for name, test := range issues {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBothLayouts(t, test)
		})
	}
}

func TestIssue4149SeveralLimitsInOneCall(t *testing.T) {
	t.Parallel()
	s := newScene(t, false)
	l := s.limiter(redislimiter.WithLimits(redislimiter.Limit{Rate: 5, Interval: time.Minute},
		redislimiter.Limit{Rate: 8, Interval: time.Hour}))
	s.take(l, 5)
	require.False(t, try(t, l, 1))
	s.add(time.Minute)
	s.want(l, 3)
	require.False(t, try(t, l, 4), "all or nothing")
	s.take(l, 3)
	s.add(time.Minute)
	require.False(t, try(t, l, 1))
}

// list returns the limiter's keys.
func (s *scene) list() []string {
	s.Helper()
	pattern := "*" + redislimiter.Tag(s.name) + "*"
	if s.redisson {
		pattern = "*" + s.name + "*"
	}
	keys, err := s.client.Keys(s.Context(), pattern).Result()
	require.NoError(s, err)
	return keys
}

// state returns what is in the limiter's keys.
func (s *scene) state() map[string]string {
	s.Helper()
	all := map[string]string{}
	for _, key := range s.list() {
		dump, err := s.client.Dump(s.Context(), key).Result()
		require.NoError(s, err)
		all[key] = fmt.Sprintf("%q", dump)
	}
	return all
}
