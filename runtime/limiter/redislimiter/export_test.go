package redislimiter

import (
	"context"
	"strconv"
	"time"

	"github.com/resilgen/resilgen/runtime/limiter"
)

// WithServerClock has the scripts take the time from now instead of the server's clock.
func WithServerClock(now func() time.Time) Option {
	return func(s *settings) {
		s.clock = func() string { return strconv.FormatInt(now().UnixMicro(), 10) }
	}
}

// Ask is TryAcquire that says, after a refusal, how long it takes until the permits are there.
func Ask(ctx context.Context, l *RateLimiter, n int64) (granted bool, wait time.Duration, err error) {
	v, err := l.obtain(ctx, n, 0)
	return v.granted, v.wait, err
}

// Keys returns the keys of a limiter.
func Keys(prefix, name, clientID string, limits int) []string {
	return keys(prefix, name, clientID, limits)
}

// Tag returns the hash tag of a name.
func Tag(name string) string { return escape.Replace(name) }

// Standing returns how many requests are in line or under way.
func Standing(l *RateLimiter) int {
	l.line.mu.Lock()
	defer l.line.mu.Unlock()
	n := len(l.line.queue)
	if l.line.flight != nil {
		n += len(l.line.flight.requests)
	}
	return n
}

// StandingBehind is Standing for what a Backend has returned.
func StandingBehind(d limiter.Decider) int { return Standing(d.(*decider).current.Load().remote) }

// Sleeping reports whether the first in line waits for its permits.
func Sleeping(l *RateLimiter) bool {
	l.line.mu.Lock()
	defer l.line.mu.Unlock()
	return l.line.asleep != 0
}

// ShardKeys returns the keys of a shard.
func ShardKeys(prefix, name, clientID string, limits, shard int) []string {
	return shardKeys(prefix, name, clientID, limits, shard)
}

// AskEach has Redis decide about so many requests for n permits, and returns how many are granted, after how long the next
// one can be, the rate if that exceeds it, and the stamp.
func AskEach(ctx context.Context, l *RateLimiter, n int64, requests int) ([4]int64, error) {
	a, err := l.grant(ctx, []run{{n, requests}}, 0)
	if err != nil {
		return [4]int64{}, err
	}
	return [4]int64{int64(a.granted), int64(a.wait), a.exceeds, a.stamps[0]}, nil
}
