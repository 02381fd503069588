package redislimiter_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// The cases of the tests of Redisson's RRateLimiter, with the names and the numbers that they have there. Time is the scene's clock where nothing has to be waited for.
var conformance = map[string]func(s *scene){
	"keepAlive idle": func(s *scene) {
		l := s.realLimiter()
		s.set(l, redislimiter.Config{Rate: 1, Interval: time.Second, KeepAliveTime: time.Second})
		require.Eventually(s, func() bool {
			exists, err := l.Exists(s.Context())
			return err == nil && !exists
		}, 20*time.Second, 20*time.Millisecond)
	},
	"keepAlive renewed": func(s *scene) {
		l := s.realLimiter()
		s.set(l, redislimiter.Config{Rate: 10, Interval: 2 * time.Second, KeepAliveTime: 2 * time.Second})
		time.Sleep(time.Second)
		s.take(l, 1)
		ttl, err := l.TTL(s.Context())
		require.NoError(s, err)
		require.Greater(s, ttl, 1500*time.Millisecond)
	},
	"expire2": func(s *scene) { // the other way round: a time to live survives an acquisition
		l := s.realLimiter()
		s.set(l, settings(5, 5*time.Second))
		expire(s, l, time.Second)
		require.NoError(s, l.Acquire(s.Context(), 1))
		require.Eventually(s, func() bool { return s.keys() == 0 }, 20*time.Second, 20*time.Millisecond)
	},
	"expire": func(s *scene) {
		l := s.realLimiter()
		s.set(l, settings(2, 5*time.Second))
		s.take(l, 1)
		expire(s, l, time.Second)
		require.Eventually(s, func() bool { return s.keys() == 0 }, 20*time.Second, 20*time.Millisecond)
	},
	"rateValue": func(s *scene) { // there it counts members of the set; here permits in use
		l := s.rated(10_000, 10*time.Second)
		random, full, taken := rand.New(rand.NewPCG(1, 2)), 0, 0
		for step := range 2000 {
			s.to(step * 10)
			n := 10_000
			if taken < n {
				n = random.IntN(80) + 1
			}
			got, err := l.AcquireAtMost(s.Context(), n)
			require.NoError(s, err)
			if taken += got; step%100 == 99 && left(s.T, l) == 0 {
				full++
			}
		}
		require.GreaterOrEqual(s, full, 16)
		require.LessOrEqual(s, taken, 20_000)
	},
	"acquisitionInterval": func(s *scene) {
		l := s.rated(2, 5*time.Second)
		s.take(l, 1)
		s.to(4000)
		s.take(l, 1)
		s.to(5050)
		s.take(l, 1)
		require.False(s, try(s.T, l, 1))
	},
	"rateConfig, updateRateConfig": func(s *scene) {
		l := s.rated(1, 5*time.Second)
		requireConfig(s, l, settings(1, 5*time.Second))
		s.set(l, settings(2, 5*time.Second))
		requireConfig(s, l, settings(2, 5*time.Second))
	},
	"availablePermits": func(s *scene) {
		l := s.rated(10, 5*time.Second)
		s.want(l, 10)
		s.take(l, 1)
		s.want(l, 9)
		s.to(6000)
		s.want(l, 10)
	},
	"permitsExceeding": func(s *scene) {
		l := s.rated(1, time.Second, redislimiter.PerClient)
		_, err := l.TryAcquire(s.Context(), 20)
		require.ErrorIs(s, err, redislimiter.ErrExceedsRate)
		s.take(l, 1)
	},
	"zeroTimeout": func(s *scene) {
		l := s.rated(5, time.Second)
		now := func() bool {
			ok, err := l.TryAcquireFor(s.Context(), 1, 0)
			require.NoError(s, err)
			return ok
		}
		for available := 5; available > 0; available-- {
			s.want(l, available)
			require.True(s, now())
		}
		s.want(l, 0)
		for range 5 {
			require.False(s, now())
		}
		s.to(1000)
		for range 5 {
			require.True(s, now())
		}
		for range 5 {
			require.False(s, now())
		}
	},
	"tryAcquire": func(s *scene) {
		l := s.rated(1, 5*time.Second)
		for _, want := range []bool{true, false} {
			ok, err := l.TryAcquireFor(s.Context(), 1, time.Second)
			require.NoError(s, err)
			require.Equal(s, want, ok)
		}
		require.False(s, try(s.T, l, 1))
	},
	"acquire": func(s *scene) {
		const interval = 300 * time.Millisecond
		l := s.realLimiter()
		s.set(l, settings(1, interval))
		began := time.Now()
		last := began
		for range 5 {
			last = time.Now()
			require.NoError(s, l.Acquire(s.Context(), 1))
		}
		require.GreaterOrEqual(s, time.Since(began), 4*interval-2*time.Millisecond)
		if ok := try(s.T, l, 1); time.Since(last) < interval {
			require.False(s, ok)
		}
	},
	"basic": func(s *scene) {
		l := s.limiter()
		for _, c := range []struct {
			rate int64
			set  bool
		}{{10, true}, {20, false}} {
			done, err := l.TrySetRate(s.Context(), settings(c.rate, time.Second))
			require.NoError(s, err)
			require.Equal(s, c.set, done)
		}
		for range 3 {
			for range 10 {
				s.take(l, 1)
			}
			for range 10 {
				require.False(s, try(s.T, l, 1))
			}
			s.add(1050 * time.Millisecond)
		}
	},
	"remove": func(s *scene) {
		l := s.limiter()
		requireDelete(s, l, false)
		s.set(l, settings(5, 5*time.Minute))
		require.Equal(s, 1, s.keys())
		s.take(l, 1)
		requireDelete(s, l, true)
		require.Zero(s, s.keys())
	},
	"concurrency2": func(s *scene) { everyStretchHoldsAtMost(s, 18, 200*time.Millisecond, 90) },
	"concurrency":  func(s *scene) { everyStretchHoldsAtMost(s, 10, 200*time.Millisecond, 50) },
	"changeRate": func(s *scene) {
		l := s.limiter()
		for _, kind := range []redislimiter.RateType{redislimiter.PerClient, redislimiter.Overall} {
			for _, n := range []int{10, 20} {
				s.set(l, settings(int64(n), time.Second, kind))
				requireConfig(s, l, settings(int64(n), time.Second, kind))
				s.take(l, 1)
				s.want(l, n-1)
			}
		}
	},
	"setStateArgs": func(s *scene) {
		l := s.limiter()
		s.set(l, settings(10, time.Second), redislimiter.KeepState)
		for range 2 {
			s.take(l, 3)
			s.want(l, 7)
			s.add(1100 * time.Millisecond)
		}
	},
	"setRate KeepState, NotKeepState": func(s *scene) {
		l := s.rated(10, 5*time.Second)
		s.take(l, 3)
		s.want(l, 7)
		s.set(l, settings(20, 5*time.Second), redislimiter.KeepState)
		s.want(l, 17)
		s.set(l, settings(20, 5*time.Second))
		s.want(l, 20)
	},
	"updateRateNonExisting": func(s *scene) {
		l := s.limiter()
		for _, kind := range []redislimiter.RateType{redislimiter.Overall, redislimiter.PerClient} {
			done, err := l.UpdateRate(s.Context(), settings(10, time.Second, kind))
			require.NoError(s, err)
			require.False(s, done)
			exists, err := l.Exists(s.Context())
			require.NoError(s, err)
			require.False(s, exists)
		}
	},
	"updateRateKeepsState": func(s *scene) {
		l := s.rated(5, 5*time.Second)
		s.update(l, settings(10, 5*time.Second))
		s.want(l, 10)
		s.take(l, 2)
		s.want(l, 8)
		require.False(s, try(s.T, l, 10))
		s.take(l, 8)
	},
	"updateRateHigherRate": func(s *scene) {
		l := s.rated(10, 2*time.Second)
		s.to(1000)
		s.take(l, 4)
		s.want(l, 6)
		s.update(l, settings(20, 5*time.Second))
		s.want(l, 16)
		s.take(l, 16)
	},
	"updateRateLowerPositive": func(s *scene) {
		l := s.rated(10, 5*time.Second)
		s.take(l, 3)
		s.update(l, settings(5, 5*time.Second))
		s.want(l, 2)
		require.False(s, try(s.T, l, 3))
		s.take(l, 2)
	},
	"updateRateLowerNegative": func(s *scene) {
		l := s.rated(10, 5*time.Second)
		s.take(l, 8)
		s.update(l, settings(5, 5*time.Second))
		s.want(l, 0)
		require.False(s, try(s.T, l, 1))
		require.False(s, try(s.T, l, 2))
	},
	"updateRatePermitResetFull": func(s *scene) {
		l := s.rated(10, time.Second)
		s.take(l, 8)
		s.to(2000)
		s.update(l, settings(10, time.Second))
		s.want(l, 10)
	},
	"updateRateModeChange": func(s *scene) {
		l := s.rated(10, 5*time.Second)
		s.take(l, 4)
		s.want(l, 6)
		s.update(l, settings(10, 5*time.Second, redislimiter.PerClient))
		s.want(l, 10)
	},
	"updateRate keepAlive below the interval": func(s *scene) {
		l := s.rated(10, 5*time.Second)
		c := settings(10, 5*time.Second)
		c.KeepAliveTime = time.Second
		_, err := l.UpdateRate(s.Context(), c)
		require.ErrorContains(s, err, "the keep-alive time is 1s; it must be 0, or whole milliseconds from the interval")
	},
	"updateRateIntervalChangeDropsExpired": func(s *scene) {
		l := s.rated(10, 5*time.Second)
		s.take(l, 3)
		s.want(l, 7)
		s.to(1100)
		s.update(l, settings(10, time.Second))
		s.want(l, 10)
	},
	"updateRatePerClientUsesClientState": func(s *scene) {
		l := s.rated(10, 5*time.Second, redislimiter.PerClient)
		s.take(l, 3)
		s.want(l, 7)
		s.update(l, settings(20, 5*time.Second, redislimiter.PerClient))
		s.want(l, 17)
	},
	"release": func(s *scene) {
		l := s.limiter()
		for _, kind := range []redislimiter.RateType{redislimiter.Overall, redislimiter.PerClient} {
			s.set(l, settings(10, time.Second, kind))
			s.take(l, 3)
			s.want(l, 7)
			for _, n := range []int{3, 10, 0} {
				require.NoError(s, l.Release(s.Context(), n))
				s.want(l, 10)
			}
			require.ErrorIs(s, l.Release(s.Context(), -1), redislimiter.ErrPermits)
		}
	},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, test := range conformance {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBothLayouts(t, test)
		})
	}
}

