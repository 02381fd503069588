package resil_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

func TestForcedStateIsLiveAndSticky(t *testing.T) {
	t.Parallel()
	for _, state := range []breaker.State{breaker.ForcedOpen, breaker.Disabled, breaker.MetricsOnly} {
		rt := newRuntime(t)
		b, err := bindBreaker(rt, "inventory", "", "db")
		require.NoError(t, err)
		ref := bindTenants(t, rt, "db-{tenant}")
		member := ref.For(acme(t.Context()))
		require.NoError(t, b.TransitionTo(breaker.Open))
		forced := func(more ...any) resil.Option {
			return from(said(policy.CircuitBreaker, "db", 1, append([]any{"forceState", state}, more...)...))
		}
		require.NoError(t, rt.Apply(forced()))
		require.Equal(t, state, b.State())
		require.Equal(t, state, member.State())
		require.Equal(t, state, ref.For(t.Context()).State(), "one that is made later begins in it")
		require.NoError(t, rt.Apply(forced("slidingWindowSize", 7)))
		require.Equal(t, state, b.State(), "another change leaves it alone")
		require.NoError(t, b.TransitionTo(breaker.Closed))
		require.NoError(t, rt.Apply(forced("slidingWindowSize", 8)))
		require.Equal(t, state, b.State(), "each change brings it back")

		by, err := breaker.New("db")
		require.NoError(t, err)
		_, err = rt.Breakers().Replace("db", by)
		require.NoError(t, err)
		require.Equal(t, state, by.State(), "so does another instance of the name")

		require.NoError(t, rt.Apply(from()))
		for _, b := range []*breaker.Breaker{by, member, ref.For(t.Context())} {
			require.Equal(t, breaker.Closed, b.State(), "it is reset")
		}
	}
}

func TestForcedStateHoldsFromTheStart(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, from(said(policy.CircuitBreaker, "db", 1, "forceState", breaker.ForcedOpen),
		ofTenant("acme", said(policy.CircuitBreaker, "db", 5, "forceState", breaker.Closed))))
	b, err := bindBreaker(rt, "inventory", "", "db", breaker.WithInitialState(breaker.MetricsOnly))
	require.NoError(t, err)
	require.Equal(t, breaker.ForcedOpen, b.State())
	ref := bindTenants(t, rt, "db-{tenant}")
	require.Equal(t, breaker.ForcedOpen, ref.For(t.Context()).State())
	require.Equal(t, breaker.Closed, ref.For(acme(t.Context())).State(), "an exception")
	require.NoError(t, rt.Apply(from()))
	require.Equal(t, breaker.Closed, b.State())
	require.Equal(t, breaker.Closed, ref.For(t.Context()).State())
}

func TestResetFollowsOnlyAForcedState(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	b, err := bindBreaker(rt, "inventory", "", "db")
	require.NoError(t, err)
	require.NoError(t, b.TransitionTo(breaker.ForcedOpen))
	require.NoError(t, rt.Apply(from(said(policy.CircuitBreaker, "db", 1, "slidingWindowSize", 7))))
	require.Equal(t, breaker.ForcedOpen, b.State(), "somebody has done that by hand")
}

// TestOneSwitchTurnsEverythingOff: Document.Enabled wins over all layers, and is live.
func TestOneSwitchTurnsEverythingOff(t *testing.T) {
	t.Parallel()
	source := newSource(doc())
	rt := newRuntime(t, resil.WithSource(source),
		resil.WithBreaker("db", breaker.WithEnabled(true)),
		resil.WithLimiter("db", limiter.WithLimitForPeriod(1), limiter.WithLimitRefreshPeriod(time.Hour), limiter.WithTimeoutDuration(0)),
		resil.WithBulkhead("db", bulkhead.WithMaxConcurrentCalls(1)), resil.WithRetry("db"), resil.WithTimeLimiter("db"),
		resil.WithPoolBulkhead("db"))
	off := false
	switched := doc()
	switched.Enabled = &off
	b, _ := rt.Breaker("db")
	l, _ := rt.Limiter("db")
	ref := bindTenants(t, rt, "orders-{tenant}")
	member := ref.For(acme(t.Context()))
	byHand, err := breaker.New("by-hand")
	require.NoError(t, err)
	_, err = rt.Breakers().GetOrCreate("by-hand")
	require.NoError(t, err)
	_, err = rt.Breakers().Replace("by-hand", byHand)
	require.NoError(t, err)
	enabled := func() (on []bool) {
		r, _ := rt.Retry("db")
		tl, _ := rt.TimeLimiter("db")
		bh, _ := rt.Bulkhead("db")
		p, _ := rt.PoolBulkhead("db")
		return []bool{b.Config().Enabled, l.Config().Enabled, r.Config().Enabled, tl.Config().Enabled, bh.Config().Enabled,
			p.Config().Enabled, member.Config().Enabled, byHand.Config().Enabled}
	}
	all := func(on bool) []bool { return []bool{on, on, on, on, on, on, on, on} }
	require.Equal(t, all(true), enabled())
	require.NoError(t, l.Acquire(t.Context(), 1))
	require.Error(t, l.Acquire(t.Context(), 1))

	source.say(switched, nil)
	require.Equal(t, all(false), enabled())
	require.NoError(t, l.Acquire(t.Context(), 1))
	require.False(t, ref.For(t.Context()).Config().Enabled, "one that is made later")
	late, err := breaker.New("db")
	require.NoError(t, err)
	_, err = rt.Breakers().Replace("db", late)
	require.NoError(t, err)
	require.False(t, late.Config().Enabled, "one that comes by Replace")

	source.say(doc(), nil)
	b = late
	require.Equal(t, all(true), enabled())
}

