package breaker_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

func TestListeners(t *testing.T) {
	inBubble(t, "the deciding call is published in order", func(t *testing.T) {
		b := counting(t, 1, breaker.WithSlowCallDurationThreshold(time.Millisecond))
		j := listen(b)
		call(t, b, time.Second, errFailed)
		require.Equal(t, []policy.EventType{
			policy.Error, policy.FailureRateExceeded, policy.SlowCallRateExceeded, policy.StateTransition,
		}, j.types())
		for _, e := range j.events {
			require.Equal(t, policy.CircuitBreaker, e.Kind)
			require.Equal(t, "testName", e.Name)
			require.Equal(t, time.Now(), e.Time)
		}
		require.Equal(t, time.Second, j.events[0].Duration)
		require.Equal(t, errFailed, j.events[0].Err)
		require.Equal(t, 100.0, j.events[1].Rate)
		require.Equal(t, 100.0, j.events[2].Rate)
		require.Equal(t, "CLOSED", j.events[3].From)
		require.Equal(t, "OPEN", j.events[3].To)
	})
	inBubble(t, "the last probe is published without rates", func(t *testing.T) {
		b := halfOpen(t, breaker.WithPermittedNumberOfCallsInHalfOpenState(1))
		j := listen(b)
		calls(t, b, "E")
		require.Equal(t, []policy.EventType{policy.Error, policy.StateTransition}, j.types())
	})
	inBubble(t, "what happened without an error has a name", func(t *testing.T) {
		b := fixture(t)
		j := listen(b)
		c := begin(t, b)
		c.EndResult(background, nil, true)
		c = begin(t, b)
		c.Abort()
		require.Equal(t, breaker.ErrFailedResult, j.events[0].Err)
		require.Equal(t, breaker.ErrAborted, j.events[1].Err)
	})
	inBubble(t, "a refusal is published", func(t *testing.T) {
		b := fixture(t)
		transition(t, b, breaker.Open)
		j := listen(b)
		refusal := requireRefused(t, b)
		require.Equal(t, policy.NotPermitted, j.events[0].Type)
		require.Same(t, error(refusal), j.events[0].Err)
	})
	inBubble(t, "disabled hides late results too", func(t *testing.T) {
		b := fixture(t)
		late := begin(t, b)
		ignored := begin(t, b)
		transition(t, b, breaker.Disabled)
		j := listen(b)
		late.End(background, errFailed)
		ignored.End(background, errNotFound)
		require.Empty(t, j.types())
		require.Equal(t, breaker.Lifetime{Failed: 1, Late: 1, Ignored: 1}, b.Metrics().Lifetime)
	})
	inBubble(t, "reset is published after the transition", func(t *testing.T) {
		b := fixture(t)
		j := listen(b)
		b.Reset()
		transition(t, b, breaker.Open)
		b.Reset()
		require.Equal(t, []policy.EventType{
			policy.Reset, policy.StateTransition, policy.StateTransition, policy.Reset,
		}, j.types())
	})
	inBubble(t, "metrics only announces anew in the next stay", func(t *testing.T) {
		b := counting(t, 1, breaker.WithInitialState(breaker.MetricsOnly))
		j := listen(b)
		calls(t, b, "EE")
		transition(t, b, breaker.MetricsOnly)
		calls(t, b, "EE")
		require.Equal(t, 2, j.count(policy.FailureRateExceeded))
	})
	inBubble(t, "one that panics is logged and changes nothing", func(t *testing.T) {
		b := halfOpen(t, breaker.WithPermittedNumberOfCallsInHalfOpenState(1))
		var log bytes.Buffer
		b.SetLogger(slog.New(slog.NewTextHandler(&log, nil)))
		b.Subscribe(func(policy.Event) { panic("listener") })
		j := listen(b)
		calls(t, b, "S")
		requireState(t, breaker.Closed, b)
		require.Equal(t, []policy.EventType{policy.Success, policy.StateTransition}, j.types())
		require.Contains(t, log.String(), "panic=listener")
	})
	inBubble(t, "one may call back", func(t *testing.T) {
		b := counting(t, 1)
		var seen []breaker.State
		depth := 0
		b.Subscribe(func(e policy.Event) {
			if depth++; depth > 1 {
				return
			}
			seen = append(seen, b.State(), b.Metrics().State)
			requireRefused(t, b)
			reconfigure(t, b, breaker.WithFailureRateThreshold(10))
			b.Reset()
		})
		calls(t, b, "E")
		require.Equal(t, []breaker.State{breaker.Open, breaker.Open}, seen)
		requireState(t, breaker.Closed, b)
	})
}
