package retry

import (
	"context"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Attempts is one call with its attempts. It is used by one goroutine, as in
//
//	attempts := r.Begin()
//	for {
//		n, err := call()
//		if !attempts.Again(ctx, &err) {
//			return n, err
//		}
//	}
//
// and is settled, that is counted, exactly once: when Again first reports false, or by Succeed. After that Again keeps
// reporting false and counts nothing.
//
// It has no more than four words, which is what Go returns in registers: with a fifth one Begin takes three times as long.
type Attempts struct {
	settings *settings      // those that it began with; nil where the retry was switched off
	retry    *Retry         // nil likewise
	begun    policy.Instant // set where timed
	progress progress
}

// progress is how many attempts were made, in the low half, and three bits.
type progress uint64

const (
	timed   progress = 1 << 32 // begun is set
	settled progress = 1 << 33 // the call is counted
	final   progress = 1 << 34 // there is no attempt after the one under way
)

// Begin starts a call. It reads the clock only where MaxDuration is set or somebody listens.
func (r *Retry) Begin() Attempts {
	if s := r.plain.Load(); s != nil {
		return Attempts{settings: s, retry: r}
	}
	return r.begin()
}

// begin is Begin where there is more to look at. It is apart so that Begin can be inlined.
//
//go:noinline
func (r *Retry) begin() Attempts {
	s := r.settings.Load()
	if !s.Enabled {
		return Attempts{}
	}
	return Attempts{settings: s, retry: r, begun: policy.Now(), progress: timed}
}

// Again judges the attempt that ended in *err and reports whether to make another one, after it has waited for it. If
// it reports false, *err is what the caller gets: the attempt's error itself, except that a wait that was ended early
// turns it into an [*InterruptedError].
func (a *Attempts) Again(ctx context.Context, err *error) bool {
	if *err == nil && a.progress == 0 && a.settings != nil { // what nearly all calls come to
		a.progress = settled | 1
		a.retry.counters.succeeded.Add(1)
		return false
	}
	return a.again(ctx, err, false, nil)
}

// AgainResult is [Attempts.Again] for calls whose result may be worth another attempt although it came without an
// error; bad says so, and means nothing beside an error. The result of the last attempt goes to the caller, with
// failAfterMaxAttempts beside an [*ExhaustedError].
func (a *Attempts) AgainResult(ctx context.Context, err *error, bad bool) bool {
	return a.again(ctx, err, bad, nil)
}

// Succeed counts the attempt, and with it the call, as a success although it ended in an error: one that is an answer.
func (a *Attempts) Succeed() {
	a.progress++
	if a.pending() {
		a.succeed()
	}
}

// Last says that there can be no attempt after the one under way, as where that uses up what it is given: Again then
// waits for none. An attempt that fails is the last one as if MaxAttempts said so.
func (a *Attempts) Last() { a.progress |= final }

// Number returns how many attempts were made so far: 1 after the first one.
func (a *Attempts) Number() int { return int(uint32(a.progress)) }

// again is AgainResult with the bad result itself, for IntervalBiFunction.
func (a *Attempts) again(ctx context.Context, err *error, bad bool, result any) bool {
	a.progress++
	if !a.pending() {
		return false
	}
	if *err == nil && !bad {
		a.succeed()
		return false
	}
	return a.failed(ctx, err, result)
}

// pending reports whether the call is to be settled.
func (a *Attempts) pending() bool { return a.settings != nil && a.progress&settled == 0 }

func (a *Attempts) settle() *Retry {
	a.progress |= settled
	return a.retry
}

func (a *Attempts) succeed() {
	r := a.settle()
	if a.Number() == 1 {
		r.counters.succeeded.Add(1)
		return
	}
	r.counters.succeededLater.Add(1)
	a.publish(r, policy.Success, 0, nil)
}

// failed decides what follows an error, or a bad result where *err is nil.
func (a *Attempts) failed(ctx context.Context, err *error, result any) bool {
	last, refused := policy.Unmark(*err), policy.Marked(*err)
	if policy.Cancelled(ctx) {
		return a.giveUp(err, cancelled)
	}
	if last != nil && !a.settings.retries(last, refused) {
		if refused {
			return a.giveUp(err, turnedAway)
		}
		return a.giveUp(err, notRetried)
	}
	if ctx.Err() != nil || a.progress&final != 0 || a.Number() >= a.settings.MaxAttempts {
		return a.giveUp(err, exhausted)
	}
	wait := a.settings.wait(a.Number(), result, last)
	if wait < 0 || !a.suffices(ctx, wait) {
		return a.giveUp(err, exhausted)
	}
	if wait > 0 && a.retry.isClosed() {
		*err = a.interrupted(last, policy.ErrClosed)
		return a.giveUp(err, exhausted)
	}
	a.publish(a.retry, policy.RetryScheduled, wait, last)
	if wait > 0 {
		if reason := a.retry.pause(ctx, wait); reason != nil {
			*err = a.interrupted(last, reason)
			if policy.Cancelled(ctx) {
				return a.giveUp(err, cancelled)
			}
			return a.giveUp(err, exhausted)
		}
	}
	a.retry.counters.retries.Add(1)
	return true
}

func (a *Attempts) interrupted(last, reason error) error {
	return &InterruptedError{name: a.retry.name, attempts: a.Number(), last: last, reason: reason}
}

// An ending is a way in which a call fails.
type ending int

const (
	exhausted  ending = iota // worth another attempt, but there is none, or no time for it
	notRetried               // the rules exclude the error
	turnedAway               // a policy further in refused the attempt
	cancelled                // the caller has gone
)

// giveUp settles a call that failed. It reports false, for Again to return.
func (a *Attempts) giveUp(err *error, how ending) bool {
	r := a.settle()
	reason := policy.Unmark(*err)
	if reason == nil { // a bad result
		reason = &ExhaustedError{name: r.name, attempts: a.Number()}
		if a.settings.FailAfterMaxAttempts {
			*err = reason
		}
	}
	counters, event := &r.counters, policy.IgnoredError
	switch {
	case how == cancelled:
		counters.cancelled.Add(1)
	case how == turnedAway:
		counters.refused.Add(1)
	case how == notRetried && a.Number() == 1:
		counters.failed.Add(1)
	case how == notRetried:
		counters.failedLater.Add(1)
	default:
		counters.failedLater.Add(1)
		event = policy.Error
	}
	a.publish(r, event, 0, reason)
	return false
}

func (a *Attempts) publish(r *Retry, event policy.EventType, wait time.Duration, err error) {
	if !r.listeners.Any() {
		return
	}
	e := policy.Event{Kind: policy.Retry, Name: r.name, Type: event, Attempt: a.Number(), Wait: wait, Err: err}
	if a.progress&timed != 0 {
		e.Duration = policy.Now().Sub(a.begun)
	}
	r.listeners.Publish(e)
}
