package main

import (
	"context"
	"net"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// A recorder is a hook that keeps the latest script call of a client, so that the script can be measured without its
// library. That works for scripts that read the server's clock.
type recorder struct{ words atomic.Pointer[[]any] }

// script returns the words of the latest call, nil before the first.
func (r *recorder) script() []any {
	if words := r.words.Load(); words != nil {
		return *words
	}
	return nil
}

func (r *recorder) note(cmd redis.Cmder) {
	if strings.EqualFold(cmd.Name(), "evalsha") {
		words := cmd.Args()
		r.words.Store(&words)
	}
}

// DialHook passes the call on.
func (r *recorder) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook notes a script call.
func (r *recorder) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		r.note(cmd)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook notes the script calls of a pipeline.
func (r *recorder) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, cmd := range cmds {
			r.note(cmd)
		}
		return next(ctx, cmds)
	}
}
