package redislimiter

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

const backendDenialCache = 20 * time.Millisecond

// Backend returns a backend for limiters of package limiter, as in
//
//	resil.WithLimiterBackend("redis", redislimiter.Backend(client, redislimiter.WithKeyPrefix("orders:")))
//
// The limiter's settings say what its limit is: LimitForPeriod permits in any stretch of LimitRefreshPeriod, which must
// be whole milliseconds. The window always slides: Algorithm Cycle, its default, and Sliding mean the same here, Smooth
// and a Burst are errors. RateType, OnUnavailable, OnRateMismatch, KeepAliveTime, Shards and Lease of the settings
// override the options of the same names. All of them may change while the limiter is in use.
//
// WithLimitForPeriod and WithLimitRefreshPeriod have no effect here; limits of WithLimits hold for each limiter, beside
// its own. Wrong options are an error of whoever makes the first limiter. The client stays the caller's.
func Backend(client redis.UniversalClient, options ...Option) limiter.Backend {
	b := &backend{client: client, options: append([]Option{WithDenialCache(backendDenialCache)}, options...)}
	if _, single := client.(*redis.Client); single {
		b.gate = &gate{} // one server: if it fails, it fails for all
	}
	return b
}

type backend struct {
	client  redis.UniversalClient
	options []Option
	gate    *gate // nil: each limiter has its own, as it may have another server
}

// Decider returns what decides for one limiter.
func (b *backend) Decider(name string, config limiter.Config) (limiter.Decider, error) {
	d := &decider{backend: b, name: name}
	a, err := d.arrange(config)
	if err != nil {
		return nil, err
	}
	d.current.Store(a)
	return d, nil
}

// A decider decides for one limiter.
type decider struct {
	backend *backend
	name    string
	current atomic.Pointer[arrangement]
	mu      sync.Mutex // held by Reconfigure and Close
	closed  atomic.Bool
}

// An arrangement is how a decider decides while its settings stay the same.
type arrangement struct {
	limits      limiter.Config // of the settings, what Redis has to know
	remote      *RateLimiter
	unavailable limiter.OnUnavailable
	local       *limiter.Limiter // for limiter.Local; else nil
}

// limitsOf returns of the settings what Redis has to know.
func limitsOf(c limiter.Config) limiter.Config {
	return limiter.Config{
		LimitForPeriod: c.LimitForPeriod, LimitRefreshPeriod: c.LimitRefreshPeriod, RateType: c.RateType,
		OnRateMismatch: c.OnRateMismatch, KeepAliveTime: c.KeepAliveTime, Shards: c.Shards, Lease: c.Lease,
	}
}

func same(a, b limiter.Config) bool {
	return a.LimitForPeriod == b.LimitForPeriod && a.LimitRefreshPeriod == b.LimitRefreshPeriod &&
		a.RateType == b.RateType && a.OnRateMismatch == b.OnRateMismatch && a.KeepAliveTime == b.KeepAliveTime &&
		a.Shards == b.Shards && a.Lease == b.Lease
}

// arrange makes an arrangement for settings.
func (d *decider) arrange(config limiter.Config) (*arrangement, error) {
	var wrong []error
	if config.Algorithm == limiter.Smooth {
		wrong = append(wrong, errors.New("algorithm is SMOOTH; with this backend the window slides: leave algorithm out"))
	}
	if config.Burst != 0 {
		wrong = append(wrong, fmt.Errorf("burst is %d; with this backend there is none: leave burst out", config.Burst))
	}
	if p := config.LimitRefreshPeriod; p < time.Millisecond || p%time.Millisecond != 0 {
		wrong = append(wrong, fmt.Errorf("limitRefreshPeriod is %v; with this backend it must be whole milliseconds, from 1ms", p))
	}
	if wrong != nil {
		return nil, errors.Join(wrong...)
	}
	s := newSettings(d.backend.options)
	s.gate = d.backend.gate
	s.rate, s.interval = int64(config.LimitForPeriod), config.LimitRefreshPeriod
	override(&s.rateType, config.RateType)
	override(&s.onMismatch, config.OnRateMismatch)
	override(&s.keepAlive, config.KeepAliveTime)
	override(&s.shards, config.Shards)
	override(&s.lease, int64(config.Lease))
	override(&s.unavailable, config.OnUnavailable)
	remote, err := build(d.backend.client, d.name, s)
	if err != nil {
		return nil, err
	}
	a := &arrangement{limits: limitsOf(config), remote: remote}
	return a, a.provide(d.name, config, s.unavailable)
}

