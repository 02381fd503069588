package main

import (
	"time"

	"github.com/redis/go-redis/v9"
)

// gcraScript is the generic cell rate algorithm in one key with the server's clock, in microseconds: what a limit costs
// at least that keeps one number. It returns 0 for a grant, else the microseconds to wait.
var gcraScript = redis.NewScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local due = tonumber(redis.call('GET', KEYS[1]) or now)
if due < now then
  due = now
end
due = due + ARGV[1]
local early = due - now - ARGV[2]
if early > 0 then
  return math.ceil(early)
end
redis.call('SET', KEYS[1], string.format('%.3f', due), 'PX', ARGV[3])
return 0
`)

// gcraArgs returns what the script is told of a rate.
func gcraArgs(rate int64, interval time.Duration) []any {
	return []any{
		float64(interval.Microseconds()) / float64(rate), // between two permits
		interval.Microseconds(),                          // how far ahead
		2 * interval.Milliseconds(),                      // time to live
	}
}
