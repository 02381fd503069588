package resil_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// bindBreaker does what the constructor of a wrapper with one circuit breaker does. The wrapper is the interface Client
// of package example.com/shop/pkg.
func bindBreaker(rt *resil.Runtime, pkg, configuration, name string, opts ...breaker.Option) (*breaker.Breaker, error) {
	var w struct{ breaker resil.Ref[breaker.Breaker] }
	b := resil.Bind(rt, "example.com/shop/"+pkg, pkg+".Client")
	if configuration != "" {
		b.Configuration(configuration).Breaker(&w.breaker, name, opts...)
	} else {
		b.Breaker(&w.breaker, name, opts...)
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	return w.breaker.For(context.Background()), nil
}

func TestAnnotationsOfSharersAreMergedKeyByKey(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	first, err := bindBreaker(rt, "inventory", "", "db", breaker.WithFailureRateThreshold(20))
	require.NoError(t, err)
	second, err := bindBreaker(rt, "orders", "", "db",
		breaker.WithFailureRateThreshold(20), breaker.WithSlidingWindowSize(7))
	require.NoError(t, err)
	require.Same(t, first, second)
	require.Equal(t, 20.0, first.Config().FailureRateThreshold)
	require.Equal(t, 7, first.Config().SlidingWindowSize, "the second wrapper's key reaches the living instance")
	require.Equal(t, breaker.DefaultConfig().MinimumNumberOfCalls, first.Config().MinimumNumberOfCalls)
}

func TestAnnotationMaySetAFieldToItsZeroValue(t *testing.T) {
	t.Parallel()
	b, err := bindBreaker(newRuntime(t), "inventory", "", "db", breaker.WithSlowCallDurationThreshold(0))
	require.NoError(t, err)
	require.Zero(t, b.Config().SlowCallDurationThreshold)
	require.NotZero(t, breaker.DefaultConfig().SlowCallDurationThreshold)
}

func TestOneKeyWithTwoValuesNamesBothPlaces(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	b, err := bindBreaker(rt, "inventory", "", "inventory", breaker.WithFailureRateThreshold(50))
	require.NoError(t, err)
	_, err = bindBreaker(rt, "orders", "", "inventory",
		breaker.WithFailureRateThreshold(60), breaker.WithSlidingWindowSize(7))
	require.EqualError(t, err, `circuitbreaker "inventory": failureRateThreshold is 50 at `+
		`example.com/shop/inventory.Client and 60 at example.com/shop/orders.Client; give them one value or two names`)
	require.Equal(t, breaker.DefaultConfig().SlidingWindowSize, b.Config().SlidingWindowSize,
		"the failed constructor has changed nothing")
	_, err = bindBreaker(rt, "billing", "", "inventory", breaker.WithSlidingWindowSize(9))
	require.NoError(t, err, "nor is it remembered")
	require.Equal(t, 9, b.Config().SlidingWindowSize)
}

func waitOneSecond(int) time.Duration  { return time.Second }
func waitTwoSeconds(int) time.Duration { return 2 * time.Second }

func TestFunctionsAreComparedByTheirCodeAndErrorRulesByTheirText(t *testing.T) {
	t.Parallel()
	rule := func(text string) retry.Option {
		return retry.WithRetryErrorsRule(policy.ErrorRule{
			Match: func(err error) bool { return errors.Is(err, sql.ErrNoRows) },
			Text:  text,
		})
	}
	bind := func(rt *resil.Runtime, pkg string, opts ...retry.Option) error {
		var ref resil.Ref[retry.Retry]
		b := resil.Bind(rt, "example.com/shop/"+pkg, pkg+".Client")
		b.Retry(&ref, "db", opts...)
		return b.Err()
	}
	rt := newRuntime(t)
	require.NoError(t, bind(rt, "inventory", rule("sql.ErrNoRows"), retry.WithIntervalFunction(waitOneSecond)))
	require.NoError(t, bind(rt, "orders", rule("sql.ErrNoRows"), retry.WithIntervalFunction(waitOneSecond)))
	err := bind(rt, "billing", rule("io.EOF"), retry.WithIntervalFunction(waitTwoSeconds))
	require.EqualError(t, err, `retry "db": intervalFunction is `+here+`waitOneSecond at `+
		`example.com/shop/inventory.Client and `+here+`waitTwoSeconds at example.com/shop/billing.Client; `+
		"give them one value or two names\n"+
		`retry "db": retryErrors is sql.ErrNoRows at example.com/shop/inventory.Client and io.EOF at `+
		`example.com/shop/billing.Client; give them one value or two names`)
}

func TestNamedConfigurationOfSharersMustAgree(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t,
		resil.WithBreakerConfig("shared", breaker.WithFailureRateThreshold(20)),
		resil.WithBreakerConfig("other"))
	b, err := bindBreaker(rt, "inventory", "", "db")
	require.NoError(t, err)
	_, err = bindBreaker(rt, "orders", "shared", "db")
	require.NoError(t, err, "a wrapper that names none agrees with one that does")
	require.Equal(t, 20.0, b.Config().FailureRateThreshold)
	_, err = bindBreaker(rt, "billing", "other", "db")
	require.EqualError(t, err, `circuitbreaker "db": configuration is shared at example.com/shop/orders.Client and other `+
		`at example.com/shop/billing.Client; give them one value or two names`)
}

