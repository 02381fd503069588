package resil_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// here is how the functions of these tests are called in messages.
const here = "github.com/resilgen/resilgen/runtime/resil_test."

func TestGetOrCreateMakesAnInstanceOnce(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t,
		resil.WithBreakerConfig("default", breaker.WithMinimumNumberOfCalls(10), breaker.WithSlidingWindowSize(10),
			breaker.WithFailureRateThreshold(1), breaker.WithSlowCallRateThreshold(1)),
		resil.WithBreakerConfig("shared", breaker.WithSlidingWindowSize(20), breaker.WithFailureRateThreshold(2),
			breaker.WithSlowCallRateThreshold(2)),
		resil.WithBreaker("db", breaker.WithSlowCallRateThreshold(4)))
	b, err := rt.Breakers().Configuration("shared").GetOrCreate("db", breaker.WithFailureRateThreshold(3))
	require.NoError(t, err)
	got := b.Config()
	require.Equal(t, breaker.DefaultConfig().WaitDurationInOpenState, got.WaitDurationInOpenState, "built-in")
	require.Equal(t, 10, got.MinimumNumberOfCalls, "default configuration")
	require.Equal(t, 20, got.SlidingWindowSize, "named configuration")
	require.Equal(t, 3.0, got.FailureRateThreshold, "option")
	require.Equal(t, 4.0, got.SlowCallRateThreshold, "code option of New")

	again, err := rt.Breakers().GetOrCreate("db")
	require.NoError(t, err)
	require.Same(t, b, again)
	found, ok := rt.Breakers().Find("db")
	require.True(t, ok)
	require.Same(t, b, found)
	_, ok = rt.Breakers().Find("queue")
	require.False(t, ok)
	bound, err := bindBreaker(rt, "inventory", "", "db", breaker.WithSlidingWindowSize(7))
	require.NoError(t, err)
	require.Same(t, b, bound, "a wrapper that binds later shares it")
	require.Equal(t, 7, b.Config().SlidingWindowSize)
}

func TestEveryPolicyHasARegistry(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	r, err := rt.Retries().GetOrCreate("db", retry.WithMaxAttempts(5))
	require.NoError(t, err)
	require.Equal(t, 5, r.Config().MaxAttempts)
	l, err := rt.Limiters().GetOrCreate("db", limiter.WithLimitForPeriod(5))
	require.NoError(t, err)
	require.Equal(t, 5, l.Config().LimitForPeriod)
	tl, err := rt.TimeLimiters().GetOrCreate("db", timelimiter.WithTimeoutDuration(5))
	require.NoError(t, err)
	require.EqualValues(t, 5, tl.Config().TimeoutDuration)
	b, err := rt.Bulkheads().GetOrCreate("db", bulkhead.WithMaxConcurrentCalls(5))
	require.NoError(t, err)
	require.Equal(t, 5, b.Config().MaxConcurrentCalls)
	p, err := rt.PoolBulkheads().GetOrCreate("db", bulkhead.WithQueueCapacity(5))
	require.NoError(t, err)
	require.Equal(t, 5, p.Config().QueueCapacity)
	f, err := rt.Fallbacks().GetOrCreate("db")
	require.NoError(t, err)

	require.Equal(t, []*retry.Retry{r}, slices.Collect(rt.Retries().All()))
	require.Equal(t, []*limiter.Limiter{l}, slices.Collect(rt.Limiters().All()))
	require.Equal(t, []*timelimiter.TimeLimiter{tl}, slices.Collect(rt.TimeLimiters().All()))
	require.Equal(t, []*bulkhead.Bulkhead{b}, slices.Collect(rt.Bulkheads().All()))
	require.Equal(t, []*bulkhead.Pool{p}, slices.Collect(rt.PoolBulkheads().All()))
	require.Equal(t, []*fallback.Fallback{f}, slices.Collect(rt.Fallbacks().All()))
	require.Empty(t, slices.Collect(rt.Breakers().All()))
}

func TestAllWhoAskAtTheSameTimeGetOneInstance(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	got := make([]*breaker.Breaker, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var opts []breaker.Option
			if i%2 == 0 {
				opts = append(opts, breaker.WithFailureRateThreshold(20))
			}
			b, err := rt.Breakers().GetOrCreate("db", opts...)
			if err != nil {
				t.Error(err)
			}
			got[i] = b
		})
	}
	wg.Wait()
	for _, b := range got {
		require.Same(t, got[0], b)
	}
	require.Equal(t, 20.0, got[0].Config().FailureRateThreshold)
}

