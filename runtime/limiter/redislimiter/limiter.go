package redislimiter

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A RateLimiter takes permits from a limit that is kept in Redis. It may be used by several goroutines at once, and one
// for each name is enough for a process, as concurrent acquisitions then share calls. Make one with [New].
type RateLimiter struct {
	name     string
	settings *settings
	store    store
	gate     *gate
	line     *line
	lease    *lease // nil: none

	mu      sync.Mutex // for the first use
	settled atomic.Bool
	own     atomic.Pointer[Config] // the rate that this limiter brings with it, or has set; nil: none
	closing sync.Once
}

// New returns a limiter of that name. It reaches for Redis only when it is used first. It fails if an option is out of
// range; the error names each.
func New(client redis.UniversalClient, name string, options ...Option) (*RateLimiter, error) {
	return build(client, name, newSettings(options))
}

func build(client redis.UniversalClient, name string, s *settings) (*RateLimiter, error) {
	if client == nil {
		return nil, fmt.Errorf("redislimiter %q: the client is nil; give it one of go-redis", name)
	}
	if err := s.complete(name); err != nil {
		return nil, fmt.Errorf("redislimiter %q: %w", name, err)
	}
	l := &RateLimiter{name: name, settings: s, gate: s.gate}
	if l.gate == nil {
		l.gate = &gate{}
	}
	l.own.Store(s.config)
	l.settled.Store(s.config == nil)
	var err error
	if l.store, err = newStore(client, name, s); err != nil {
		return nil, l.fault(err, nil)
	}
	l.line = &line{
		decide: l.decide, restore: l.restore, gate: l.gate, fault: l.fault, wake: make(chan struct{}, 1),
		timeout: s.callTimeout, bounded: keepsTime(client), cached: s.denialCache,
	}
	if s.lease > 0 {
		l.lease = newLease(l, s)
	}
	return l, nil
}

// keepsTime reports whether a client keeps to the deadlines of contexts, as its options can tell it to.
func keepsTime(client redis.UniversalClient) bool {
	switch client := client.(type) {
	case *redis.Client:
		return client.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		return client.Options().ContextTimeoutEnabled
	}
	return false
}

// newStore returns the store for the settings.
func newStore(client redis.UniversalClient, name string, s *settings) (store, error) {
	if s.redisson {
		return newRedisson(client, name, s)
	}
	if s.shards > 1 {
		return newShards(client, name, s), nil
	}
	return newRing(client, s, func(limits int) []string { return keys(s.prefix, name, s.clientID, limits) }), nil
}

// Name returns the name of the limiter.
func (l *RateLimiter) Name() string { return l.name }

func (l *RateLimiter) fault(kind, cause error) error { return fault(l.name, kind, cause) }

// Acquire takes n permits, at least 1, waiting for them as long as it takes. If ctx ends while it waits, it gives back
// what it has got and returns an error that is the one of ctx; if its deadline is before the permits can be there, it
// does so at once. Other errors are those of this package.
func (l *RateLimiter) Acquire(ctx context.Context, n int) error {
	wait, bounded := time.Duration(forever), false
	if deadline, ok := ctx.Deadline(); ok {
		wait, bounded = max(time.Until(deadline), 0), true
	}
	v, err := l.obtain(ctx, int64(n), wait)
	switch {
	case err != nil:
		return err
	case v.granted:
		return nil
	case bounded:
		return l.fault(context.DeadlineExceeded, lateness(v.wait))
	}
	return l.fault(policy.ErrClosed, nil)
}

// A lateness is how much later permits come.
type lateness time.Duration

func (l lateness) Error() string { return fmt.Sprintf("the permits come in %v", time.Duration(l)) }

// TryAcquire takes n permits, at least 1, if they are there, and reports whether it did.
func (l *RateLimiter) TryAcquire(ctx context.Context, n int) (bool, error) {
	v, err := l.obtain(ctx, int64(n), 0)
	return v.granted, err
}

