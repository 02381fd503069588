// Package redis wraps the commands of Redis. Most return their error inside of a command, where no policy sees it: what
// is protected is what sends them, Pipelined and Exec, and Process.
package redis

import "github.com/redis/go-redis/v9"

// Client is the commands of Redis.
//
//resil:retry name=redis maxAttempts=2
//resil:circuitbreaker name=redis
type Client interface{ redis.Cmdable }

// Pipe is a pipeline.
//
//resil:circuitbreaker name=redis
type Pipe interface{ redis.Pipeliner }
