// Package redisstrings can't be wrapped: every method of these interfaces returns its error inside of a command.
package redisstrings

import "github.com/redis/go-redis/v9"

// Strings is the commands for strings.
//
//resil:retry name=redis
type Strings interface{ redis.StringCmdable }

// Filters is the commands for probabilistic data.
//
//resil:circuitbreaker name=redis
//resil:bulkhead name=redis
type Filters interface{ redis.ProbabilisticCmdable }
