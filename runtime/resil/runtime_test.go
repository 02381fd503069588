package resil_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

func succeed(context.Context) error { return nil }
func fail(context.Context) error    { return io.EOF }

func TestStrongerLayersWinKeyByKey(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t,
		resil.WithBreaker("db", breaker.WithSlowCallRateThreshold(4)),
		resil.WithBreakerConfig("shared", breaker.WithSlidingWindowSize(20), breaker.WithFailureRateThreshold(2),
			breaker.WithSlowCallRateThreshold(2)),
		resil.WithBreakerConfig("default", breaker.WithMinimumNumberOfCalls(10), breaker.WithSlidingWindowSize(10),
			breaker.WithFailureRateThreshold(1), breaker.WithSlowCallRateThreshold(1)))
	b, err := bindBreaker(rt, "inventory", "shared", "db", breaker.WithFailureRateThreshold(3),
		breaker.WithSlowCallRateThreshold(3))
	require.NoError(t, err)
	got := b.Config()
	require.Equal(t, breaker.DefaultConfig().WaitDurationInOpenState, got.WaitDurationInOpenState, "built-in")
	require.Equal(t, 10, got.MinimumNumberOfCalls, "default configuration")
	require.Equal(t, 20, got.SlidingWindowSize, "named configuration")
	require.Equal(t, 3.0, got.FailureRateThreshold, "annotation")
	require.Equal(t, 4.0, got.SlowCallRateThreshold, "code")
}

func TestInstancesNamedInCodeExistFromTheStart(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t,
		resil.WithRetryConfig("default", retry.WithWaitDuration(time.Second)),
		resil.WithRetry("db", retry.WithMaxAttempts(5)),
		resil.WithRetry("db", retry.WithMaxAttempts(6), nil),
		resil.WithTimeLimiterConfig("default", timelimiter.WithTimeoutDuration(time.Minute)),
		resil.WithTimeLimiter("db"),
		nil)
	r, ok := rt.Retry("db")
	require.True(t, ok)
	require.Equal(t, 6, r.Config().MaxAttempts)
	require.Equal(t, time.Second, r.Config().WaitDuration)
	l, ok := rt.TimeLimiter("db")
	require.True(t, ok)
	require.Equal(t, time.Minute, l.Config().TimeoutDuration)
	_, ok = rt.Breaker("db")
	require.False(t, ok)

	var ref resil.Ref[retry.Retry]
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Retry(&ref, "db", retry.WithMaxAttempts(2), retry.WithWaitDuration(time.Hour))
	require.NoError(t, b.Err())
	require.Same(t, r, ref.For(t.Context()), "an instance that somebody has been given is not replaced")
	require.Equal(t, 6, r.Config().MaxAttempts)
	require.Equal(t, time.Hour, r.Config().WaitDuration)
}

func TestAnnotationSaysInWhichStateABreakerNamedInCodeStarts(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithBreaker("db", breaker.WithFailureRateThreshold(20)))
	var events []policy.Event
	rt.Subscribe(func(e policy.Event) { events = append(events, e) })
	b, err := bindBreaker(rt, "inventory", "", "db", breaker.WithInitialState(breaker.ForcedOpen))
	require.NoError(t, err)
	require.Equal(t, breaker.ForcedOpen, b.State())
	found, ok := rt.Breaker("db")
	require.True(t, ok)
	require.Same(t, b, found)
	require.ErrorIs(t, breaker.Run(t.Context(), b, succeed), breaker.ErrOpen)
	require.Len(t, events, 1)
}

func TestNewReportsAllThatIsNotValid(t *testing.T) {
	t.Parallel()
	_, err := resil.New(
		resil.WithBreakerConfig("shared", breaker.WithFailureRateThreshold(0)),
		resil.WithRetryConfig("", retry.WithMaxAttempts(3)),
		resil.WithTimeLimiter(""))
	require.ErrorContains(t, err, `circuitbreaker configuration "shared": failureRateThreshold is 0; `)
	require.ErrorContains(t, err, "retry configuration has no name; give it one")
	require.ErrorContains(t, err, "timelimiter set in code has no name; give it one")

	_, err = resil.New(
		resil.WithBreaker("good", breaker.WithFailureRateThreshold(20)),
		resil.WithBreaker("db", breaker.WithFailureRateThreshold(0)),
		resil.WithRetry("db", retry.WithMaxAttempts(0)))
	require.ErrorContains(t, err, `circuitbreaker "db": failureRateThreshold is 0; `)
	require.ErrorContains(t, err, `retry "db": maxAttempts is 0; `)
}

func TestNamedConfigurationsStartFromTheDefaultOne(t *testing.T) {
	t.Parallel()
	_, err := resil.New(
		resil.WithRetryConfig("default", retry.WithMaxAttempts(0)),
		resil.WithRetryConfig("shared", retry.WithWaitDuration(time.Second)))
	require.ErrorContains(t, err, `retry configuration "default": maxAttempts is 0; `)
	require.ErrorContains(t, err, `retry configuration "shared": maxAttempts is 0; `)
}

func TestDefaultIsOneForTheProcess(t *testing.T) {
	t.Parallel()
	require.Same(t, resil.Default(), resil.Default())
	require.NotSame(t, resil.Passthrough(), resil.Passthrough())
	b, err := bindBreaker(resil.Default(), "inventory", "", "TestDefaultIsOneForTheProcess")
	require.NoError(t, err)
	require.True(t, b.Config().Enabled)
}