func TestUnknownConfigurationIsAnErrorThatListsTheKnownOnes(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithBreakerConfig("shared"), resil.WithBreakerConfig("batch"))
	_, err := bindBreaker(rt, "inventory", "shraed", "db")
	require.EqualError(t, err, `circuitbreaker "db" of example.com/shop/inventory.Client: there is no configuration `+
		`"shraed"; did you mean "shared"? known are batch, default, shared`)
	_, err = bindBreaker(rt, "inventory", "nightly-import", "db")
	require.EqualError(t, err, `circuitbreaker "db" of example.com/shop/inventory.Client: there is no configuration `+
		`"nightly-import"; known are batch, default, shared`)
	_, err = bindBreaker(resil.Passthrough(), "inventory", "shraed", "db")
	require.NoError(t, err, "in a passthrough runtime no configuration has an effect")
}

func TestFailedConstructorLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	var w struct {
		retry       resil.Ref[retry.Retry]
		breaker     resil.Ref[breaker.Breaker]
		timeLimiter resil.Ref[timelimiter.TimeLimiter]
		fallback    resil.Ref[fallback.Fallback]
	}
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Retry(&w.retry, "good")
	b.Fallback(&w.fallback, "good")
	b.TimeLimiter(&w.timeLimiter, "")
	b.Breaker(&w.breaker, "bad", breaker.WithFailureRateThreshold(0), breaker.WithSlidingWindowSize(0))
	require.EqualError(t, b.Err(), `timelimiter of example.com/shop/inventory.Client has no name; give it one`)

	b = resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Retry(&w.retry, "good")
	b.Fallback(&w.fallback, "good")
	b.Breaker(&w.breaker, "bad", breaker.WithFailureRateThreshold(0), breaker.WithSlidingWindowSize(0))
	err := b.Err()
	require.ErrorContains(t, err, `circuitbreaker "bad" of example.com/shop/inventory.Client: failureRateThreshold is 0; `)
	require.ErrorContains(t, err, `circuitbreaker "bad" of example.com/shop/inventory.Client: slidingWindowSize is 0; `)
	require.Equal(t, err, b.Err(), "asked again, it says the same")

	_, ok := rt.Retry("good")
	require.False(t, ok)
	_, ok = rt.Fallback("good")
	require.False(t, ok)
	require.Panics(t, func() { w.retry.For(t.Context()) })
}

func TestDefaultNameBelongsToItsImportPath(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	bind := func(importPath, label, name string) error {
		var ref resil.Ref[retry.Retry]
		b := resil.Bind(rt, importPath, label)
		b.Retry(&ref, name)
		return b.Err()
	}
	require.NoError(t, bind("example.com/shop/inventory", "inventory.Client", "inventory.Client.Stock"))
	require.NoError(t, bind("example.com/shop/inventory", "inventory.Client", "inventory.Client.Stock"))
	require.NoError(t, bind("example.com/shop/orders", "orders.Client", "inventory.Client.Stock"), "written out")
	require.EqualError(t, bind("example.com/old/inventory", "inventory.Client", "inventory.Client.Stock"),
		`retry "inventory.Client.Stock": both example.com/shop/inventory and example.com/old/inventory have this name by `+
			`default, and would share one instance; write name=... in the annotations of one of them`)
	require.NoError(t, bind("example.com/old/inventory", "inventory.Client", "old-stock"))
}