func TestHealthHasWhatADocumentRegisters(t *testing.T) {
	t.Parallel()
	const register, mayFail = "registerHealthIndicator", "allowHealthIndicatorToFail"
	file := doc(
		said(policy.CircuitBreaker, "a", 1, register, true),
		said(policy.CircuitBreaker, "b", 5, register, true, mayFail, true),
		said(policy.CircuitBreaker, "silent", 9, mayFail, true),
		said(policy.RateLimiter, "a", 13, register, true, "limitForPeriod", 1, "limitRefreshPeriod", time.Hour))
	rt := newRuntime(t, resil.WithSource(newSource(file)))
	a, _ := rt.Breaker("a")
	b, _ := rt.Breaker("b")
	silent, _ := rt.Breaker("silent")
	require.NoError(t, silent.TransitionTo(breaker.Open))
	health := func() string {
		h := rt.Health()
		text := string(h.Status)
		for _, i := range h.Instances {
			text += fmt.Sprintf(" %s.%s=%s", i.Kind, i.Name, i.Status)
		}
		return text
	}
	require.Equal(t, "UP circuitbreaker.a=UP circuitbreaker.b=UP ratelimiter.a=UP", health())
	require.NoError(t, a.TransitionTo(breaker.Open))
	require.Equal(t, "UP circuitbreaker.a=CIRCUIT_OPEN circuitbreaker.b=UP ratelimiter.a=UP", health())
	require.NoError(t, b.TransitionTo(breaker.Open))
	require.Equal(t, "DOWN circuitbreaker.a=CIRCUIT_OPEN circuitbreaker.b=DOWN ratelimiter.a=UP", health())
	require.NoError(t, b.TransitionTo(breaker.HalfOpen))
	require.NoError(t, a.TransitionTo(breaker.Disabled))
	require.Equal(t, "UP circuitbreaker.a=UNKNOWN circuitbreaker.b=CIRCUIT_HALF_OPEN ratelimiter.a=UP", health())
	require.NoError(t, rt.Apply(from(said(policy.CircuitBreaker, "b", 5, register, true))))
	require.Equal(t, "UNKNOWN circuitbreaker.b=CIRCUIT_HALF_OPEN", health())
	require.NoError(t, rt.Apply(from()))
	require.Equal(t, resil.Health{Status: resil.Unknown}, rt.Health())
}

func TestHealthOfALimiterThatKeepsCallsWaiting(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, rt *resil.Runtime) {
		l, _ := rt.Limiter("a")
		require.NoError(t, l.Acquire(t.Context(), 1))
		require.Equal(t, resil.Up, rt.Health().Status, "nobody waits")
		waiting := begin(func() error { return l.Acquire(t.Context(), 1) })
		synctest.Wait()
		require.Equal(t, resil.RateLimited, rt.Health().Instances[0].Status, "a further call would wait for 2s, and may for 1s")
		require.NoError(t, rt.Apply(from(said(policy.RateLimiter, "a", 1, "registerHealthIndicator", true,
			"limitForPeriod", 1, "limitRefreshPeriod", time.Second, "timeoutDuration", time.Second,
			"allowHealthIndicatorToFail", true))))
		require.Equal(t, resil.Down, rt.Health().Status)
		require.NoError(t, <-waiting)
	}, from(said(policy.RateLimiter, "a", 1, "registerHealthIndicator", true,
		"limitForPeriod", 1, "limitRefreshPeriod", time.Second, "timeoutDuration", time.Second)))
}