// TryAcquireFor takes n permits, at least 1, waiting for them up to wait, and reports whether it did. It reports false
// as soon as it is clear that they do not come in time. A wait of 0 or less is that of TryAcquire.
func (l *RateLimiter) TryAcquireFor(ctx context.Context, n int, wait time.Duration) (bool, error) {
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(deadline))
	}
	v, err := l.obtain(ctx, int64(n), max(wait, 0))
	return v.granted, err
}

// obtain takes n permits or says when they may be there.
func (l *RateLimiter) obtain(ctx context.Context, n int64, wait time.Duration) (verdict, error) {
	if n < 1 || n > maxRate {
		return verdict{}, invalid(l.name, n, 1)
	}
	if err := ctx.Err(); err != nil {
		return verdict{}, l.fault(err, causeOf(ctx))
	}
	if l.lease != nil && l.lease.take(n) {
		return verdict{granted: true}, nil
	}
	v := l.line.acquire(ctx, n, wait)
	switch {
	case v.exceeds != 0:
		return v, &ExceedsRateError{l.name, n, v.exceeds}
	case v.err != nil && errors.Is(v.err, ctx.Err()) && ctx.Err() != nil:
		return v, l.fault(v.err, causeOf(ctx))
	}
	return v, v.err
}

// causeOf returns the cause of a context that has ended, if it is another one than its error.
func causeOf(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return cause
	}
	return nil
}

// AcquireAtMost takes up to n permits, at least 1, as many as are there, and returns how many those were. Once the
// call is under way, it is waited for even if ctx ends.
func (l *RateLimiter) AcquireAtMost(ctx context.Context, n int) (int, error) {
	if n < 1 || n > maxRate {
		return 0, invalid(l.name, int64(n), 1)
	}
	if err := ctx.Err(); err != nil {
		return 0, l.fault(err, causeOf(ctx))
	}
	a, err := within(context.WithoutCancel(ctx), l, func(ctx context.Context) (answer, error) {
		return l.grant(ctx, []run{{1, n}}, 0)
	})
	return a.granted, err
}

// Release gives back n permits, at least 0, that were taken and not used: the newest that are in use. It never makes
// more than the rate of them. It returns when Redis has them; those who wait in this process are asked for again at
// once.
func (l *RateLimiter) Release(ctx context.Context, n int) error {
	if n < 0 || n > maxRate {
		return invalid(l.name, int64(n), 0)
	}
	if n == 0 {
		return nil
	}
	_, err := within(ctx, l, func(ctx context.Context) (int64, error) { return l.store.release(ctx, int64(n), nil) })
	l.line.changed()
	if l.own.Load() != nil && errors.Is(err, ErrNotInitialized) {
		return nil // nothing is in use
	}
	return err
}

// AvailablePermits returns how many permits are there, from 0 to the rate. It writes nothing to Redis. Of a limiter
// which brings its rate with it and is not in Redis, it is that rate.
func (l *RateLimiter) AvailablePermits(ctx context.Context) (int64, error) {
	n, err := within(ctx, l, l.store.available)
	if own := l.own.Load(); own != nil && errors.Is(err, ErrNotInitialized) {
		return own.least(), nil
	}
	return n, err
}

// Close ends what this process has under way: calls that wait return an error that is [policy.ErrClosed], later ones do
// not wait, and permits that were taken in advance are given back. It does not touch the client, and nothing else in
// Redis.
func (l *RateLimiter) Close() error {
	l.closing.Do(func() {
		l.line.close(l.fault(policy.ErrClosed, nil))
		if l.lease != nil {
			l.lease.close()
		}
	})
	return nil
}

// restore gives back permits that nobody wants any more. If that fails they are back after one interval.
func (l *RateLimiter) restore(n int64, stamps []int64) {
	_, _ = within(context.Background(), l, func(ctx context.Context) (int64, error) {
		return l.store.release(ctx, n, stamps)
	})
	l.line.changed()
}

// decide asks Redis for the line.
func (l *RateLimiter) decide(ctx context.Context, runs []run) (answer, error) {
	if l.lease != nil {
		return l.lease.decide(ctx, runs)
	}
	return l.grant(ctx, runs, 0)
}
