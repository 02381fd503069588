package redislimiter_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// A scene is a limiter's name in one of the two layouts, and a server's clock that the test turns.
type scene struct {
	*testing.T
	*dial
	client   *redis.Client
	name     string
	redisson bool
	options  []redislimiter.Option
}

// inBothLayouts runs a test in the layout of this package and in that of Redisson.
func inBothLayouts(t *testing.T, test func(s *scene)) {
	t.Helper()
	for _, redisson := range []bool{false, true} {
		name := "own layout"
		if redisson {
			name = "Redisson's layout"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newScene(t, redisson))
		})
	}
}

func newScene(t *testing.T, redisson bool) *scene {
	s := &scene{T: t, dial: dialled(), client: client(t), name: named(t), redisson: redisson,
		options: []redislimiter.Option{redislimiter.WithClientID("me")}}
	if redisson {
		s.options = append(s.options, redislimiter.RedissonCompatible())
	}
	return s
}

// limiter returns a limiter that goes by the scene's clock.
func (s *scene) limiter(options ...redislimiter.Option) *redislimiter.RateLimiter {
	s.Helper()
	return s.realLimiter(append([]redislimiter.Option{s.dial.option()}, options...)...)
}

// realLimiter returns a limiter that goes by the server's own clock.
func (s *scene) realLimiter(options ...redislimiter.Option) *redislimiter.RateLimiter {
	s.Helper()
	return made(s.T, s.client, s.name, append(append([]redislimiter.Option(nil), s.options...), options...)...)
}

// rated returns a limiter that somebody has given a rate.
func (s *scene) rated(n int64, interval time.Duration, kind ...redislimiter.RateType) *redislimiter.RateLimiter {
	s.Helper()
	l := s.limiter()
	s.set(l, settings(n, interval, kind...))
	return l
}

func settings(n int64, interval time.Duration, kind ...redislimiter.RateType) redislimiter.Config {
	c := redislimiter.Config{Rate: n, Interval: interval, RateType: redislimiter.Overall}
	if len(kind) > 0 {
		c.RateType = kind[0]
	}
	return c
}

func (s *scene) set(l *redislimiter.RateLimiter, c redislimiter.Config, state ...redislimiter.State) {
	s.Helper()
	require.NoError(s, l.SetRate(s.Context(), c, state...))
}

func (s *scene) update(l *redislimiter.RateLimiter, c redislimiter.Config) {
	s.Helper()
	done, err := l.UpdateRate(s.Context(), c, redislimiter.KeepState)
	require.NoError(s, err)
	require.True(s, done)
}

// take takes n permits that are there.
func (s *scene) take(l *redislimiter.RateLimiter, n int) {
	s.Helper()
	require.True(s, try(s.T, l, n))
}

// want checks how many permits are left.
func (s *scene) want(l *redislimiter.RateLimiter, n int) {
	s.Helper()
	require.Equal(s, n, left(s.T, l))
}

// keys returns how many keys the limiter has in Redis.
func (s *scene) keys() int {
	s.Helper()
	return len(s.list())
}
