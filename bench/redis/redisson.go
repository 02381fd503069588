package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// redissonScript is the algorithm of Redisson's RRateLimiter since 3.13.3, call for call: a hash with the rate, a number
// of permits left, and a sorted set with an entry for each acquisition. It returns false for a grant and the
// milliseconds to wait for a refusal.
var redissonScript = redis.NewScript(`
local rate = redis.call('HGET', KEYS[1], 'rate')
local interval = redis.call('HGET', KEYS[1], 'interval')
local kind = redis.call('HGET', KEYS[1], 'type')
if not (rate and interval and kind) then
  return redis.error_reply('not initialized')
end
local value, permits = KEYS[2], KEYS[4]
if kind == '1' then
  value, permits = KEYS[3], KEYS[5]
end
local n, now = tonumber(ARGV[1]), tonumber(ARGV[2])
rate, interval = tonumber(rate), tonumber(interval)
if n > rate then
  return redis.error_reply('more than the rate')
end
local wait = false
local left = redis.call('GET', value)
if left then
  local expired = redis.call('ZRANGEBYSCORE', permits, 0, now - interval)
  local released = 0
  for _, member in ipairs(expired) do
    local _, taken = struct.unpack('Bc0I', member)
    released = released + taken
  end
  if released > 0 then
    redis.call('ZREMRANGEBYSCORE', permits, 0, now - interval)
    if left + released > rate then
      local live = 0
      for _, member in ipairs(redis.call('ZRANGE', permits, 0, -1)) do
        local _, taken = struct.unpack('Bc0I', member)
        live = live + taken
      end
      left = rate - live
    else
      left = left + released
    end
    redis.call('SET', value, left)
  end
  if tonumber(left) < n then
    local head = redis.call('ZRANGE', permits, 0, 0, 'WITHSCORES')
    wait = 3 + interval - (now - tonumber(head[2]))
  end
else
  redis.call('SET', value, rate)
end
if not wait then
  redis.call('ZADD', permits, now, struct.pack('Bc0I', string.len(ARGV[3]), ARGV[3], n))
  redis.call('DECRBY', value, n)
end
local keep = redis.call('HGET', KEYS[1], 'keepAliveTime')
if keep and tonumber(keep) > 0 then
  for _, key in ipairs({KEYS[1], value, permits}) do
    redis.call('PEXPIRE', key, keep)
  end
else
  local ttl = redis.call('PTTL', KEYS[1])
  if ttl > 0 then
    redis.call('PEXPIRE', value, ttl)
    redis.call('PEXPIRE', permits, ttl)
  end
end
return wait
`)

// redisson is a limiter with that script.
type redisson struct {
	client *redis.Client
	keys   []string
	now    func() int64 // in milliseconds
}

// newRedisson makes a limiter that goes by the wall clock.
func newRedisson(ctx context.Context, client *redis.Client, name string, rate int64, interval time.Duration) (*redisson, error) {
	r := &redisson{client: client, now: func() int64 { return time.Now().UnixMilli() }}
	r.keys = []string{
		name, "{" + name + "}:value", "{" + name + "}:value:bench", "{" + name + "}:permits", "{" + name + "}:permits:bench",
	}
	err := client.HSet(ctx, name, "rate", rate, "interval", interval.Milliseconds(), "type", 0, "keepAliveTime", 0).Err()
	return r, err
}

// newRedissonWithWindow makes a limiter whose window holds that many acquisitions at each call, of which one expires: its
// clock advances by a millisecond with each.
func newRedissonWithWindow(ctx context.Context, client *redis.Client, name string, window int) (*redisson, error) {
	r, err := newRedisson(ctx, client, name, plenty, time.Duration(window)*time.Millisecond)
	if err != nil {
		return nil, err
	}
	var clock atomic.Int64
	clock.Store(time.Now().UnixMilli())
	r.now = func() int64 { return clock.Add(1) }
	return r, r.fill(ctx, window)
}

// fill makes n acquisitions.
func (r *redisson) fill(ctx context.Context, n int) error {
	if err := redissonScript.Load(ctx, r.client).Err(); err != nil {
		return err
	}
	for n > 0 {
		pipe := r.client.Pipeline()
		for range min(n, 1000) {
			pipe.EvalSha(ctx, redissonScript.Hash(), r.keys, r.args()...)
		}
		n -= min(n, 1000)
		if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
	}
	return nil
}

func (r *redisson) args() []any {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	return []any{1, r.now(), random}
}

// acquire returns how long to wait, 0 for a grant.
func (r *redisson) acquire(ctx context.Context) (time.Duration, error) {
	wait, err := redissonScript.EvalSha(ctx, r.client, r.keys, r.args()...).Int64()
	switch {
	case errors.Is(err, redis.Nil):
		return 0, nil
	case err != nil:
		return 0, err
	case wait <= 0:
		return 0, fmt.Errorf("a refusal says to wait for %d ms", wait)
	}
	return time.Duration(wait) * time.Millisecond, nil
}

// block acquires a permit however long it takes, as Redisson does: wait as told and ask again.
func (r *redisson) block(ctx context.Context) error {
	for {
		wait, err := r.acquire(ctx)
		if err != nil || wait == 0 {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
