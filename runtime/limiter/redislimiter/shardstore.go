package redislimiter

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// note adds what a shard gave to the stamps.
func (s *shards) note(whole *answer, shard int, permits int64, stamps []int64) {
	if permits > 0 {
		whole.stamps = append(whole.stamps, int64(shard), permits, int64(len(stamps)))
		whole.stamps = append(whole.stamps, stamps...)
	}
}

// A portion is what one shard gave.
type portion struct {
	shard   int
	permits int64
	stamps  []int64
}

// portions reads stamps, the last portion first: what is given back was granted last.
func portions(stamps []int64) (all []portion) {
	for len(stamps) >= 3 {
		shard, permits, n := stamps[0], stamps[1], stamps[2]
		all = append([]portion{{int(shard), permits, stamps[3 : 3+n]}}, all...)
		stamps = stamps[3+n:]
	}
	return all
}

// each calls do for every shard, some at a time, and returns the first error.
func (s *shards) each(do func(i int, ring store) error) error {
	var group sync.WaitGroup
	var once sync.Once
	var first error
	turns := make(chan struct{}, 16)
	for i, ring := range s.rings {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			if err := do(i, ring); err != nil {
				once.Do(func() { first = err })
			}
		})
	}
	group.Wait()
	return first
}

func (s *shards) available(ctx context.Context) (int64, error) {
	var sum atomic.Int64
	err := s.each(func(_ int, ring store) error {
		n, err := ring.available(ctx)
		sum.Add(n)
		return err
	})
	return sum.Load(), err
}

func (s *shards) configure(ctx context.Context, mode mode, config Config) (*Config, bool, error) {
	before := make([]*Config, len(s.rings))
	var wrote atomic.Bool
	err := s.each(func(i int, ring store) error {
		was, written, err := ring.configure(ctx, mode, part(config, int64(i), int64(len(s.rings))))
		before[i] = was
		if written {
			wrote.Store(true)
		}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	s.forget()
	sum := sumOf(before)
	switch {
	case wrote.Load():
		s.total.Store(config.least())
	case sum != nil:
		s.total.Store(sum.least())
	}
	return sum, wrote.Load(), nil
}

// sumOf returns the settings of all shards together, or nil if one has none or another number of limits.
func sumOf(parts []*Config) *Config {
	var sum *Config
	for _, p := range parts {
		switch {
		case p == nil || sum != nil && len(p.And) != len(sum.And):
			return nil
		case sum == nil:
			first := *p
			first.And = append([]Limit(nil), p.And...)
			sum = &first
		default:
			sum.Rate += p.Rate
			for k := range p.And {
				sum.And[k].Rate += p.And[k].Rate
			}
		}
	}
	return sum
}

func (s *shards) config(ctx context.Context) (Config, error) {
	parts := make([]*Config, len(s.rings))
	err := s.each(func(i int, ring store) error {
		c, err := ring.config(ctx)
		parts[i] = &c
		return err
	})
	if err != nil {
		return Config{}, err
	}
	if sum := sumOf(parts); sum != nil {
		return *sum, nil
	}
	return Config{}, ErrNotInitialized
}

// anywhere reports whether ask does for any shard.
func (s *shards) anywhere(ask func(store) (bool, error)) (bool, error) {
	var found atomic.Bool
	err := s.each(func(_ int, ring store) error {
		ok, err := ask(ring)
		if ok {
			found.Store(true)
		}
		return err
	})
	return found.Load(), err
}

func (s *shards) remove(ctx context.Context) (bool, error) {
	s.forget()
	return s.anywhere(func(r store) (bool, error) { return r.remove(ctx) })
}

func (s *shards) exists(ctx context.Context) (bool, error) {
	return s.anywhere(func(r store) (bool, error) { return r.exists(ctx) })
}

func (s *shards) expire(ctx context.Context, after time.Duration) (bool, error) {
	return s.anywhere(func(r store) (bool, error) { return r.expire(ctx, after) })
}

func (s *shards) persist(ctx context.Context) (bool, error) {
	return s.anywhere(func(r store) (bool, error) { return r.persist(ctx) })
}

func (s *shards) ttl(ctx context.Context) (time.Duration, error) {
	var mu sync.Mutex
	least := time.Duration(-1)
	err := s.each(func(_ int, ring store) error {
		left, err := ring.ttl(ctx)
		mu.Lock()
		defer mu.Unlock()
		if left >= 0 && (least < 0 || left < least) {
			least = left
		}
		return err
	})
	return least, err
}
