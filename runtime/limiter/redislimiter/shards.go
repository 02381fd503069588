package redislimiter

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/resilgen/resilgen/runtime/policy"
)

// shardMemory is for how long a shard that had no permits is not asked again.
const shardMemory = 20 * time.Millisecond

// shards is a store that spreads a limit over several others, each of which has its part of the rate. A request is
// granted by one of them or, where none has enough, from several. Stamps are the number of a shard, how many permits it
// gave, and its own stamps, again and again.
type shards struct {
	rings []store
	total atomic.Int64 // the smallest rate of all together; 0: not known
	width atomic.Int64 // the number of limits

	mu     sync.Mutex
	denied []policy.Instant // before which a shard has none
	asked  []policy.Instant // and until when that is believed
}

func newShards(client redis.UniversalClient, name string, s *settings) *shards {
	all := &shards{denied: make([]policy.Instant, s.shards), asked: make([]policy.Instant, s.shards)}
	for i := range s.shards {
		all.rings = append(all.rings, newRing(client, s, func(limits int) []string {
			return shardKeys(s.prefix, name, s.clientID, limits, i)
		}))
	}
	all.total.Store(s.config.least())
	all.width.Store(int64(len(s.config.limits())))
	return all
}

// part returns the limits of the i-th of n shards; the first ones get what does not divide.
func part(c Config, i, n int64) Config {
	split := func(rate int64) int64 {
		rest := int64(0)
		if i < rate%n {
			rest = 1
		}
		return rate/n + rest
	}
	limits := append([]Limit(nil), c.And...)
	for k := range limits {
		limits[k].Rate = split(limits[k].Rate)
	}
	c.Rate, c.And = split(c.Rate), limits
	return c
}

func (s *shards) acquire(ctx context.Context, runs []run, ahead time.Duration) (answer, error) {
	var whole answer
	rest := append([]run(nil), runs...)
	wait := time.Duration(-1) // until the first shard that was asked has what the next one wants
	sooner := func(w time.Duration) {
		if wait < 0 || w < wait {
			wait = w
		}
	}
	from := rand.IntN(len(s.rings))
	for k := range s.rings {
		i := (from + k) % len(s.rings)
		if w := s.believed(i); w > 0 {
			sooner(w)
			continue
		}
		a, err := s.rings[i].acquire(ctx, rest, ahead)
		if err != nil {
			if whole.granted > 0 {
				return whole, nil // those who are granted go; the others ask again
			}
			return answer{}, err
		}
		permits := int64(0)
		rest, permits = grantedOf(rest, a.granted)
		whole.granted += a.granted
		s.note(&whole, i, permits, a.stamps)
		if len(rest) == 0 {
			return whole, nil
		}
		if a.exceeds == 0 {
			if rest[0].permits == 1 {
				s.remember(i, a.wait)
			}
			sooner(a.wait)
		}
	}
	n := rest[0].permits
	if total := s.total.Load(); n > total {
		whole.exceeds = total
		return whole, nil
	}
	whole.wait = max(wait, time.Millisecond)
	if n > 1 && whole.granted == 0 {
		return s.gather(ctx, n, whole, ahead)
	}
	return whole, nil
}

// gather takes the permits of one request from several shards.
func (s *shards) gather(ctx context.Context, n int64, whole answer, ahead time.Duration) (answer, error) {
	lacks, from := n, rand.IntN(len(s.rings))
	var failed error
	wait := time.Duration(-1)
	for k := range s.rings {
		i := (from + k) % len(s.rings)
		a, err := s.rings[i].acquire(ctx, []run{{1, int(lacks)}}, ahead)
		if err != nil {
			failed = err
			break
		}
		s.note(&whole, i, int64(a.granted), a.stamps)
		if lacks -= int64(a.granted); lacks == 0 {
			whole.granted, whole.wait = 1, 0
			return whole, nil
		}
		if wait < 0 || a.wait < wait {
			wait = a.wait
		}
	}
	if lacks < n {
		if _, err := s.release(ctx, n-lacks, whole.stamps); err != nil && failed == nil {
			failed = err
		}
	}
	return answer{wait: max(wait, time.Millisecond)}, failed
}

// grantedOf takes the first requests off and returns the rest, and how many permits they got.
func grantedOf(runs []run, granted int) (rest []run, permits int64) {
	for i, r := range runs {
		if granted < r.requests {
			permits += int64(granted) * r.permits
			runs[i].requests -= granted
			return runs[i:], permits
		}
		granted -= r.requests
		permits += int64(r.requests) * r.permits
	}
	return nil, permits
}

// believed returns how long a shard will have no permit, as far as that is remembered.
func (s *shards) believed(i int) time.Duration {
	now := policy.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now < s.asked[i] {
		return s.denied[i].Sub(now)
	}
	return 0
}

func (s *shards) remember(i int, wait time.Duration) {
	now := policy.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied[i], s.asked[i] = now.Add(wait), now.Add(min(wait, shardMemory))
}

func (s *shards) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.asked)
}

func (s *shards) reserve(ctx context.Context, n int64, longest time.Duration) (answer, error) {
	from, shortest := rand.IntN(len(s.rings)), answer{exceeds: s.total.Load()}
	best := -1
	for k := range s.rings {
		i := (from + k) % len(s.rings)
		a, err := s.rings[i].reserve(ctx, n, 0)
		if err != nil || a.granted == 1 {
			return s.reserved(i, n, a), err
		}
		if a.exceeds == 0 && (best < 0 || a.wait < shortest.wait) {
			best, shortest = i, a
		}
	}
	if best < 0 {
		if n <= shortest.exceeds {
			return answer{}, ErrUnsupported // a reservation stands in one shard
		}
		return shortest, nil
	}
	a, err := s.rings[best].reserve(ctx, n, longest)
	return s.reserved(best, n, a), err
}

func (s *shards) reserved(shard int, n int64, a answer) answer {
	own := a.stamps
	a.stamps = nil
	if a.granted == 1 {
		s.note(&a, shard, n, own)
	}
	return a
}

func (s *shards) release(ctx context.Context, n int64, stamps []int64) (int64, error) {
	s.forget()
	given := int64(0)
	if stamps == nil {
		from := rand.IntN(len(s.rings))
		for k := range s.rings {
			if given == n {
				break
			}
			part, err := s.rings[(from+k)%len(s.rings)].release(ctx, n-given, nil)
			if given += part; err != nil {
				return given, err
			}
		}
		return given, nil
	}
	for _, p := range portions(stamps) {
		if n == 0 {
			break
		}
		permits := min(n, p.permits)
		part, err := s.rings[p.shard].release(ctx, permits, p.stamps)
		n -= permits
		if given += part; err != nil {
			return given, err
		}
	}
	return given, nil
}