func TestRecentEventsAreTheLatest(t *testing.T) {
	t.Parallel()
	const buffer = "eventConsumerBufferSize"
	rt := newRuntime(t, from(said(policy.CircuitBreaker, "db", 1, buffer, 3), said(policy.CircuitBreaker, "silent", 3)))
	b, _ := rt.Breaker("db")
	silent, _ := rt.Breaker("silent")
	call := func(b *breaker.Breaker, n int) {
		_ = breaker.Run(context.Background(), b, func(context.Context) error { return fmt.Errorf("%d", n) })
	}
	recent := func(name string) (texts []string) {
		for _, e := range rt.RecentEvents(policy.CircuitBreaker, name) {
			texts = append(texts, e.Err.Error())
		}
		return texts
	}
	call(silent, 0)
	require.Empty(t, recent("db"))
	require.Empty(t, recent("silent"))
	require.Empty(t, recent("nobody"))
	require.Nil(t, rt.RecentEvents("nothing", "db"))
	for n := range 5 {
		call(b, n)
	}
	require.Equal(t, []string{"2", "3", "4"}, recent("db"))
	require.NoError(t, rt.Apply(from(said(policy.CircuitBreaker, "db", 1, buffer, 2))))
	require.Equal(t, []string{"3", "4"}, recent("db"))
	require.NoError(t, rt.Apply(from(said(policy.CircuitBreaker, "db", 1, buffer, 4))))
	call(b, 5)
	require.Equal(t, []string{"3", "4", "5"}, recent("db"))
	by, err := breaker.New("db")
	require.NoError(t, err)
	_, err = rt.Breakers().Replace("db", by)
	require.NoError(t, err)
	call(b, 6)
	call(by, 7)
	require.Equal(t, []string{"3", "4", "5", "7"}, recent("db"), "they are the name's")
	call(by, 8)
	require.Equal(t, []string{"4", "5", "7", "8"}, recent("db"))
	require.NoError(t, rt.Apply(from()))
	require.Empty(t, recent("db"))
}

type codeError struct{ code int }

func (e codeError) Error() string { return fmt.Sprint("code ", e.code) }

type pointerError struct{}

func (*pointerError) Error() string { return "pointer" }

type listError []string

func (listError) Error() string { return "list" }

func TestErrorNames(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, from(
		said(policy.Retry, "db", 1, "maxAttempts", 1, "retryErrors",
			listed(3, "net.Error", "io.EOF", "Busy", "Code", "Pointer", "Odd", "List", "java.io.IOException", "context.Canceld"))),
		resil.WithErrorName("Busy", errDown),
		resil.WithErrorName("Code", codeError{}),
		resil.WithErrorName("Pointer", (*pointerError)(nil)),
		resil.WithErrorName("List", listError(nil)),
		resil.WithErrorName("Odd", func(err error) bool { return err.Error() == "odd" }))
	r, _ := rt.Retry("db")
	rule := r.Config().RetryErrors
	require.Equal(t, "net.Error,io.EOF,Busy,Code,Pointer,Odd,List,java.io.IOException,context.Canceld", rule.Text)
	for _, err := range []error{
		errDown, fmt.Errorf("deep: %w", errDown), codeError{7}, fmt.Errorf("deep: %w", codeError{}), &pointerError{},
		errors.New("odd"), listError{"x"}, context.DeadlineExceeded, // which is a net.Error
	} {
		require.True(t, rule.Matches(err), err)
	}
	for _, err := range []error{errors.New("even"), context.Canceled, (*pointerError)(nil), listError(nil), pointless{}} {
		require.False(t, rule.Matches(err))
	}
	require.Equal(t, []string{
		`resil.yaml:3:1: nothing is known as "java.io.IOException", so it matches no error; ` +
			`write resil.WithErrorName("java.io.IOException", ...) in resil.New`,
		`resil.yaml:3:1: nothing is known as "context.Canceld", so it matches no error; did you mean "context.Canceled"? ` +
			`or write resil.WithErrorName("context.Canceld", ...) in resil.New`,
	}, texts(rt.Warnings()))
}

type pointless struct{}

func (pointless) Error() string { return "pointless" }

