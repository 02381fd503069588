package breaker_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

func TestEndClassifies(t *testing.T) {
	gone, cancel := context.WithCancel(background)
	cancel()
	record := func(target error) breaker.Option {
		return breaker.WithRecordErrors(func(err error) bool { return errors.Is(err, target) })
	}
	success, failure := breaker.Lifetime{Successful: 1}, breaker.Lifetime{Failed: 1}
	ignored, cancelled, refused := breaker.Lifetime{Ignored: 1}, breaker.Lifetime{Cancelled: 1}, breaker.Lifetime{Refused: 1}
	inner := policy.MarkInner(errFailed)
	for name, test := range map[string]struct {
		opts   []breaker.Option
		ctx    context.Context
		err    error
		failed bool
		want   breaker.Lifetime
	}{
		"no error":                                {ctx: background, want: success},
		"no error, cancelled":                     {ctx: gone, want: success},
		"failed result":                           {ctx: background, failed: true, want: failure},
		"error":                                   {ctx: background, err: errFailed, want: failure},
		"error, cancelled":                        {ctx: gone, err: errFailed, want: cancelled},
		"recorded error, cancelled":               {[]breaker.Option{record(errFailed)}, gone, errFailed, false, cancelled},
		"somebody's cancellation":                 {ctx: background, err: context.Canceled, want: failure},
		"ignored error":                           {ctx: background, err: errNotFound, want: ignored},
		"ignored error, failed result":            {ctx: background, err: errNotFound, failed: true, want: ignored},
		"ignored and recorded error":              {[]breaker.Option{record(errNotFound)}, background, errNotFound, false, ignored},
		"recorded error":                          {[]breaker.Option{record(errFailed)}, background, errFailed, false, failure},
		"error that is not recorded":              {[]breaker.Option{record(nil)}, background, errFailed, false, success},
		"inner refusal":                           {ctx: background, err: inner, want: refused},
		"inner refusal, cancelled":                {ctx: gone, err: inner, want: refused},
		"recorded inner refusal":                  {[]breaker.Option{record(errFailed)}, background, inner, false, failure},
		"inner refusal that is not recorded":      {[]breaker.Option{record(nil)}, background, inner, false, refused},
		"recorded inner refusal, cancelled":       {[]breaker.Option{record(errFailed)}, gone, inner, false, cancelled},
		"inner refusal that would be ignored too": {ctx: background, err: policy.MarkInner(errNotFound), want: refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBreaker(t, append(test.opts, breaker.WithIgnoreErrors(isNotFound))...)
			c := begin(t, b)
			c.EndResult(test.ctx, test.err, test.failed)
			require.Equal(t, test.want, b.Metrics().Lifetime)
		})
	}
}

func TestACallIsSettledOnce(t *testing.T) {
	t.Parallel()
	b := halfOpen(t)
	c := begin(t, b)
	c.End(background, nil)
	c.End(background, errFailed)
	c.EndResult(background, nil, true)
	c.Abort()
	requireCounts(t, b, 1, 0, 0, 0)
	c = begin(t, b)
	c.End(background, errNotFound)
	c.Abort()
	requireCounts(t, b, 1, 0, 0, 0)
	c = begin(t, b)
	c.Abort()
	c.End(background, nil)
	requireCounts(t, b, 2, 1, 0, 0)
}

func TestTheZeroCallCountsNowhere(t *testing.T) {
	t.Parallel()
	var c breaker.Call
	c.End(background, errFailed)
	c.Transition(breaker.ToOpen)
	c.Abort()
	require.InDelta(t, float64(policy.Now()), float64(c.Began()), float64(time.Minute))
}

func TestGoexitIsAFailure(t *testing.T) {
	t.Parallel()
	b := halfOpen(t, breaker.WithPermittedNumberOfCallsInHalfOpenState(1))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = breaker.Run(background, b, func(context.Context) error { runtime.Goexit(); return nil })
	}()
	<-done
	requireState(t, breaker.Open, b)
}

func TestBegan(t *testing.T) {
	inBubble(t, "is when the call began where the clock was read", func(t *testing.T) {
		b := newBreaker(t)
		then := policy.Now()
		c := begin(t, b)
		time.Sleep(time.Second)
		require.Equal(t, then, c.Began())
	})
	inBubble(t, "is now where it was not", func(t *testing.T) {
		c := begin(t, counting(t, 1))
		time.Sleep(time.Second)
		require.Equal(t, policy.Now(), c.Began())
	})
}

func TestTransitionOfACall(t *testing.T) {
	inBubble(t, "is for the stay that admitted it", func(t *testing.T) {
		b := fixture(t)
		c := begin(t, b)
		b.Reset()
		c.End(background, nil)
		c.Transition(breaker.ToOpen)
		requireState(t, breaker.Closed, b)
	})
	inBubble(t, "is for CLOSED only", func(t *testing.T) {
		for _, state := range []breaker.State{breaker.HalfOpen, breaker.MetricsOnly, breaker.Disabled} {
			b := fixture(t, breaker.WithInitialState(state))
			c := begin(t, b)
			c.End(background, nil)
			c.Transition(breaker.ToOpen)
			requireState(t, state, b)
		}
	})
	inBubble(t, "may be to stay", func(t *testing.T) {
		for _, stay := range []breaker.Transition{
			breaker.Stay, breaker.ToOpenFor(0), breaker.ToOpenFor(-1), breaker.ToOpenUntil(time.Now()),
		} {
			b := fixture(t)
			c := begin(t, b)
			c.Transition(stay)
			requireState(t, breaker.Closed, b)
		}
	})
}

