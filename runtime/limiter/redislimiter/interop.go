package redislimiter

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// RedissonCompatible has the limiter work on the keys of Redisson's RRateLimiter, so that services in Go and in Java
// share one limit: the hash `name`, `{name}:value` and the sorted set `{name}:permits` and, for a limit per client,
// the last two with `:` and the client id behind them. It reads what Redisson 3.13.3 to 4.7 writes, with 8 or 16
// random bytes in a member, and writes as many as are there, 16 by default. A limiter of Redisson until 3.13.2, which
// has a fixed window, is refused: [ErrFixedWindow].
//
// There is no key prefix then, unless [WithKeyPrefix] gives one. [WithOnRateMismatch] is [limiter.Adopt] by default,
// as the rate is likely Java's. Without a keep-alive time the keys stay for ever, as Redisson's do; TTL is the
// longest time.Duration for them. [WithLimits] and [WithShards] have no place in these keys.
//
// # Time
//
// Stamps here are the server's time; those of a Java client are its own. Let d be the largest difference between any
// two of these clocks: then no stretch of the interval less d holds more permits than the rate, and a permit is back
// up to d late or early. With clients of this package alone d is 0, and the limit is exact. These keys have no place
// for a clock that never runs backwards: where the server's is set back, permits are back as much later, and where it
// is set forward, earlier.
//
// # What this layout does not allow
//
// These defects of Redisson's algorithm are not there: a call that is sent twice, zero or negative permits, a set
// that was evicted and wedges the limiter, a number that was evicted and makes the limit full, a rate that was
// lowered and lets more pass, the count of members instead of permits, a window that was cut by its time to live, a
// sweep of the whole window in one call, and released permits that vanish. What other clients of these keys do cannot
// be undone in each case, though:
//
//   - A Java client whose clock is wrong shifts its permits, by the bound above.
//   - A call that a Java client sends twice lowers the number of permits left. It is corrected when the window is
//     empty, or by a call that would be refused: the first one if up to 32 acquisitions are in the window, one of
//     some 60 if up to 1024 are, and none above.
//   - Permits that a Java client releases are given back in the number and not in the set. They are there at once,
//     but are lost when those in the set are back and both together would exceed the rate.
//   - A rate that a Java client lowers below what is in use, or changes for other clients of a PER_CLIENT limit,
//     leaves a number that is wrong until the set corrects it, like that of a call sent twice; a number that is too
//     high is found when it exceeds the rate.
//   - Names with braces are used as Redisson does. In a cluster those whose keys are in several slots are refused by
//     New.
//   - Java's PER_CLIENT ids are random, and what is left of those that are gone stays, unless there is a keep-alive
//     time.
//   - One set member for each acquisition costs memory: 120 bytes, where the layout of this package has a bound.
//     Acquisitions that ride one call share a member.
func RedissonCompatible() Option { return func(s *settings) { s.redisson = true } }

// ErrFixedWindow means that the limiter is one of Redisson until 3.13.2, which had a fixed window that cannot be
// shared: update the Java side and let it set its rate anew. Nothing was taken.
var ErrFixedWindow error = failure("the keys hold a fixed window of Redisson 3.13.2 or older; " +
	"with a newer Redisson set the rate anew, or delete the limiter")

// redisson is the store of Redisson's layout: see lua/interop_state.lua.
type redisson struct {
	upkeep
	client redis.UniversalClient
	keys   []string
	clock  func() string // what the scripts take as the time; "" is the server's own
}

// newRedisson returns a store, or an error if a cluster cannot have its keys in one slot.
func newRedisson(client redis.UniversalClient, name string, s *settings) (store, error) {
	r := &redisson{client: client, keys: redissonKeys(s.prefix+name, s.clientID), clock: s.clock}
	r.upkeep = upkeep{r.live, time.Millisecond}
	if _, cluster := client.(*redis.ClusterClient); cluster && hashTag(r.keys[0]) != hashTag(r.keys[1]) {
		return nil, fmt.Errorf("in a cluster Redisson's keys for this name, %q and %q, are in different slots; "+
			"use a name without braces, or with all of one pair around its first part", r.keys[0], r.keys[1])
	}
	return r, nil
}