func TestOtherSettingsForAnExistingNameAreAnError(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithBreaker("db", breaker.WithSlowCallRateThreshold(60)))
	breakers := rt.Breakers()
	b, err := breakers.GetOrCreate("db", breaker.WithFailureRateThreshold(20))
	require.NoError(t, err)
	_, err = bindBreaker(rt, "inventory", "", "db",
		breaker.WithMinimumNumberOfCalls(9), breaker.WithFailureRateThreshold(20))
	require.NoError(t, err)

	_, err = breakers.GetOrCreate("db", breaker.WithFailureRateThreshold(20), breaker.WithSlowCallRateThreshold(60),
		breaker.WithMinimumNumberOfCalls(9), breaker.WithSlidingWindowSize(30))
	require.NoError(t, err, "equal agrees, wherever it is from")
	require.Equal(t, 30, b.Config().SlidingWindowSize, "what nobody has said reaches the living instance")

	_, err = breakers.GetOrCreate("db", breaker.WithFailureRateThreshold(21), breaker.WithSlowCallRateThreshold(61),
		breaker.WithMinimumNumberOfCalls(8), breaker.WithSlidingWindowSize(31),
		breaker.WithPermittedNumberOfCallsInHalfOpenState(3))
	const me = here + "TestOtherSettingsForAnExistingNameAreAnError"
	for _, difference := range []string{
		"failureRateThreshold is 20 at example.com/shop/inventory.Client and 21 at " + me + "; give them",
		"slowCallRateThreshold is 60 at resil.New and 61 at " + me + "; give them",
		"minimumNumberOfCalls is 9 at example.com/shop/inventory.Client and 8 at " + me + "; give them",
		"slidingWindowSize is 30 and 31 at " + me + "; give it",
	} {
		require.ErrorContains(t, err, `circuitbreaker "db": `+difference+" one value or two names")
	}
	require.Equal(t, breaker.DefaultConfig().PermittedNumberOfCallsInHalfOpenState,
		b.Config().PermittedNumberOfCallsInHalfOpenState, "nothing is changed by what fails")

	_, err = bindBreaker(rt, "billing", "", "db", breaker.WithSlidingWindowSize(31))
	require.EqualError(t, err, `circuitbreaker "db": slidingWindowSize is 30 at `+me+` and 31 at `+
		`example.com/shop/billing.Client; give them one value or two names`, "the same for a wrapper that comes later")
}

func TestSettingsAreComparedWithWhatIsInForce(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	b, err := rt.Breakers().GetOrCreate("db", breaker.WithFailureRateThreshold(20))
	require.NoError(t, err)
	config := b.Config()
	config.FailureRateThreshold = 30
	require.NoError(t, b.Reconfigure(config))
	_, err = rt.Breakers().GetOrCreate("db", breaker.WithFailureRateThreshold(20))
	require.EqualError(t, err, `circuitbreaker "db": failureRateThreshold is 30 at Reconfigure and 20 at `+here+
		`TestSettingsAreComparedWithWhatIsInForce; give them one value or two names`)
	_, err = rt.Breakers().GetOrCreate("db", breaker.WithFailureRateThreshold(30))
	require.NoError(t, err)

	given, err := breaker.New("db", breaker.WithSlidingWindowSize(5))
	require.NoError(t, err)
	_, err = rt.Breakers().Replace("db", given)
	require.NoError(t, err)
	_, err = rt.Breakers().GetOrCreate("db", breaker.WithSlidingWindowSize(6))
	require.EqualError(t, err, `circuitbreaker "db": slidingWindowSize is 5 and 6 at `+here+
		`TestSettingsAreComparedWithWhatIsInForce; give it one value or two names`)
	_, err = rt.Breakers().Configuration("default").GetOrCreate("db")
	require.EqualError(t, err, `circuitbreaker "db": configuration is none and default at `+here+
		`TestSettingsAreComparedWithWhatIsInForce; give it one value or two names`)
	same, err := rt.Breakers().GetOrCreate("db", breaker.WithSlidingWindowSize(5), breaker.WithFailureRateThreshold(50))
	require.NoError(t, err)
	require.Same(t, given, same)
}