func expire(s *scene, l *redislimiter.RateLimiter, after time.Duration) {
	s.Helper()
	existed, err := l.Expire(s.Context(), after)
	require.NoError(s, err)
	require.True(s, existed)
}

func requireConfig(s *scene, l *redislimiter.RateLimiter, want redislimiter.Config) {
	s.Helper()
	got, err := l.Config(s.Context())
	require.NoError(s, err)
	require.Equal(s, want, got)
}

func requireDelete(s *scene, l *redislimiter.RateLimiter, want bool) {
	s.Helper()
	existed, err := l.Delete(s.Context())
	require.NoError(s, err)
	require.Equal(s, want, existed)
}

// everyStretchHoldsAtMost has 8 goroutines acquire until so many permits are granted, and looks at each stretch of an
// interval.
func everyStretchHoldsAtMost(s *scene, rate int, interval time.Duration, permits int) {
	l := s.realLimiter()
	s.set(l, settings(int64(rate), interval))
	var mu sync.Mutex
	var grants []grant
	var failed []error
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for taken := 0; taken < (permits+i)/8; {
				began := time.Now()
				ok, err := l.TryAcquire(s.Context(), 1)
				mu.Lock()
				if ok {
					grants = append(grants, grant{began, time.Now(), 1})
				}
				failed = append(failed, err)
				mu.Unlock()
				if err != nil {
					return
				}
				if ok {
					taken++
				} else {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	group.Wait()
	require.NoError(s, errors.Join(failed...))
	require.Len(s, grants, permits)
	require.LessOrEqual(s, mostWithin(grants, interval-time.Millisecond), rate)
}
