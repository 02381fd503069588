package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	throttled "github.com/throttled/throttled/v2"
	goredisstore "github.com/throttled/throttled/v2/store/goredisstore.v9"
	ulule "github.com/ulule/limiter/v3"
	ululeredis "github.com/ulule/limiter/v3/drivers/store/redis"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// plenty is a rate that no measurement reaches, so that every call is granted.
const plenty = 2_000_000_000

// A variant is a way to take a permit.
type variant struct {
	id, library, setting string
	// acquire takes one permit, which there is.
	acquire func(ctx context.Context) error
	// command returns what is sent for one permit, for the scripts that can be sent without their library; else nil.
	command func() []any
}

// errRefused is what a variant returns that was refused a permit.
var errRefused = errors.New("refused, though there are permits")

// The ids of the variants that figures name.
const (
	ping      = "ping"
	ours      = "ours"
	interop   = "interop"
	redisson1 = "redisson-100"
	gcra      = "gcra"
	rate10    = "redis_rate"
)

// windows are how many live acquisitions Redisson's window holds; what it costs depends on that.
var windows = []int{100, 10_000, 100_000}

// variants makes all variants, each with a key of its own.
func variants(ctx context.Context, s *server) ([]*variant, error) {
	client := s.client(64)
	var all []*variant
	add := func(v *variant) { all = append(all, v) }
	add(&variant{id: ping, library: "PING", acquire: func(ctx context.Context) error { return client.Ping(ctx).Err() }})

	for _, own := range []struct {
		id, setting string
		options     []redislimiter.Option
	}{
		{ours, "", nil},
		{interop, "Redisson's keys", []redislimiter.Option{redislimiter.RedissonCompatible()}},
	} {
		recorded := &recorder{}
		client := s.client(64)
		client.AddHook(recorded)
		l, err := redislimiter.New(client, own.id, append(own.options, redislimiter.WithLimitForPeriod(plenty),
			redislimiter.WithLimitRefreshPeriod(time.Second))...)
		if err != nil {
			return nil, err
		}
		add(&variant{
			id: own.id, library: "resilgen", setting: own.setting,
			acquire: func(ctx context.Context) error { return granted(l.TryAcquire(ctx, 1)) },
			command: recorded.script,
		})
	}
	for _, window := range windows {
		r, err := newRedissonWithWindow(ctx, client, "redisson-"+strconv.Itoa(window), window)
		if err != nil {
			return nil, err
		}
		add(&variant{
			id: "redisson-" + strconv.Itoa(window), library: "Redisson's script", setting: fmt.Sprintf("%d live", window),
			acquire: func(ctx context.Context) error {
				wait, err := r.acquire(ctx)
				return granted(wait == 0, err)
			},
			command: func() []any { return evalsha(redissonScript, r.keys, r.args()...) },
		})
	}

	g := gcraArgs(plenty, time.Second)
	if err := gcraScript.Load(ctx, client).Err(); err != nil {
		return nil, err
	}
	add(&variant{
		id: gcra, library: "GCRA in one key", setting: "the least script",
		acquire: func(ctx context.Context) error {
			wait, err := gcraScript.EvalSha(ctx, client, []string{"gcra"}, g...).Int64()
			return granted(wait == 0, err)
		},
		command: func() []any { return evalsha(gcraScript, []string{"gcra"}, g...) },
	})

	recorded := &recorder{}
	rated := s.client(64)
	rated.AddHook(recorded)
	// Above some 1e8 a second its emission interval is lost in a double, and it limits nothing any more.
	limit := redis_rate.Limit{Rate: 10_000_000, Burst: 10_000_000, Period: time.Second}
	rates := redis_rate.NewLimiter(rated)
	add(&variant{
		id: rate10, library: "redis_rate", setting: "Allow",
		acquire: func(ctx context.Context) error {
			result, err := rates.Allow(ctx, "bench", limit)
			return granted(err == nil && result.Allowed == 1, err)
		},
		command: recorded.script,
	})

	store, err := goredisstore.NewCtx(client, "throttled:")
	if err != nil {
		return nil, err
	}
	quota := throttled.RateQuota{MaxRate: throttled.PerSec(10_000_000), MaxBurst: 10_000_000}
	throttle, err := throttled.NewGCRARateLimiterCtx(store, quota)
	if err != nil {
		return nil, err
	}
	add(&variant{
		id: "throttled", library: "throttled", setting: "GCRA, compare and swap",
		acquire: func(ctx context.Context) error {
			limited, _, err := throttle.RateLimitCtx(ctx, "bench", 1)
			return granted(!limited, err)
		},
	})

	counters, err := ululeredis.NewStore(client)
	if err != nil {
		return nil, err
	}
	fixed := ulule.New(counters, ulule.Rate{Period: time.Second, Limit: plenty})
	add(&variant{
		id: "ulule", library: "ulule/limiter", setting: "fixed window",
		acquire: func(ctx context.Context) error {
			c, err := fixed.Get(ctx, "bench")
			return granted(!c.Reached, err)
		},
	})
	return all, nil
}

// granted turns an answer into an error.
func granted(ok bool, err error) error {
	if err == nil && !ok {
		return errRefused
	}
	return err
}

// evalsha returns a call of a script as a command's words.
func evalsha(script *redis.Script, keys []string, args ...any) []any {
	words := []any{"EVALSHA", script.Hash(), len(keys)}
	for _, key := range keys {
		words = append(words, key)
	}
	return append(words, args...)
}
