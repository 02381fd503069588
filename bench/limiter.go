package main

import (
	"context"
	"time"

	failsafelimiter "github.com/failsafe-go/failsafe-go/ratelimiter"
	uber "go.uber.org/ratelimit"
	"golang.org/x/time/rate"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// plenty is how many permits there are in a second: more than any machine can take.
const plenty = 1_000_000_000

func (s *scene) limiters() []*Case {
	byHand := must(limiter.New("by hand", limiter.WithLimitForPeriod(plenty), limiter.WithLimitRefreshPeriod(time.Second)))
	xTime := rate.NewLimiter(plenty, plenty)
	byUber := uber.New(plenty)
	bursty := failsafelimiter.NewBursty[int](plenty, time.Second)
	smooth := failsafelimiter.NewSmooth[int](plenty, time.Second)
	return []*Case{
		step(ours, "Acquire",
			func(ctx context.Context) error { return byHand.Acquire(ctx, 1) },
			func(ctx context.Context, n int) {
				for range n {
					_ = byHand.Acquire(ctx, 1)
				}
			}).as("acquire"),
		step(ours, "AcquireAt, with an instant that the caller has read",
			func(ctx context.Context) error { return byHand.AcquireAt(ctx, policy.Now(), 1) },
			func(ctx context.Context, n int) {
				at := policy.Now()
				for range n {
					_ = byHand.AcquireAt(ctx, at, 1)
				}
			}).as("acquireAt"),
		step("x/time/rate", "Allow",
			func(context.Context) error { return granted(xTime.Allow()) },
			func(_ context.Context, n int) {
				for range n {
					xTime.Allow()
				}
			}).locking(),
		step("x/time/rate", "Wait", xTime.Wait, func(ctx context.Context, n int) {
			for range n {
				_ = xTime.Wait(ctx)
			}
		}).locking(),
		step("x/time/rate", "Reserve",
			func(context.Context) error { return granted(xTime.Reserve().OK()) },
			func(_ context.Context, n int) {
				for range n {
					xTime.Reserve()
				}
			}).locking(),
		step("uber-go/ratelimit", "Take",
			func(context.Context) error { return granted(!byUber.Take().IsZero()) },
			func(_ context.Context, n int) {
				for range n {
					byUber.Take()
				}
			}).locking(),
		step("failsafe-go", "by hand; bursty",
			func(context.Context) error { return granted(bursty.TryAcquirePermit()) },
			func(_ context.Context, n int) {
				for range n {
					bursty.TryAcquirePermit()
				}
			}).locking(),
		step("failsafe-go", "by hand; smooth",
			func(context.Context) error { return granted(smooth.TryAcquirePermit()) },
			func(_ context.Context, n int) {
				for range n {
					smooth.TryAcquirePermit()
				}
			}).locking(),
		through(ours, "generated, with the call", must(NewResilientLimited(s.next, s.rt))),
		through("x/time/rate", "Wait, with the call", &byRate{s.next, rate.NewLimiter(plenty, plenty)}).locking(),
		through("failsafe-go", "executor; bursty, with the call",
			bySafeExecutor(s.next, failsafelimiter.NewBursty[int](plenty, time.Second))).locking(),
	}
}

// byRate calls through x/time/rate.
type byRate struct {
	next    Client
	limiter *rate.Limiter
}

func (r *byRate) Call(ctx context.Context, n int) (int, error) {
	if err := r.limiter.Wait(ctx); err != nil {
		return 0, err
	}
	return r.next.Call(ctx, n)
}
