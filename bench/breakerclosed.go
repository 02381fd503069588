package main

import (
	"context"
	"time"

	"github.com/cep21/circuit/v4"
	"github.com/cep21/circuit/v4/closers/hystrix"
	eapache "github.com/eapache/go-resiliency/breaker"
	"github.com/failsafe-go/failsafe-go"
	failsafebreaker "github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/slok/goresilience"
	slok "github.com/slok/goresilience/circuitbreaker"
	"github.com/sony/gobreaker/v2"

	"github.com/resilgen/resilgen/runtime/breaker"
)

// forever is longer than any benchmark: an open circuit breaker stays open.
const forever = 24 * time.Hour

func (s *scene) closed() []*Case {
	fixed := gobreaker.Settings{Interval: time.Minute}
	rolling := gobreaker.Settings{Interval: time.Minute, BucketPeriod: time.Second}
	return []*Case{
		through(ours, "generated; failures and slow calls of 100", must(NewResilientClosed(s.next, s.rt))).as("closed"),
		through(ours, "generated; failures of 100, no duration needed",
			must(NewResilientClosedUntimed(s.next, s.rt))).as("untimed"),
		through(ours, "generated; failures and slow calls of 60 s", must(NewResilientClosedSeconds(s.next, s.rt))),
		through(ours, "breaker.Do; failures and slow calls of 100",
			&byBreaker{s.next, must(breaker.New("by hand", breaker.WithSlowCallDurationThreshold(time.Second)))}),
		through("sony/gobreaker", "fixed window of 60 s", goBreaker(s.next, fixed)).locking(),
		through("sony/gobreaker", "rolling window of 60 x 1 s", goBreaker(s.next, rolling)).locking(),
		through("sony/gobreaker", "two-step; rolling window of 60 x 1 s",
			&byTwoStep{s.next, gobreaker.NewTwoStepCircuitBreaker[int](goBreakerSettings(rolling))}).locking(),
		through("failsafe-go", "executor; failures of 100", bySafeExecutor(s.next, safeBreakerOfCalls())).locking(),
		through("failsafe-go", "executor; failures of 60 s", bySafeExecutor(s.next, safeBreakerOfSeconds())).locking(),
		through("failsafe-go", "by hand; failures of 100", &bySafeBreaker{s.next, safeBreakerOfCalls()}).locking(),
		through("failsafe-go", "by hand; failures of 60 s", &bySafeBreaker{s.next, safeBreakerOfSeconds()}).locking(),
		through("cep21/circuit", "Hystrix rules of 10 x 1 s, no timeout", &byCircuit{s.next, newCircuit("closed")}),
		through("slok/goresilience", "failures of 10 x 1 s", &byRunner{s.next, slok.New(slok.Config{})}).locking(),
		through("eapache/go-resiliency", "a counter of errors", &byCounter{s.next, eapache.New(5, 1, time.Minute)}),
	}
}

// byBreaker calls through a circuit breaker of this module, without generated code.
type byBreaker struct {
	next    Client
	breaker *breaker.Breaker
}

func (b *byBreaker) Call(ctx context.Context, n int) (int, error) {
	return breaker.Do(ctx, b.breaker, func(ctx context.Context) (int, error) { return b.next.Call(ctx, n) })
}

// byGoBreaker calls through sony/gobreaker.
type byGoBreaker struct {
	next    Client
	breaker *gobreaker.CircuitBreaker[int]
}

func goBreaker(next Client, window gobreaker.Settings) *byGoBreaker {
	return &byGoBreaker{next, gobreaker.NewCircuitBreaker[int](goBreakerSettings(window))}
}

// goBreakerSettings are of a circuit breaker that opens as the others do, when half of at least a hundred calls have
// failed, and stays open.
func goBreakerSettings(window gobreaker.Settings) gobreaker.Settings {
	window.ReadyToTrip = func(n gobreaker.Counts) bool { return n.Requests >= 100 && n.TotalFailures*2 >= n.Requests }
	window.Timeout = forever
	return window
}