func TestAttemptsAreCountedAsInResilience4j(t *testing.T) {
	t.Parallel()
	var attempts []int
	b := newBreaker(t, breaker.WithWaitIntervalFunctionInOpenState(func(attempt int) time.Duration {
		attempts = append(attempts, attempt)
		return time.Minute
	}))
	transition(t, b, breaker.Open, breaker.HalfOpen, breaker.Open, breaker.Open)
	require.NoError(t, b.OpenFor(time.Second))
	transition(t, b, breaker.HalfOpen, breaker.Open, breaker.ForcedOpen, breaker.Open, breaker.Closed, breaker.Open,
		breaker.Disabled, breaker.Open)
	require.Equal(t, []int{1, 2, 3, 4, 6, 1, 1}, attempts)
	attempts = nil
	newBreaker(t, breaker.WithInitialState(breaker.Open), func(c *breaker.Config) { *c = b.Config(); c.InitialState = breaker.Open })
	require.Equal(t, []int{1}, attempts)
}

func TestTransitionsByHand(t *testing.T) {
	t.Parallel()
	illegal := map[[2]breaker.State]bool{
		{breaker.Closed, breaker.HalfOpen}:      true,
		{breaker.MetricsOnly, breaker.Open}:     true,
		{breaker.MetricsOnly, breaker.HalfOpen}: true,
	}
	for _, from := range states {
		for _, to := range append(states[:len(states):len(states)], 6) {
			b := fixture(t, breaker.WithInitialState(from))
			err := b.TransitionTo(to)
			if illegal[[2]breaker.State{from, to}] || to == 6 {
				refused, ok := errors.AsType[*breaker.TransitionError](err)
				require.True(t, ok)
				require.ErrorIs(t, err, breaker.ErrIllegalTransition)
				require.Equal(t, []any{"testName", from, to}, []any{refused.Name(), refused.From(), refused.To()})
				requireState(t, from, b)
				continue
			}
			require.NoError(t, err)
			requireState(t, to, b)
		}
		b := fixture(t, breaker.WithInitialState(from))
		require.Equal(t, from == breaker.MetricsOnly, b.OpenFor(time.Minute) != nil)
	}
}

func TestWaits(t *testing.T) {
	t.Run("do not overflow the process's clock", func(t *testing.T) { // it is negative in a bubble
		t.Parallel()
		b := fixture(t)
		require.NoError(t, b.OpenFor(1<<63-1))
		requireRefused(t, b)
	})
	inBubble(t, "too long to tell are bounded", func(t *testing.T) {
		b := fixture(t, breaker.WithAutomaticTransitionFromOpenToHalfOpenEnabled(true))
		require.NoError(t, b.OpenFor(1<<63-1))
		time.Sleep(time.Hour)
		requireRefused(t, b)
		require.NoError(t, b.Close())
	})
	inBubble(t, "below zero are over at once", func(t *testing.T) {
		b := fixture(t, breaker.WithWaitIntervalFunctionInOpenState(func(int) time.Duration { return -1 }))
		transition(t, b, breaker.Open)
		begin(t, b)
		requireState(t, breaker.HalfOpen, b)
	})
	inBubble(t, "whose function panics are the plain ones", func(t *testing.T) {
		panics := breaker.WithWaitIntervalFunctionInOpenState(func(int) time.Duration { panic("interval") })
		b := counting(t, 1, panics)
		c := begin(t, b)
		require.PanicsWithValue(t, "interval", func() { c.End(background, errFailed) })
		requireState(t, breaker.Open, b)
		require.Equal(t, time.Second, b.Metrics().OpenFor)

		b = counting(t, 1, panics)
		require.PanicsWithValue(t, "call", func() { // not "interval": Abort does not panic
			_ = breaker.Run(background, b, func(context.Context) error { panic("call") })
		})
		requireState(t, breaker.Open, b)

		b = fixture(t, panics, breaker.WithInitialState(breaker.HalfOpen),
			breaker.WithMaxWaitDurationInHalfOpenState(time.Second))
		j := listen(b)
		time.Sleep(time.Second)
		settle(t)
		requireState(t, breaker.Open, b)
		require.Equal(t, []policy.EventType{policy.StateTransition, policy.Panicked}, j.types())
		require.Equal(t, "interval", j.events[1].Panic)
	})
}

func TestClose(t *testing.T) {
	inBubble(t, "ends the timer and leaves its work to calls", func(t *testing.T) {
		b := fixture(t, breaker.WithAutomaticTransitionFromOpenToHalfOpenEnabled(true),
			breaker.WithMaxWaitDurationInHalfOpenState(time.Second))
		transition(t, b, breaker.Open)
		require.NoError(t, b.Close())
		require.NoError(t, b.Close())
		time.Sleep(time.Minute)
		requireState(t, breaker.Open, b)
		begin(t, b)
		requireState(t, breaker.HalfOpen, b)
		time.Sleep(time.Minute)
		requireState(t, breaker.HalfOpen, b)
		requireRefused(t, b)
		requireState(t, breaker.Open, b)
	})
}