func TestGetOrCreateThatFailsMakesNothing(t *testing.T) {
	t.Parallel()
	const me = here + "TestGetOrCreateThatFailsMakesNothing"
	rt := newRuntime(t, resil.WithBreakerConfig("shared"), resil.WithBreakerConfig("other"))
	breakers := rt.Breakers()
	_, err := breakers.Configuration("shraed").GetOrCreate("db")
	require.EqualError(t, err, `circuitbreaker "db" of `+me+`: there is no configuration "shraed"; did you mean "shared"? `+
		`known are default, other, shared`)
	_, err = breakers.GetOrCreate("db", breaker.WithFailureRateThreshold(0))
	require.ErrorContains(t, err, `circuitbreaker "db" of `+me+`: failureRateThreshold is 0; `)
	_, err = breakers.GetOrCreate("")
	require.EqualError(t, err, `circuitbreaker of `+me+` has no name; give it one`)
	require.Empty(t, slices.Collect(breakers.All()))

	_, err = breakers.Configuration("shared").GetOrCreate("db")
	require.NoError(t, err)
	_, err = breakers.Configuration("other").GetOrCreate("db")
	require.EqualError(t, err, `circuitbreaker "db": configuration is shared and other at `+me+
		`; give it one value or two names`)
	_, err = breakers.Configuration("shared").GetOrCreate("db")
	require.NoError(t, err)
}

func TestPassthroughSwitchesOffWhatIsMadeByHand(t *testing.T) {
	t.Parallel()
	rt := resil.Passthrough()
	b, err := rt.Breakers().Configuration("any").GetOrCreate("db", breaker.WithFailureRateThreshold(20))
	require.NoError(t, err)
	require.False(t, b.Config().Enabled)
	_, err = rt.Breakers().GetOrCreate("db", breaker.WithFailureRateThreshold(21))
	require.Error(t, err, "what is said is compared all the same")

	given, err := breaker.New("db")
	require.NoError(t, err)
	_, err = rt.Breakers().Replace("db", given)
	require.NoError(t, err)
	require.False(t, given.Config().Enabled)
	_, err = rt.Breakers().GetOrCreate("db", breaker.WithEnabled(true))
	require.NoError(t, err)
	require.False(t, given.Config().Enabled)
}

func TestInstanceTagsWinOverThoseOfTheRuntime(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t,
		resil.WithTags(map[string]string{"zone": "a", "team": "shop"}),
		resil.WithTags(map[string]string{"zone": "b"}))
	breakers := rt.Breakers()
	_, err := bindBreaker(rt, "inventory", "", "db")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"zone": "b", "team": "shop"}, breakers.Tags("db"))
	require.Nil(t, breakers.Tags("queue"))

	tagged := breakers.Tagged(map[string]string{"team": "stock"})
	_, err = tagged.Tagged(map[string]string{"tier": "1"}).GetOrCreate("db")
	require.NoError(t, err)
	want := map[string]string{"zone": "b", "team": "stock", "tier": "1"}
	require.Equal(t, want, breakers.Tags("db"))
	_, err = tagged.GetOrCreate("db")
	require.NoError(t, err, "equal tags agree")
	_, err = breakers.GetOrCreate("db")
	require.NoError(t, err, "so does who says nothing")
	require.Equal(t, want, breakers.Tags("db"))
	breakers.Tags("db")["team"] = "mine"
	require.Equal(t, want, breakers.Tags("db"), "the caller's copy")

	_, err = breakers.Tagged(map[string]string{"team": "billing", "colour": "red"}).GetOrCreate("db")
	require.EqualError(t, err, `circuitbreaker "db": tag team is "stock" and "billing" at `+here+
		`TestInstanceTagsWinOverThoseOfTheRuntime; give it one value or two names`)
	require.Equal(t, want, breakers.Tags("db"))

	_, err = breakers.Replace("db", newBreaker(t, "db"))
	require.NoError(t, err)
	require.Equal(t, want, breakers.Tags("db"), "tags are the name's")
	require.True(t, breakers.Remove("db"))
	_, err = breakers.Tagged(map[string]string{"team": "billing"}).GetOrCreate("db")
	require.NoError(t, err, "what was said by hand is forgotten")
	require.Equal(t, map[string]string{"zone": "b", "team": "billing"}, breakers.Tags("db"))
}

