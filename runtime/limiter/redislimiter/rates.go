package redislimiter

import (
	"context"
	"fmt"
)

// A State says what becomes of permits that are in use when a rate is set.
type State int

// What becomes of them.
const (
	DropState State = iota // they are forgotten: all permits of the new rate are there
	KeepState              // they stay in use: the new rate has so many fewer, and none if there are more of them
)

// TrySetRate sets the rate if the limiter has none in Redis, and reports whether it did. It never touches one that is
// there.
func (l *RateLimiter) TrySetRate(ctx context.Context, c Config) (bool, error) {
	return l.configure(ctx, try, c)
}

// SetRate sets the rate, whether there was one or not. It drops what is in use, as Redisson's does, unless it is told
// to keep it. A change of the rate type drops it in any case. The new rate holds at once, for all clients.
func (l *RateLimiter) SetRate(ctx context.Context, c Config, state ...State) error {
	_, err := l.configure(ctx, choose(state, set, keep), c)
	return err
}

// UpdateRate is SetRate if the limiter is in Redis; else it writes nothing and reports false.
func (l *RateLimiter) UpdateRate(ctx context.Context, c Config, state ...State) (bool, error) {
	return l.configure(ctx, choose(state, update, renew), c)
}

func choose(state []State, drop, keep mode) mode {
	if len(state) > 0 && state[len(state)-1] == KeepState {
		return keep
	}
	return drop
}

func (l *RateLimiter) configure(ctx context.Context, mode mode, c Config) (bool, error) {
	if err := c.validate(); err != nil {
		return false, fmt.Errorf("redislimiter %q: %w", l.name, err)
	}
	if c.RateType == PerClient && l.settings.clientID == "" {
		return false, l.fault(ErrNoClientID, nil)
	}
	if s := int64(l.settings.shards); s > c.least() {
		return false, fmt.Errorf("redislimiter %q: the rate is %d; it must not be below the number of shards, which is %d",
			l.name, c.least(), s)
	}
	wrote, err := within(ctx, l, func(ctx context.Context) (bool, error) {
		_, wrote, err := l.store.configure(ctx, mode, c)
		return wrote, err
	})
	if err == nil && wrote {
		if l.own.Load() != nil {
			l.own.Store(&c)
		}
		l.settled.Store(true)
		if l.lease != nil && (mode == set || mode == update) {
			l.lease.forget()
		}
		l.line.changed()
	}
	return wrote, err
}

// Config returns the settings that Redis has, or ErrNotInitialized.
func (l *RateLimiter) Config(ctx context.Context) (Config, error) {
	return within(ctx, l, l.store.config)
}