func TestOptionThatPanicsLeavesTheRuntimeUsable(t *testing.T) {
	t.Parallel()
	armed := false
	rt := newRuntime(t, resil.WithBreaker("db", func(*breaker.Config) {
		if armed {
			panic("option")
		}
	}))
	armed = true
	require.PanicsWithValue(t, "option", func() { _, _ = bindBreaker(rt, "inventory", "", "db") })
	armed = false
	_, err := bindBreaker(rt, "inventory", "", "db")
	require.NoError(t, err)
}

func TestBinderGoesOnAfterErr(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	var first, second resil.Ref[retry.Retry]
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Retry(&first, "a")
	require.NoError(t, b.Err())
	require.NoError(t, b.Err())
	b.Retry(&second, "b")
	require.NoError(t, b.Err())
	require.Equal(t, "b", second.For(t.Context()).Name())
}

func TestConstructorsMayRunAtTheSameTime(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	unsubscribe := rt.Subscribe(func(policy.Event) {})
	defer unsubscribe()
	add := []breaker.Option{
		breaker.WithFailureRateThreshold(11), breaker.WithSlidingWindowSize(12), breaker.WithMinimumNumberOfCalls(13),
		breaker.WithPermittedNumberOfCallsInHalfOpenState(14), breaker.WithWaitDurationInOpenState(15 * time.Second),
		breaker.WithSlowCallRateThreshold(16), breaker.WithSlowCallDurationThreshold(17 * time.Second),
	}
	var wg sync.WaitGroup
	for i, opt := range add {
		wg.Go(func() {
			for round := range 20 {
				if _, err := bindBreaker(rt, fmt.Sprint("p", i), "", "db", opt); err != nil {
					t.Error(err)
				}
				if _, err := bindBreaker(rt, fmt.Sprint("p", i), "", fmt.Sprint("db", i, "-", round), opt); err != nil {
					t.Error(err)
				}
				for b := range rt.Breakers().All() {
					b.Config()
				}
			}
		})
	}
	wg.Wait()
	b, ok := rt.Breaker("db")
	require.True(t, ok)
	want := breaker.DefaultConfig()
	for _, opt := range add {
		opt(&want)
	}
	got := b.Config()
	require.Equal(t, want.FailureRateThreshold, got.FailureRateThreshold)
	require.Equal(t, want.SlidingWindowSize, got.SlidingWindowSize)
	require.Equal(t, want.MinimumNumberOfCalls, got.MinimumNumberOfCalls)
	require.Equal(t, want.PermittedNumberOfCallsInHalfOpenState, got.PermittedNumberOfCallsInHalfOpenState)
	require.Equal(t, want.WaitDurationInOpenState, got.WaitDurationInOpenState)
	require.Equal(t, want.SlowCallRateThreshold, got.SlowCallRateThreshold)
	require.Equal(t, want.SlowCallDurationThreshold, got.SlowCallDurationThreshold)
	require.Len(t, slices.Collect(rt.Breakers().All()), 1+len(add)*20)
}

func TestListenerOfAChangeMayCallBackIntoTheRuntime(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithBreakerConfig("default", breaker.WithFailureRateThreshold(100),
		breaker.WithSlidingWindowSize(2), breaker.WithMinimumNumberOfCalls(2)))
	b, err := bindBreaker(rt, "inventory", "", "db")
	require.NoError(t, err)
	require.NoError(t, breaker.Run(t.Context(), b, succeed))
	require.Equal(t, io.EOF, breaker.Run(t.Context(), b, fail))
	require.Equal(t, breaker.Closed, b.State())

	var inner, same, other error
	opened := false
	rt.Subscribe(func(e policy.Event) {
		if e.Type != policy.StateTransition {
			return
		}
		opened = true
		rt.Breaker("db")
		_, inner = bindBreaker(rt, "billing", "", "db", breaker.WithPermittedNumberOfCallsInHalfOpenState(3))
		_, same = rt.Breakers().GetOrCreate("db", breaker.WithPermittedNumberOfCallsInHalfOpenState(3))
		_, other = rt.Breakers().GetOrCreate("db", breaker.WithPermittedNumberOfCallsInHalfOpenState(4))
	})
	_, err = bindBreaker(rt, "orders", "", "db", breaker.WithFailureRateThreshold(50)) // judged at once
	require.NoError(t, err)
	require.NoError(t, inner)
	require.NoError(t, same, "what is about to be in force is")
	require.Error(t, other)
	require.True(t, opened)
	require.Equal(t, breaker.Open, b.State())
	require.Equal(t, 3, b.Config().PermittedNumberOfCallsInHalfOpenState, "the listener's change is made too")
}
