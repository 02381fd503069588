package redislimiter

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Reservation holds permits whose time may be still to come.
type Reservation struct {
	limiter   *RateLimiter
	permits   int64
	at        policy.Instant
	stamps    []int64
	cancelled atomic.Bool
}

// Reserve takes n permits, at least 1, at once, behind all that are taken, also by other processes. They may be used
// when Delay of the reservation has come down to 0. It fails with an error that is context.DeadlineExceeded, and takes
// nothing, if that would be after the deadline of ctx. Those who wait in line are not asked for meanwhile: reserve or
// acquire, but do not mix.
func (l *RateLimiter) Reserve(ctx context.Context, n int) (*Reservation, error) {
	permits := int64(n)
	if permits < 1 || permits > maxRate {
		return nil, invalid(l.name, permits, 1)
	}
	longest := time.Duration(math.MaxInt64)
	if deadline, ok := ctx.Deadline(); ok {
		longest = max(time.Until(deadline), 0)
	}
	if err := ctx.Err(); err != nil {
		return nil, l.fault(err, causeOf(ctx))
	}
	a, err := within(context.WithoutCancel(ctx), l, func(ctx context.Context) (answer, error) {
		return settledly(ctx, l, func() (answer, error) { return l.store.reserve(ctx, permits, longest) })
	})
	switch {
	case err != nil:
		return nil, err
	case a.exceeds != 0:
		return nil, &ExceedsRateError{l.name, permits, a.exceeds}
	case a.granted == 0:
		return nil, l.fault(context.DeadlineExceeded, lateness(a.wait))
	}
	return &Reservation{limiter: l, permits: permits, at: policy.Now().Add(a.wait), stamps: a.stamps}, nil
}

// Delay returns how long it takes from now until the permits may be used; 0 means now.
func (r *Reservation) Delay() time.Duration { return max(r.at.Sub(policy.Now()), 0) }

// Cancel gives the permits back, unless their time has come: then they count as used and it reports false. It also does
// so when it is called again. Later reservations keep their time.
func (r *Reservation) Cancel(ctx context.Context) (bool, error) {
	if r.Delay() == 0 || r.cancelled.Swap(true) {
		return false, nil
	}
	_, err := within(ctx, r.limiter, func(ctx context.Context) (int64, error) {
		return r.limiter.store.release(ctx, r.permits, r.stamps)
	})
	r.limiter.line.changed()
	return err == nil, err
}
