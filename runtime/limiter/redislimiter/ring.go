package redislimiter

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// A ring is the store of this package's own layout: see lua/state.lua.
type ring struct {
	upkeep
	client   redis.UniversalClient
	keysFor  func(limits int) []string
	stride   int                    // keys for each limit
	clock    func() string          // what the scripts take as the time; "" is the server's own
	fallback time.Duration          // how long an unused limiter is kept where its settings do not say
	known    atomic.Pointer[keySet] // keys for as many limits as there are
}

// A keySet is the keys of so many limits.
type keySet struct {
	keys   []string
	limits int
}

func newRing(client redis.UniversalClient, s *settings, keysFor func(limits int) []string) *ring {
	r := &ring{client: client, keysFor: keysFor, stride: 1, clock: s.clock, fallback: fallbackKeepAlive}
	r.upkeep = upkeep{r.live, time.Microsecond}
	if s.clientID != "" {
		r.stride = 2
	}
	if s.config != nil {
		r.fallback = ownKeepAlive
		r.learn(len(s.config.And) + 1)
	} else {
		r.learn(1)
	}
	return r
}

func (r *ring) learn(limits int) { r.known.Store(&keySet{r.keysFor(limits), limits}) }

// ask runs a script on the keys of all limits, with the time, the stride and the number of limits before args. A script
// that finds another number of limits than that has done nothing, and runs again with the right one.
func (r *ring) ask(ctx context.Context, s *script, args ...any) ([]int64, error) {
	return r.try(ctx, s, func(known *keySet) []any {
		return append(append(make([]any, 0, 3+len(args)), r.clock(), r.stride, known.limits), args...)
	})
}

// try is ask with arguments that depend on the number of limits.
func (r *ring) try(ctx context.Context, s *script, args func(*keySet) []any) ([]int64, error) {
	for range 3 {
		known := r.known.Load()
		values, err := s.ask(ctx, r.client, known.keys, args(known)...)
		if err != nil || values[0] != otherLimits {
			return values, err
		}
		if len(values) < 2 || values[1] < 1 || values[1] > maxLimits {
			return nil, ErrForeignKey
		}
		r.learn(int(values[1]))
	}
	return nil, fmt.Errorf("%w: the number of limits keeps changing", ErrUnavailable)
}

func (r *ring) acquire(ctx context.Context, runs []run, ahead time.Duration) (answer, error) {
	requests := 0
	for _, run := range runs {
		requests += run.requests
	}
	values, err := r.try(ctx, acquireScript, func(known *keySet) []any {
		if len(runs) == 1 && known.limits == 1 && r.stride == 1 && ahead == 0 {
			return r.short(runs[0])
		}
		args := append(make([]any, 0, 4+2*len(runs)), r.clock(), r.stride, known.limits, ahead.Microseconds())
		for _, run := range runs {
			args = append(args, run.permits, run.requests)
		}
		return args
	})
	if err != nil {
		return answer{}, err
	}
	if len(values) == 1 {
		return answer{granted: requests, stamps: values}, nil
	}
	return answered(values), nil
}

// short returns the short form of the arguments for equal requests: see lua/grant.lua.
func (r *ring) short(run run) []any {
	switch clock := r.clock(); {
	case clock != "":
		return []any{run.permits, run.requests, clock}
	case run.requests == 1:
		return []any{run.permits}
	}
	return []any{run.permits, run.requests}
}

// answered reads an answer: granted, wait, rate, and the stamps.
func answered(values []int64) answer {
	if len(values) < 3 {
		return answer{}
	}
	a := answer{granted: int(values[0]), wait: microseconds(values[1]), stamps: values[3:]}
	if values[1] < 0 {
		a.wait, a.exceeds = 0, values[2]
	}
	return a
}

func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

func (r *ring) reserve(ctx context.Context, n int64, longest time.Duration) (answer, error) {
	values, err := r.ask(ctx, reserveScript, n, longest.Microseconds())
	if err != nil {
		return answer{}, err
	}
	return answered(values), nil
}

func (r *ring) release(ctx context.Context, n int64, stamps []int64) (int64, error) {
	args := []any{n}
	for _, stamp := range stamps {
		args = append(args, stamp)
	}
	values, err := r.ask(ctx, releaseScript, args...)
	if err != nil {
		return 0, err
	}
	return values[1], nil
}

func (r *ring) available(ctx context.Context) (int64, error) {
	values, err := r.ask(ctx, availableScript)
	if err != nil {
		return 0, err
	}
	return values[1], nil
}

// ttlOf returns how long an unused limiter with these settings is kept.
func (r *ring) ttlOf(c *Config) time.Duration {
	if c.KeepAliveTime > 0 {
		return c.KeepAliveTime
	}
	return max(2*c.longest(), r.fallback)
}

func (r *ring) configure(ctx context.Context, mode mode, config Config) (*Config, bool, error) {
	limits := config.limits()
	args := []any{r.clock(), r.stride, string(mode), int(config.RateType), config.KeepAliveTime.Microseconds(),
		r.ttlOf(&config).Microseconds(), len(limits)}
	for _, l := range limits {
		args = append(args, l.Rate, l.Interval.Microseconds(), l.width().Microseconds())
	}
	values, err := configureScript.ask(ctx, r.client, r.keysFor(len(limits)), args...)
	if err != nil {
		return nil, false, err
	}
	if values[1] == 1 {
		r.learn(len(limits))
	}
	if values[0] == 0 {
		return nil, values[1] == 1, nil
	}
	before := configOf(values)
	if values[1] == 0 && int(values[3]) >= 1 && values[3] <= maxLimits {
		r.learn(int(values[3]))
	}
	return &before, values[1] == 1, nil
}

// configOf reads settings: two values that mean something else, then type, limits, keep-alive, and each limit.
func configOf(values []int64) Config {
	c := Config{RateType: RateType(values[2]), KeepAliveTime: microseconds(values[4])}
	for i := 5; i+1 < len(values); i += 2 {
		limit := Limit{values[i], microseconds(values[i+1])}
		if i == 5 {
			c.Rate, c.Interval = limit.Rate, limit.Interval
		} else {
			c.And = append(c.And, limit)
		}
	}
	return c
}

func (r *ring) config(ctx context.Context) (Config, error) {
	values, err := r.ask(ctx, configScript)
	if err != nil {
		return Config{}, err
	}
	return configOf(values), nil
}

// live runs the script that does something with the keys as such.
func (r *ring) live(ctx context.Context, args ...any) (bool, int64, error) {
	if _, err := r.config(ctx); err != nil && !errors.Is(err, ErrNotInitialized) { // learns how many keys there are
		return false, 0, err
	}
	values, err := lifeScript.ask(ctx, r.client, r.known.Load().keys, append([]any{r.clock()}, args...)...)
	if err != nil {
		return false, 0, err
	}
	return values[0] == 1, values[1], nil
}

func (r *ring) ttl(ctx context.Context) (time.Duration, error) {
	existed, left, err := r.live(ctx, "ttl")
	if err != nil || !existed {
		return -1, err
	}
	return microseconds(left), nil
}
