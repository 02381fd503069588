package main

import (
	"context"
	"time"

	retrygo "github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	"github.com/eapache/go-resiliency/retrier"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	slok "github.com/slok/goresilience/retry"

	"github.com/resilgen/resilgen/runtime/retry"
)

// All retries make up to three attempts, 100 ms apart.
const (
	attempts = 3
	pause    = 100 * time.Millisecond
)

func (s *scene) retries() []*Case {
	byHand := must(retry.New("by hand", retry.WithMaxAttempts(attempts), retry.WithWaitDuration(pause)))
	return []*Case{
		through(ours, "generated", must(NewResilientRetried(s.next, s.rt))).as("retry"),
		through(ours, "retry.Do", &byRetry{s.next, byHand}),
		step(ours, "Begin and Again, without the call",
			func(ctx context.Context) (err error) {
				attempts := byHand.Begin()
				if attempts.Again(ctx, &err) {
					return errFailing
				}
				return err
			},
			func(ctx context.Context, n int) {
				for range n {
					var err error
					attempts := byHand.Begin()
					attempts.Again(ctx, &err)
				}
			}),
		through("avast/retry-go", "made once, without the context", &byRetryGo{s.next, newRetryGo()}),
		through("avast/retry-go", "made for each call, with its context", &byRetryGoContext{s.next}),
		through("cenkalti/backoff", "", &byBackoff{s.next, backoff.NewConstantBackOff(pause)}),
		through("eapache/go-resiliency", "",
			&byRetrier{s.next, retrier.New(retrier.ConstantBackoff(attempts-1, pause), nil)}),
		through("slok/goresilience", "",
			&byRunner{s.next, slok.New(slok.Config{Times: attempts - 1, WaitBase: pause, DisableBackoff: true})}),
		through("failsafe-go", "executor", bySafeExecutor(s.next, safeRetry())),
	}
}

// byRetry calls through a retry of this module, without generated code.
type byRetry struct {
	next  Client
	retry *retry.Retry
}

func (r *byRetry) Call(ctx context.Context, n int) (int, error) {
	return retry.Do(ctx, r.retry, func(ctx context.Context) (int, error) { return r.next.Call(ctx, n) })
}

// byRetryGo calls through avast/retry-go the way that its authors advise where performance counts. It does not end when
// the context does: a retrier is given its context when it is made.
type byRetryGo struct {
	next  Client
	retry *retrygo.RetrierWithData[int]
}

func newRetryGo() *retrygo.RetrierWithData[int] {
	return retrygo.NewWithData[int](
		retrygo.Attempts(attempts), retrygo.Delay(pause), retrygo.DelayType(retrygo.FixedDelay))
}

// newRetryGoFor returns a retrier that ends when ctx does.
func newRetryGoFor(ctx context.Context) *retrygo.RetrierWithData[int] {
	return retrygo.NewWithData[int](retrygo.Context(ctx),
		retrygo.Attempts(attempts), retrygo.Delay(pause), retrygo.DelayType(retrygo.FixedDelay))
}

func (r *byRetryGo) Call(ctx context.Context, n int) (int, error) {
	return r.retry.Do(func() (int, error) { return r.next.Call(ctx, n) })
}

// byRetryGoContext is byRetryGo with a retrier for each call, which ends when its context does.
type byRetryGoContext struct {
	next Client
}

func (r *byRetryGoContext) Call(ctx context.Context, n int) (int, error) {
	return newRetryGoFor(ctx).Do(func() (int, error) { return r.next.Call(ctx, n) })
}

// byBackoff calls through cenkalti/backoff.
type byBackoff struct {
	next  Client
	waits *backoff.ConstantBackOff // it has no state, so that all calls can share it
}

func (b *byBackoff) Call(ctx context.Context, n int) (int, error) {
	return backoff.Retry(ctx, func() (int, error) { return b.next.Call(ctx, n) },
		backoff.WithBackOff(b.waits), backoff.WithMaxTries(attempts))
}

// byRetrier calls through the retrier of eapache/go-resiliency.
type byRetrier struct {
	next  Client
	retry *retrier.Retrier
}

func (r *byRetrier) Call(ctx context.Context, n int) (result int, err error) {
	err = r.retry.RunCtx(ctx, func(ctx context.Context) error {
		var err error
		result, err = r.next.Call(ctx, n)
		return err
	})
	return result, err
}

func safeRetry() retrypolicy.RetryPolicy[int] {
	return retrypolicy.NewBuilder[int]().WithMaxAttempts(attempts).WithDelay(pause).Build()
}