func (b *byGoBreaker) Call(ctx context.Context, n int) (int, error) {
	return b.breaker.Execute(func() (int, error) { return b.next.Call(ctx, n) })
}

// byTwoStep calls through sony/gobreaker's other interface.
type byTwoStep struct {
	next    Client
	breaker *gobreaker.TwoStepCircuitBreaker[int]
}

func (b *byTwoStep) Call(ctx context.Context, n int) (int, error) {
	done, err := b.breaker.Allow()
	if err != nil {
		return 0, err
	}
	result, err := b.next.Call(ctx, n)
	done(err)
	return result, err
}

// byExecutor calls through an executor of failsafe-go.
type byExecutor struct {
	next     Client
	executor failsafe.Executor[int]
}

func bySafeExecutor(next Client, policies ...failsafe.Policy[int]) *byExecutor {
	return &byExecutor{next, failsafe.With(policies...)}
}

func (e *byExecutor) Call(ctx context.Context, n int) (int, error) {
	return e.executor.WithContext(ctx).Get(func() (int, error) { return e.next.Call(ctx, n) })
}

// bySafeBreaker calls through a circuit breaker of failsafe-go by its own methods.
type bySafeBreaker struct {
	next    Client
	breaker failsafebreaker.CircuitBreaker[int]
}

func (b *bySafeBreaker) Call(ctx context.Context, n int) (int, error) {
	if !b.breaker.TryAcquirePermit() {
		return 0, failsafebreaker.ErrOpen
	}
	result, err := b.next.Call(ctx, n)
	if err != nil {
		b.breaker.RecordError(err)
		return result, err
	}
	b.breaker.RecordSuccess()
	return result, nil
}

func safeBreakerOfCalls() failsafebreaker.CircuitBreaker[int] {
	return failsafebreaker.NewBuilder[int]().WithFailureThresholdRatio(50, 100).WithDelay(forever).Build()
}

func safeBreakerOfSeconds() failsafebreaker.CircuitBreaker[int] {
	return failsafebreaker.NewBuilder[int]().WithFailureRateThreshold(0.5, 100, time.Minute).WithDelay(forever).Build()
}

// byCircuit calls through cep21/circuit.
type byCircuit struct {
	next    Client
	circuit *circuit.Circuit
}

func newCircuit(name string) *circuit.Circuit {
	rules := hystrix.Factory{
		ConfigureOpener: hystrix.ConfigureOpener{RequestVolumeThreshold: 100},
		ConfigureCloser: hystrix.ConfigureCloser{SleepWindow: forever},
	}
	config := rules.Configure(name)
	config.Execution.Timeout = -1               // off; the default of 1 s costs a context and a timer a call
	config.Execution.MaxConcurrentRequests = -1 // off
	return circuit.NewCircuitFromConfig(name, config)
}

func (c *byCircuit) Call(ctx context.Context, n int) (result int, err error) {
	err = c.circuit.Run(ctx, func(ctx context.Context) error {
		result, err = c.next.Call(ctx, n)
		return err
	})
	return result, err
}

// byRunner calls through a runner of slok/goresilience: any of its policies, or several.
type byRunner struct {
	next   Client
	runner goresilience.Runner
}

func (r *byRunner) Call(ctx context.Context, n int) (result int, err error) {
	err = r.runner.Run(ctx, func(ctx context.Context) error {
		var err error
		result, err = r.next.Call(ctx, n)
		return err
	})
	return result, err
}

// byCounter calls through the circuit breaker of eapache/go-resiliency.
type byCounter struct {
	next    Client
	breaker *eapache.Breaker
}

func (b *byCounter) Call(ctx context.Context, n int) (result int, err error) {
	err = b.breaker.Run(func() error {
		var err error
		result, err = b.next.Call(ctx, n)
		return err
	})
	return result, err
}
