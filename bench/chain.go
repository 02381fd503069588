package main

import (
	"context"
	"time"

	retrygo "github.com/avast/retry-go/v5"
	failsafebulkhead "github.com/failsafe-go/failsafe-go/bulkhead"
	failsafelimiter "github.com/failsafe-go/failsafe-go/ratelimiter"
	"github.com/slok/goresilience"
	slokbulkhead "github.com/slok/goresilience/bulkhead"
	slokbreaker "github.com/slok/goresilience/circuitbreaker"
	slokretry "github.com/slok/goresilience/retry"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/retry"
)

func (s *scene) chains() []*Case {
	return []*Case{
		through(ours, "generated", must(NewResilientChained(s.next, s.rt))).as("chain"),
		through(ours, "Do within Do", s.doWithinDo()),
		through("gobreaker, x/time/rate, semaphore, retry-go", "without the context",
			&byAssembly{newAssembled(s.next), newRetryGo()}).as("assembled").locking(),
		through("gobreaker, x/time/rate, semaphore, retry-go", "honouring the context",
			&byAssemblyContext{newAssembled(s.next)}).locking(),
		through("failsafe-go", "executor", bySafeExecutor(s.next,
			safeRetry(), safeBreakerOfCalls(),
			failsafelimiter.NewBursty[int](plenty, time.Second), failsafebulkhead.New[int](slots))).as("failsafe").locking(),
		through("slok/goresilience", "it has no rate limiter", &byRunner{s.next, goresilience.RunnerChain(
			slokretry.NewMiddleware(slokretry.Config{Times: attempts - 1, WaitBase: pause, DisableBackoff: true}),
			slokbreaker.NewMiddleware(slokbreaker.Config{}),
			slokbulkhead.NewMiddleware(slokbulkhead.Config{Workers: slots}),
		)}).handingOver(),
	}
}

// byPolicies calls through four policies of this module, without generated code.
type byPolicies struct {
	next     Client
	retry    *retry.Retry
	breaker  *breaker.Breaker
	limiter  *limiter.Limiter
	bulkhead *bulkhead.Bulkhead
}

func (s *scene) doWithinDo() *byPolicies {
	return &byPolicies{
		next:    s.next,
		retry:   must(retry.New("by hand", retry.WithMaxAttempts(attempts), retry.WithWaitDuration(pause))),
		breaker: must(breaker.New("by hand", breaker.WithSlowCallDurationThreshold(time.Second))),
		limiter: must(limiter.New("by hand",
			limiter.WithLimitForPeriod(plenty), limiter.WithLimitRefreshPeriod(time.Second))),
		bulkhead: must(bulkhead.New("by hand", bulkhead.WithMaxConcurrentCalls(slots))),
	}
}

func (p *byPolicies) Call(ctx context.Context, n int) (int, error) {
	return retry.Do(ctx, p.retry, func(ctx context.Context) (int, error) {
		return breaker.Do(ctx, p.breaker, func(ctx context.Context) (int, error) {
			return limiter.Do(ctx, p.limiter, func(ctx context.Context) (int, error) {
				return bulkhead.Do(ctx, p.bulkhead, func(ctx context.Context) (int, error) { return p.next.Call(ctx, n) })
			})
		})
	})
}

// assembled is what programs put together from one library for each policy.
type assembled struct {
	next    Client
	breaker *gobreaker.CircuitBreaker[int]
	limiter *rate.Limiter
	slots   *semaphore.Weighted
}

func newAssembled(next Client) assembled {
	return assembled{
		next:    next,
		breaker: goBreaker(next, gobreaker.Settings{Interval: time.Minute, BucketPeriod: time.Second}).breaker,
		limiter: rate.NewLimiter(plenty, plenty),
		slots:   semaphore.NewWeighted(slots),
	}
}

// byAssembly makes its retrier once and never waits.
type byAssembly struct {
	assembled
	retry *retrygo.RetrierWithData[int]
}

func (a *byAssembly) Call(ctx context.Context, n int) (int, error) {
	return a.retry.Do(func() (int, error) {
		return a.breaker.Execute(func() (int, error) {
			if !a.limiter.Allow() || !a.slots.TryAcquire(1) {
				return 0, errNotGranted
			}
			defer a.slots.Release(1)
			return a.next.Call(ctx, n)
		})
	})
}

// byAssemblyContext ends each of its waits with the context.
type byAssemblyContext struct{ assembled }

func (a *byAssemblyContext) Call(ctx context.Context, n int) (int, error) {
	return newRetryGoFor(ctx).Do(func() (int, error) {
		return a.breaker.Execute(func() (int, error) {
			if err := a.limiter.Wait(ctx); err != nil {
				return 0, err
			}
			if err := a.slots.Acquire(ctx, 1); err != nil {
				return 0, err
			}
			defer a.slots.Release(1)
			return a.next.Call(ctx, n)
		})
	})
}