func TestIterationIsInTheOrderOfNames(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithRetry("b"), resil.WithRetry("c"), resil.WithRetry("a"))
	var names []string
	for r := range rt.Retries().All() {
		names = append(names, r.Name())
		bindRetry(t, rt, "d") // not part of the iteration that has begun
	}
	require.Equal(t, []string{"a", "b", "c"}, names)
	for range rt.Retries().All() {
		break
	}
	require.Len(t, slices.Collect(rt.Retries().All()), 4)
	require.Empty(t, slices.Collect(rt.TimeLimiters().All()))
	require.Empty(t, slices.Collect(rt.Fallbacks().All()))
}

func bindRetry(t *testing.T, rt *resil.Runtime, name string, opts ...retry.Option) *retry.Retry {
	t.Helper()
	var ref resil.Ref[retry.Retry]
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Retry(&ref, name, opts...)
	require.NoError(t, b.Err())
	return ref.For(t.Context())
}

func TestSubscribersHearOfInstancesThatAreMadeLater(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	before, err := bindBreaker(rt, "inventory", "", "before")
	require.NoError(t, err)
	var heard []string
	unsubscribe := rt.Subscribe(func(e policy.Event) { heard = append(heard, e.Name) })
	other := rt.Subscribe(func(policy.Event) {})
	after, err := bindBreaker(rt, "inventory", "", "after")
	require.NoError(t, err)

	require.NoError(t, breaker.Run(t.Context(), before, succeed))
	require.NoError(t, breaker.Run(t.Context(), after, succeed))
	require.Equal(t, []string{"before", "after"}, heard)

	unsubscribe()
	unsubscribe()
	require.NoError(t, breaker.Run(t.Context(), before, succeed))
	require.Len(t, heard, 2)
	other()

	again := rt.Subscribe(func(e policy.Event) { heard = append(heard, "again "+e.Name) })
	defer again()
	require.NoError(t, breaker.Run(t.Context(), after, succeed))
	require.Equal(t, []string{"before", "after", "again after"}, heard)
}

func TestInstanceAndRuntimePublishAnEventWithTheSameTime(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	b, err := bindBreaker(rt, "inventory", "", "db")
	require.NoError(t, err)
	var events []policy.Event
	receive := func(e policy.Event) { events = append(events, e) }
	b.Subscribe(receive)
	rt.Subscribe(receive)
	require.NoError(t, breaker.Run(t.Context(), b, succeed))
	require.Len(t, events, 2)
	require.Equal(t, events[0], events[1])
}

func TestLoggerIsToldOfAListenerThatPanics(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	rt := newRuntime(t, resil.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	b, err := bindBreaker(rt, "inventory", "", "db")
	require.NoError(t, err)
	rt.Subscribe(func(policy.Event) { panic("of the runtime") })
	b.Subscribe(func(policy.Event) { panic("of the instance") })
	require.NoError(t, breaker.Run(t.Context(), b, succeed))
	require.Contains(t, log.String(), "of the runtime")
	require.Contains(t, log.String(), "of the instance")
}

// cycling makes a circuit breaker that is OPEN and HALF_OPEN by turns, a minute each, without any call, and calls opens
// as often as it becomes OPEN.
func cycling(opens func()) []breaker.Option {
	return []breaker.Option{
		breaker.WithInitialState(breaker.Open),
		breaker.WithAutomaticTransitionFromOpenToHalfOpenEnabled(true),
		breaker.WithMaxWaitDurationInHalfOpenState(time.Minute),
		breaker.WithWaitIntervalFunctionInOpenState(func(int) time.Duration {
			opens()
			return time.Minute
		}),
	}
}

func TestFailedNewLeavesNoTimerBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var opens atomic.Int64
		options := cycling(func() { opens.Add(1) })
		_, err := resil.New(resil.WithBreaker("db", options...), resil.WithRetry("db", retry.WithMaxAttempts(0)))
		require.Error(t, err)
		opens.Store(0)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Zero(t, opens.Load())
	})
}

func TestInstanceThatAWrapperReplacesIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var opens atomic.Int64
		rt := newRuntime(t, resil.WithBreaker("db", cycling(func() { opens.Add(1) })...))
		_, err := bindBreaker(rt, "inventory", "", "db")
		require.NoError(t, err)
		opens.Store(0)
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		require.EqualValues(t, 30, opens.Load(), "of one instance, not of two")
	})
}

func TestInstancesBuildNoEventsOnceNobodyListensToTheRuntime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t)
		b, err := bindBreaker(rt, "inventory", "", "db", breaker.WithSlowCallDurationThreshold(0))
		require.NoError(t, err)
		timed := func() bool { // without a listener a call that cannot be slow does not read the clock when it begins
			begun := policy.Now()
			call, err := b.Begin()
			require.NoError(t, err)
			time.Sleep(time.Second)
			began := call.Began()
			call.End(t.Context(), nil)
			return began == begun
		}
		require.False(t, timed())
		first, second := rt.Subscribe(func(policy.Event) {}), rt.Subscribe(func(policy.Event) {})
		require.True(t, timed())
		first()
		first()
		require.True(t, timed(), "somebody is left")
		second()
		require.False(t, timed())
	})
}