func TestRemoveClosesTheInstance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := newRuntime(t)
		l, err := rt.Limiters().GetOrCreate("orders", limiter.WithLimitForPeriod(1), limiter.WithLimitRefreshPeriod(time.Hour),
			limiter.WithTimeoutDuration(time.Hour))
		require.NoError(t, err)
		require.NoError(t, l.Acquire(t.Context(), 1))
		waiting := begin(func() error { return l.Acquire(t.Context(), 1) })
		pool, err := rt.PoolBulkheads().GetOrCreate("orders", bulkhead.WithMaxThreadPoolSize(1))
		require.NoError(t, err)
		require.NoError(t, bulkhead.RunPool(t.Context(), pool, succeed))
		synctest.Wait()

		require.True(t, rt.Limiters().Remove("orders"))
		require.False(t, rt.Limiters().Remove("orders"))
		require.ErrorIs(t, <-waiting, resil.ErrClosed)
		_, ok := rt.Limiter("orders")
		require.False(t, ok)
		require.Empty(t, slices.Collect(rt.Limiters().All()))
		require.Nil(t, rt.Limiters().Tags("orders"))
		require.True(t, rt.PoolBulkheads().Remove("orders")) // its goroutine ends: else the bubble would not

		again, err := rt.Limiters().GetOrCreate("orders", limiter.WithLimitForPeriod(2),
			limiter.WithLimitRefreshPeriod(time.Hour))
		require.NoError(t, err, "what was said by hand is forgotten")
		require.NotSame(t, l, again)
		require.NoError(t, again.Acquire(t.Context(), 2))
	})
}

func TestWrappersUseTheNextInstanceOfARemovedName(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	w, err := newResilientCounter(countFunc(func(context.Context) (int, error) { return 1, nil }), rt)
	require.NoError(t, err)
	const name = "counter.Counter.Count"
	removed := w.count.breaker.For(t.Context())
	var ref resil.Ref[breaker.Breaker]
	b := resil.Bind(rt, "example.com/shop/counter", "counter.Counter")
	b.Breaker(&ref, name, breaker.WithSlidingWindowSize(7))
	require.NoError(t, b.Err())
	_, err = rt.Breakers().GetOrCreate(name, breaker.WithFailureRateThreshold(20))
	require.NoError(t, err)

	var heard, heardLater []policy.EventType
	rt.Subscribe(func(e policy.Event) { heard = append(heard, e.Type) })
	require.True(t, rt.Breakers().Remove(name))
	rt.Subscribe(func(e policy.Event) { heardLater = append(heardLater, e.Type) })
	n, err := w.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Same(t, removed, w.count.breaker.For(t.Context()), "until there is another one")
	require.Empty(t, heard)
	require.Empty(t, heardLater)

	next, err := rt.Breakers().GetOrCreate(name, breaker.WithFailureRateThreshold(30))
	require.NoError(t, err)
	require.NotSame(t, removed, next)
	require.Same(t, next, w.count.breaker.For(t.Context()))
	require.Equal(t, 7, next.Config().SlidingWindowSize, "annotations are not forgotten")
	_, err = w.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, []policy.EventType{policy.Success}, heard)
	require.Equal(t, []policy.EventType{policy.Success}, heardLater)

	require.True(t, rt.Breakers().Remove(name))
	other, err := newResilientCounter(countFunc(func(context.Context) (int, error) { return 1, nil }), rt)
	require.NoError(t, err, "a constructor makes one too")
	require.NotSame(t, next, other.count.breaker.For(t.Context()))
	require.Same(t, other.count.breaker.For(t.Context()), w.count.breaker.For(t.Context()))
}

func TestWhatAWrapperConfirmsOutlivesTheInstance(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithBreakerConfig("shared", breaker.WithSlidingWindowSize(20)))
	shared := rt.Breakers().Configuration("shared")
	_, err := shared.GetOrCreate("db", breaker.WithFailureRateThreshold(20), breaker.WithMinimumNumberOfCalls(5))
	require.NoError(t, err)
	_, err = bindBreaker(rt, "inventory", "shared", "db", breaker.WithFailureRateThreshold(20))
	require.NoError(t, err)
	require.True(t, shared.Remove("db"))
	b, err := rt.Breakers().GetOrCreate("db", breaker.WithMinimumNumberOfCalls(6))
	require.NoError(t, err)
	require.Equal(t, 20.0, b.Config().FailureRateThreshold)
	require.Equal(t, 20, b.Config().SlidingWindowSize)
	require.Equal(t, 6, b.Config().MinimumNumberOfCalls)
}
