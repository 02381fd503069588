package timelimiter

import (
	"context"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Detach calls fn on a goroutine of its own and returns what it returned, or when the limit has run out a
// [*TimeoutError], or when the caller's context has ended context.Cause of it (and the context's own error, where the
// cause hides that): it comes back in time even if fn heeds no context. fn then goes on until it returns, with nobody to
// take its result, and nothing else of the call outlives it. If ctx has ended before, fn is not called.
//
// With CancelRunningFuture, which is the default, the context that fn was given ends at the limit, or with the caller's.
// Without it that context has the caller's values but no deadline, and ends when fn does.
//
// A panic of fn is raised again on the caller, with the same value, and runtime.Goexit in fn is one in the caller. If the
// caller has left by then, a panic is counted, logged and published as [policy.Panicked] with its stack, and ends there.
func Detach[T any](ctx context.Context, l *TimeLimiter, fn func(context.Context) (T, error)) (T, error) {
	return detach(ctx, l, fn, nil)
}

// DetachUntilClose is [Detach] for results with a body that is read after the call has returned. The function body says
// where in a result it is; nil, or a pointer to nil, means that there is none. The context that fn was given then ends
// when the body is closed, the limit runs out or the caller's context ends, as [Call.KeepUntilClose] describes it. The
// body of a result that comes when the caller has left is closed.
func DetachUntilClose[T any](
	ctx context.Context, l *TimeLimiter, fn func(context.Context) (T, error), body func(*T) *io.ReadCloser,
) (T, error) {
	return detach(ctx, l, fn, body)
}

func detach[T any](
	ctx context.Context, l *TimeLimiter, fn func(context.Context) (T, error), body func(*T) *io.ReadCloser,
) (T, error) {
	s := l.settings.Load()
	if !s.Enabled {
		return fn(ctx)
	}
	limited, call := l.begin(ctx, s)
	defer call.Stop()
	var none T
	if ctx.Err() != nil {
		return none, call.End(policy.Ended(ctx))
	}
	w := &work[T]{limiter: l, ctx: limited, body: body, done: make(chan struct{})}
	if !s.CancelRunningFuture {
		w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	}
	go w.run(fn)
	select {
	case <-w.done:
	case <-limited.Done():
		if w.abandon() {
			return none, call.leave()
		}
		<-w.done // it ended at the same moment
	}
	if at := w.open(); at != nil {
		*at = call.keep(*at, w.cancel)
	} else {
		w.end()
	}
	switch w.ending {
	case panicked:
		panic(w.value)
	case exited:
		runtime.Goexit()
	}
	return w.result, call.End(w.err)
}

// leave settles a call whose caller does not wait any longer.
func (c *Call) leave() error {
	if c.ranOut() {
		return c.end(context.DeadlineExceeded, true)
	}
	return c.end(policy.Ended(c.caller), false)
}

// work is a detached call. Its fields beside claim belong to the goroutine that runs it until done is closed.
type work[T any] struct {
	limiter *TimeLimiter
	ctx     context.Context
	cancel  context.CancelFunc // of ctx, where that is the work's own and not the call's; else nil
	body    func(*T) *io.ReadCloser
	claim   atomic.Bool // by the first of: the work that has ended, the caller that leaves
	done    chan struct{}
	ending  ending
	result  T
	err     error
	value   any // of the panic
}

// An ending is a way in which a function ends.
type ending int

const (
	exited ending = iota // by runtime.Goexit
	returned
	panicked
)

// abandon reports whether the caller may leave. If not, the work has ended.
func (w *work[T]) abandon() bool {
	w.limiter.counters.abandoned.Add(1) // before the work can take it off
	if w.claim.CompareAndSwap(false, true) {
		return true
	}
	w.limiter.counters.abandoned.Add(-1)
	return false
}

// end ends the context of work that nobody needs any longer.
func (w *work[T]) end() {
	if w.cancel != nil {
		w.cancel()
	}
}

// open returns where the body of the result is, if there is one to be closed; else nil.
func (w *work[T]) open() *io.ReadCloser {
	if w.body == nil || w.ending != returned {
		return nil
	}
	if at := w.body(&w.result); at != nil && *at != nil {
		return at
	}
	return nil
}

func (w *work[T]) run(fn func(context.Context) (T, error)) {
	defer func() {
		var stack []byte
		if w.ending != returned {
			if w.value = recover(); w.value != nil {
				w.ending, stack = panicked, debug.Stack()
			}
		}
		if w.claim.CompareAndSwap(false, true) {
			close(w.done)
			return
		}
		w.limiter.counters.abandoned.Add(-1)
		if at := w.open(); at != nil {
			_ = (*at).Close() // there is nobody to whom an error would mean anything
		}
		w.end()
		if w.ending == panicked {
			w.limiter.unattended(w.value, stack)
		}
	}()
	w.result, w.err = fn(w.ctx)
	w.ending = returned
}

// unattended reports a panic that no caller is left to take.
func (l *TimeLimiter) unattended(value any, stack []byte) {
	l.counters.panicked.Add(1)
	logger := l.logger.Load()
	if logger == nil {
		logger = slog.Default()
	}
	logger.Error("resil: an abandoned call panicked", "policy", string(policy.TimeLimiter), "name", l.name,
		"panic", value, "stack", string(stack))
	l.listeners.Publish(policy.Event{
		Kind: policy.TimeLimiter, Name: l.name, Type: policy.Panicked, Panic: value, Stack: stack,
	})
}