func texts(warnings []resil.Warning) (all []string) {
	for _, w := range warnings {
		all = append(all, w.String())
	}
	return all
}

func TestListOfUnknownNamesMatchesNothing(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, from(said(policy.Retry, "db", 1, "retryErrors", listed(2, "java.io.IOException"))))
	r, _ := rt.Retry("db")
	calls := 0
	require.Equal(t, errDown, retry.Run(t.Context(), r, func(context.Context) error { calls++; return errDown }))
	require.Equal(t, 1, calls)
}

func TestMisuseOfWithErrorNameIsAnErrorOfNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		target any
		want   string
	}{
		{"", errDown, `resil.WithErrorName("", ...): the name must not be empty and have no spaces and commas`},
		{"a b", errDown, `resil.WithErrorName("a b", ...): the name must not be empty and have no spaces and commas`},
		{"a", nil, `resil.WithErrorName("a", ...): the target is nil; it must be an error, the zero value of an error's type ` +
			`or a func(error) bool`},
		{"a", 7, `resil.WithErrorName("a", ...): the target is a int; it must be an error, the zero value of an error's type ` +
			`or a func(error) bool`},
		{"a", (func(error) bool)(nil), `resil.WithErrorName("a", ...): the target is a nil function; it must be an error, the ` +
			`zero value of an error's type or a func(error) bool`},
		{"a", listError{"x"}, `resil.WithErrorName("a", ...): the target is a resil_test.listError, and two of them cannot be ` +
			`compared; give the zero value of the type`},
		{"io.EOF", errDown, `resil.WithErrorName("io.EOF", ...): the name has a meaning already; choose another one`},
	} {
		_, err := resil.New(resil.WithErrorName(c.name, c.target))
		require.EqualError(t, err, c.want)
	}
	_, err := resil.New(resil.WithErrorName("a", errDown), resil.WithErrorName("a", errDown))
	require.EqualError(t, err, `resil.WithErrorName("a", ...): the name has a meaning already; choose another one`)
}

func TestWarningsAndUnknownKeys(t *testing.T) {
	t.Parallel()
	file := doc(said(policy.Retry, "db", 1, "retryResult", listed(2, "java.Predicate")))
	file.Warnings = []resil.Warning{{Position: at(9), Text: "writableStackTraceEnabled has no meaning here"}}
	file.Unknown = []resil.Problem{{Position: at(5), Text: `unknown key "x"`}}
	_, err := resil.New(resil.WithSource(newSource(file)))
	require.EqualError(t, err, `resil.yaml:5:1: unknown key "x"`)

	want := []string{
		"resil.yaml:2:1: retryResult has no effect: java.Predicate is a function, which a document cannot name; set it by an " +
			"annotation or in code",
		`resil.yaml:5:1: unknown key "x"`,
		"resil.yaml:9:1: writableStackTraceEnabled has no meaning here",
	}
	rt := newRuntime(t, resil.WithSource(newSource(file)), resil.WithUnknownKeys(resil.Warn))
	require.Equal(t, want, texts(rt.Warnings()))
	require.NoError(t, rt.Apply(from()))
	require.Empty(t, rt.Warnings())

	_, err = resil.New(resil.WithSource(newSource(file)), resil.WithUnknownKeys(resil.Warn), resil.Strict())
	require.EqualError(t, err, want[0]+"\n"+want[1]+"\n"+want[2])
	rt = newRuntime(t, resil.Strict(), resil.WithUnknownKeys(resil.Warn))
	require.Error(t, rt.Apply(resil.WithSource(newSource(file))))
	require.Empty(t, rt.Warnings())
}

func TestInstanceIsSwitchedOffAndOnWhileItLives(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	b, err := bindBreaker(rt, "inventory", "", "db")
	require.NoError(t, err)
	other, err := bindBreaker(rt, "inventory", "", "other")
	require.NoError(t, err)
	require.NoError(t, b.TransitionTo(breaker.Open))
	require.ErrorIs(t, breaker.Run(t.Context(), b, succeed), breaker.ErrOpen)
	require.NoError(t, rt.Apply(from(said(policy.CircuitBreaker, "db", 1, "enabled", false))))
	require.NoError(t, breaker.Run(t.Context(), b, succeed))
	require.True(t, other.Config().Enabled)
	require.NoError(t, rt.Apply(from()))
	require.ErrorIs(t, breaker.Run(t.Context(), b, succeed), breaker.ErrOpen, "the state stood still")
}