// redissonKeys returns the keys of a limiter: the hash, the number and the set and, if there is a client id, its own
// number and set.
func redissonKeys(name, clientID string) []string {
	tagged := name
	if !strings.Contains(name, "{") {
		tagged = "{" + name + "}"
	}
	keys := []string{name, tagged + ":value", tagged + ":permits"}
	if clientID != "" {
		keys = append(keys, keys[1]+":"+clientID, keys[2]+":"+clientID)
	}
	return keys
}

// hashTag returns what of a key tells its slot.
func hashTag(key string) string {
	if _, rest, ok := strings.Cut(key, "{"); ok {
		if tag, _, ok := strings.Cut(rest, "}"); ok && tag != "" {
			return tag
		}
	}
	return key
}

// ask runs a script, with the time before args.
func (r *redisson) ask(ctx context.Context, s *script, args ...any) ([]int64, error) {
	return s.ask(ctx, r.client, r.keys, append([]any{r.clock()}, args...)...)
}

// random returns what tells a member apart from others.
func random() string {
	var bytes [16]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return string(bytes[:])
}

func (r *redisson) acquire(ctx context.Context, runs []run, ahead time.Duration) (answer, error) {
	args := append(make([]any, 0, 2+2*len(runs)), ahead.Milliseconds(), random())
	for _, run := range runs {
		args = append(args, run.permits, run.requests)
	}
	values, err := r.ask(ctx, redissonAcquire, args...)
	if err != nil {
		return answer{}, err
	}
	return answered(values), nil
}

func (r *redisson) reserve(ctx context.Context, n int64, longest time.Duration) (answer, error) {
	values, err := r.ask(ctx, redissonReserve, n, longest.Microseconds(), random())
	if err != nil {
		return answer{}, err
	}
	return answered(values), nil
}

func (r *redisson) release(ctx context.Context, n int64, stamps []int64) (int64, error) {
	stamp := int64(0)
	if len(stamps) > 0 {
		stamp = stamps[0]
	}
	values, err := r.ask(ctx, redissonRelease, n, stamp)
	if err != nil {
		return 0, err
	}
	return values[1], nil
}

func (r *redisson) available(ctx context.Context) (int64, error) {
	values, err := r.ask(ctx, redissonAvailable)
	if err != nil {
		return 0, err
	}
	return values[1], nil
}

func (r *redisson) configure(ctx context.Context, mode mode, config Config) (*Config, bool, error) {
	if len(config.And) > 0 {
		return nil, false, fmt.Errorf("%w: Redisson's keys hold one limit: leave And out", ErrUnsupported)
	}
	values, err := r.ask(ctx, redissonConfigure, string(mode), int(config.RateType-Overall),
		config.KeepAliveTime.Milliseconds(), config.Rate, config.Interval.Milliseconds())
	if err != nil {
		return nil, false, err
	}
	if values[0] == 0 {
		return nil, values[1] == 1, nil
	}
	before := redissonConfig(values)
	return &before, values[1] == 1, nil
}

// redissonConfig reads settings: two values that mean something else, then type, keep-alive, rate and interval.
func redissonConfig(values []int64) Config {
	c := Config{RateType: Overall, KeepAliveTime: time.Duration(values[3]) * time.Millisecond, Rate: values[4],
		Interval: time.Duration(values[5]) * time.Millisecond}
	if values[2] == 1 {
		c.RateType = PerClient
	}
	return c
}

func (r *redisson) config(ctx context.Context) (Config, error) {
	values, err := r.ask(ctx, redissonLife, "config")
	if err != nil {
		return Config{}, err
	}
	return redissonConfig(values), nil
}

func (r *redisson) ttl(ctx context.Context) (time.Duration, error) {
	existed, left, err := r.live(ctx, "ttl")
	switch {
	case err != nil || !existed:
		return -1, err
	case left < 0:
		return math.MaxInt64, nil
	}
	return time.Duration(left) * time.Millisecond, nil
}

// live runs the script that does something with the keys as such.
func (r *redisson) live(ctx context.Context, args ...any) (bool, int64, error) {
	values, err := r.ask(ctx, redissonLife, args...)
	if errors.Is(err, ErrNotInitialized) {
		return false, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	return values[0] == 1, values[1], nil
}
