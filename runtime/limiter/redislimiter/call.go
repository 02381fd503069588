package redislimiter

import (
	"context"
	"errors"
	"time"

	"github.com/resilgen/resilgen/runtime/limiter"
)

// grant has the store decide. A limiter that brings a rate with it sees to it that Redis has one first, and again when
// that is lost.
func (l *RateLimiter) grant(ctx context.Context, runs []run, ahead time.Duration) (answer, error) {
	return settledly(ctx, l, func() (answer, error) { return l.store.acquire(ctx, runs, ahead) })
}

func settledly[T any](ctx context.Context, l *RateLimiter, do func() (T, error)) (T, error) {
	if err := l.settle(ctx); err != nil {
		var none T
		return none, err
	}
	result, err := do()
	if own := l.own.Load(); own != nil && errors.Is(err, ErrNotInitialized) {
		if _, _, err := l.store.configure(ctx, try, *own); err != nil {
			return result, err
		}
		return do()
	}
	return result, err
}

// settle has the first use of a limiter tell Redis its rate.
func (l *RateLimiter) settle(ctx context.Context) error {
	if l.settled.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.settled.Load() {
		return nil
	}
	own, mode := *l.own.Load(), overwrite
	if l.settings.onMismatch == limiter.Adopt {
		mode = try
	}
	before, wrote, err := l.store.configure(ctx, mode, own)
	if err != nil {
		return err
	}
	l.settled.Store(true)
	if before != nil && !before.equal(&own) && l.settings.mismatched != nil {
		l.settings.mismatched.tell(RateMismatch{Name: l.name, Here: own, There: *before, Overwritten: wrote})
	}
	return nil
}

// within makes one call to Redis, of which the answer is waited for as long as a call may take, whatever the client
// does.
func within[T any](ctx context.Context, l *RateLimiter, call func(context.Context) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, l.fault(err, causeOf(ctx))
	}
	if !l.gate.pass() {
		return none, l.fault(ErrUnavailable, errShut)
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.settings.callTimeout)
	defer cancel()
	go func() {
		value, err := call(timed)
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		if o.err == nil {
			l.gate.tell(false)
			return o.value, nil
		}
		kind, sick := classify(o.err)
		l.gate.tell(sick)
		if kind == nil {
			return o.value, l.fault(o.err, nil)
		}
		return o.value, l.fault(kind, o.err)
	case <-ctx.Done():
		l.gate.drop()
		return none, l.fault(ctx.Err(), causeOf(ctx))
	case <-timed.Done():
		l.gate.tell(true)
		return none, l.fault(ErrUnknownOutcome, silence(l.settings.callTimeout))
	}
}
