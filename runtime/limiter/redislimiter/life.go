package redislimiter

import (
	"context"
	"fmt"
	"time"
)

// Delete takes the limiter out of Redis and reports whether it was there. One that was made with a rate makes itself
// anew when it is used again; others return ErrNotInitialized then. What other clients have of a PER_CLIENT limit
// counts no more.
func (l *RateLimiter) Delete(ctx context.Context) (bool, error) {
	existed, err := within(ctx, l, l.store.remove)
	if l.lease != nil {
		l.lease.forget()
	}
	l.line.changed()
	return existed, err
}

// Exists reports whether the limiter is in Redis.
func (l *RateLimiter) Exists(ctx context.Context) (bool, error) {
	return within(ctx, l, l.store.exists)
}

// Expire has the limiter go out of Redis after a time, however much it is used until then, and reports whether it was
// there. What is in use then is forgotten with it. At least 1 ms.
func (l *RateLimiter) Expire(ctx context.Context, after time.Duration) (bool, error) {
	if after < time.Millisecond || after > maxInterval {
		return false, fmt.Errorf("redislimiter %q: the time to live is %v; it must be from 1ms to %v", l.name, after, maxInterval)
	}
	return within(ctx, l, func(ctx context.Context) (bool, error) { return l.store.expire(ctx, after) })
}

// ClearExpire takes back what Expire has set, and reports whether it had. The limiter then stays as its keep-alive time
// says.
func (l *RateLimiter) ClearExpire(ctx context.Context) (bool, error) {
	return within(ctx, l, l.store.persist)
}

// TTL returns how long the limiter stays in Redis if it is not used; negative if it is not there. Every limiter has
// such a time: it is renewed by use when less than three quarters of it are left.
func (l *RateLimiter) TTL(ctx context.Context) (time.Duration, error) {
	return within(ctx, l, l.store.ttl)
}
