package main

import (
	"context"
	"errors"

	"github.com/cep21/circuit/v4"
	eapache "github.com/eapache/go-resiliency/breaker"
	failsafebreaker "github.com/failsafe-go/failsafe-go/circuitbreaker"
	slok "github.com/slok/goresilience/circuitbreaker"
	slokerrors "github.com/slok/goresilience/errors"
	"github.com/sony/gobreaker/v2"

	"github.com/resilgen/resilgen/runtime/breaker"
)

func (s *scene) open() []*Case {
	generated := must(NewResilientOpened(s.next, s.rt))
	opened, _ := s.rt.Breaker("opened")
	check(opened.TransitionTo(breaker.Open))
	byHand := must(breaker.New("by hand", breaker.WithWaitDurationInOpenState(forever)))
	check(byHand.TransitionTo(breaker.Open))

	bySony := goBreaker(failing{}, gobreaker.Settings{})
	byExecutor, bySafe := safeBreakerOfCalls(), safeBreakerOfCalls()
	byExecutor.Open()
	bySafe.Open()
	byHystrix := newCircuit("open")
	byHystrix.OpenCircuit(s.ctx)
	bySlok := &byRunner{failing{}, slok.New(slok.Config{MinimumRequestToOpen: 100, WaitDurationInOpenState: forever})}
	byEapache := &byCounter{failing{}, eapache.New(1, 1, forever)}
	for range 100 {
		for _, client := range []Client{bySony, bySlok, byEapache} {
			_, _ = client.Call(s.ctx, 0)
		}
	}
	return []*Case{
		through(ours, "generated; a typed error with RetryAfter", generated).as("open").refusingWith(isOpenError),
		through(ours, "breaker.Do; a typed error with RetryAfter", &byBreaker{s.next, byHand}).refusingWith(isOpenError),
		through("sony/gobreaker", "", bySony).refusing(gobreaker.ErrOpenState).locking(),
		through("failsafe-go", "executor", bySafeExecutor(s.next, byExecutor)).refusing(failsafebreaker.ErrOpen).locking(),
		through("failsafe-go", "by hand", &bySafeBreaker{s.next, bySafe}).refusing(failsafebreaker.ErrOpen).locking(),
		through("cep21/circuit", "", &byCircuit{s.next, byHystrix}).refusingWith(func(err error) bool {
			refusal, ok := errors.AsType[circuit.Error](err)
			return ok && refusal.CircuitOpen()
		}),
		through("slok/goresilience", "", bySlok).refusing(slokerrors.ErrCircuitOpen).locking(),
		through("eapache/go-resiliency", "a timer ends the state", byEapache).refusing(eapache.ErrBreakerOpen),
	}
}

// isOpenError reports whether err is the typed refusal of this module, which knows when to come back.
func isOpenError(err error) bool {
	refusal, ok := errors.AsType[*breaker.OpenError](err)
	if !ok {
		return false
	}
	wait, known := refusal.RetryAfter()
	return known && wait > 0
}

// failing is a Client that fails, to open circuit breakers that cannot be told to.
type failing struct{}

func (failing) Call(context.Context, int) (int, error) { return 0, errFailing }

// check panics if err is not nil; see must.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