// override sets a value to another one that is given.
func override[T comparable](value *T, other T) {
	var none T
	if other != none {
		*value = other
	}
}

// provide sets what is done while Redis does not answer.
func (a *arrangement) provide(name string, config limiter.Config, u limiter.OnUnavailable) (err error) {
	a.unavailable = u
	if u == limiter.Local {
		a.local, err = limiter.New(name, limiter.WithLimitForPeriod(config.LimitForPeriod),
			limiter.WithLimitRefreshPeriod(config.LimitRefreshPeriod), limiter.WithTimeoutDuration(1<<62),
			limiter.WithAlgorithm(limiter.Sliding))
	}
	return err
}

// Reconfigure puts new settings in force. A limit that has changed is told to Redis now or, if Redis does not answer,
// when it is used next; those who wait go on waiting for permits of the new one.
func (d *decider) Reconfigure(config limiter.Config) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.current.Load()
	next, err := d.arrange(config)
	if err != nil {
		return err
	}
	if same(next.limits, old.limits) {
		if next.unavailable == limiter.Local && old.local != nil {
			next.local = old.local
		}
		next.remote = old.remote
		d.current.Store(next)
		return nil
	}
	if !old.remote.settled.Load() {
		d.current.Store(next)
		return old.remote.Close()
	}
	_, _ = within(context.Background(), next.remote, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, next.remote.settle(ctx)
	})
	d.current.Store(next)
	if d.closed.Load() {
		next.remote.line.close(policy.ErrClosed)
	}
	return old.remote.Close()
}

// Close ends what the decider has running.
func (d *decider) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed.Store(true)
	return d.current.Load().remote.Close()
}

// Acquire takes n permits.
func (d *decider) Acquire(ctx context.Context, n int, wait time.Duration) (limiter.Answer, error) {
	latest := policy.Now().Add(wait)
	for {
		a := d.current.Load()
		v, err := a.remote.obtain(ctx, int64(n), wait)
		switch {
		case err == nil && v.granted:
			return limiter.Answer{Granted: true}, nil
		case err == nil && wait > 0 && d.current.Load() != a:
			wait = max(latest.Sub(policy.Now()), 0)
			continue // the settings have changed
		case err == nil:
			return limiter.Answer{RetryAfter: v.wait}, nil
		case ctx.Err() != nil:
			return limiter.Answer{}, ctx.Err()
		case errors.Is(err, policy.ErrClosed):
			if d.current.Load() != a {
				wait = max(latest.Sub(policy.Now()), 0)
				continue // the settings have changed
			}
			return limiter.Answer{}, policy.ErrClosed
		case errors.Is(err, ErrExceedsRate):
			return limiter.Answer{RetryAfter: -1}, nil
		case unanswered(err):
			return a.decide(ctx, n, max(latest.Sub(policy.Now()), 0), err)
		}
		return limiter.Answer{}, err
	}
}

// unanswered reports whether an error means that Redis did not answer.
func unanswered(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknownOutcome)
}

// decide decides without Redis, which has failed with err.
func (a *arrangement) decide(ctx context.Context, n int, wait time.Duration, err error) (limiter.Answer, error) {
	switch a.unavailable {
	case limiter.Allow:
		return limiter.Answer{Granted: true}, nil
	case limiter.Local:
		if wait == 0 {
			return limiter.Answer{Granted: a.local.TryAcquire(n), RetryAfter: -1}, nil
		}
		limited, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		switch err := a.local.Acquire(limited, n); {
		case err == nil:
			return limiter.Answer{Granted: true}, nil
		case ctx.Err() != nil:
			return limiter.Answer{}, ctx.Err()
		default:
			after := time.Duration(-1)
			if refusal, ok := errors.AsType[*limiter.ExceededError](err); ok {
				if d, known := refusal.RetryAfter(); known {
					after = d
				}
			}
			return limiter.Answer{RetryAfter: after}, nil
		}
	}
	return limiter.Answer{}, err
}

// Available returns how many permits are left.
func (d *decider) Available(ctx context.Context) (int64, error) {
	a := d.current.Load()
	n, err := a.remote.AvailablePermits(ctx)
	if a.local != nil && err != nil && unanswered(err) {
		return a.local.Metrics().AvailablePermits, nil
	}
	return n, err
}

// Drain takes the permits that are left.
func (d *decider) Drain(ctx context.Context) (int64, error) {
	n, err := d.current.Load().remote.AcquireAtMost(ctx, maxRate)
	return int64(n), err
}
