package resil_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

// inBubble runs the test in a synctest bubble, with a runtime that is closed in its end.
func inBubble(t *testing.T, test func(t *testing.T, rt *resil.Runtime), opts ...resil.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rt, err := resil.New(opts...)
		require.NoError(t, err)
		test(t, rt)
		require.NoError(t, rt.Close())
	})
}

func TestApplyReachesLivingInstancesAndKeepsTheirState(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, from(said(policy.CircuitBreaker, "db", 1, "failureRateThreshold", 20.0)))
	b, err := bindBreaker(rt, "inventory", "", "db", breaker.WithMinimumNumberOfCalls(3))
	require.NoError(t, err)
	ref := bindTenants(t, rt, "orders-{tenant}")
	member := ref.For(acme(t.Context()))
	require.NoError(t, breaker.Run(t.Context(), b, succeed))
	require.Error(t, breaker.Run(t.Context(), b, fail))
	require.NoError(t, member.TransitionTo(breaker.Open))

	require.NoError(t, rt.Apply(from(
		said(policy.CircuitBreaker, "db", 1, "failureRateThreshold", 90.0),
		said(policy.CircuitBreaker, "orders", 4, "permittedNumberOfCallsInHalfOpenState", 2),
		ofTenant("acme", said(policy.CircuitBreaker, "orders", 7, "slidingWindowSize", 5)),
		said(policy.CircuitBreaker, "new", 10))))
	require.Equal(t, 90.0, b.Config().FailureRateThreshold)
	require.Equal(t, 2, b.Metrics().Buffered, "the window is kept")
	require.Same(t, member, ref.For(acme(t.Context())))
	require.Equal(t, breaker.Open, member.State())
	require.Equal(t, 2, member.Config().PermittedNumberOfCallsInHalfOpenState)
	require.Equal(t, 5, member.Config().SlidingWindowSize)
	require.Equal(t, 2, ref.For(t.Context()).Config().PermittedNumberOfCallsInHalfOpenState, "a member that comes later")
	require.Equal(t, 100, ref.For(t.Context()).Config().SlidingWindowSize)
	_, ok := rt.Breaker("new")
	require.True(t, ok)

	require.NoError(t, rt.Apply(from()))
	require.Equal(t, 50.0, b.Config().FailureRateThreshold, "what sources said before is gone")
	require.Equal(t, 3, b.Config().MinimumNumberOfCalls)
	require.Equal(t, 100, member.Config().SlidingWindowSize)
}

func TestApplyAddsToWhatCodeSays(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithBreaker("db", breaker.WithSlidingWindowSize(7)),
		from(said(policy.CircuitBreaker, "db", 1, "minimumNumberOfCalls", 2)))
	b, _ := rt.Breaker("db")
	require.NoError(t, rt.Apply(resil.WithBreaker("db", breaker.WithPermittedNumberOfCallsInHalfOpenState(3)),
		resil.WithBreakerConfig("default", breaker.WithSlowCallRateThreshold(40)),
		resil.WithRetry("new", retry.WithMaxAttempts(8))))
	c := b.Config()
	require.Equal(t, 7, c.SlidingWindowSize)
	require.Equal(t, 2, c.MinimumNumberOfCalls)
	require.Equal(t, 3, c.PermittedNumberOfCallsInHalfOpenState)
	require.Equal(t, 40.0, c.SlowCallRateThreshold)
	r, ok := rt.Retry("new")
	require.True(t, ok)
	require.Equal(t, 8, r.Config().MaxAttempts)
}

func TestApplyIsAllOrNothing(t *testing.T) {
	t.Parallel()
	redis := &scriptedBackend{}
	rt := newRuntime(t, resil.WithLimiterBackend("redis", redis),
		resil.WithLimiter("reserve", limiter.WithBackend("redis"), limiter.WithLimitRefreshPeriod(time.Second)),
		resil.WithLimiter("local", limiter.WithLimitRefreshPeriod(time.Second)))
	reserve, _ := rt.Limiter("reserve")
	db, err := bindBreaker(rt, "inventory", "", "db")
	require.NoError(t, err)
	unchanged := func() {
		t.Helper()
		require.Equal(t, 100, db.Config().SlidingWindowSize)
		require.Equal(t, 50, reserve.Config().LimitForPeriod)
		require.Equal(t, 50, redis.made[0].config.LimitForPeriod)
		_, ok := rt.Breaker("new")
		require.False(t, ok)
	}
	good := said(policy.CircuitBreaker, "db", 1, "slidingWindowSize", 9)
	fresh := said(policy.CircuitBreaker, "new", 3)
	err = rt.Apply(from(good, fresh, said(policy.RateLimiter, "reserve", 10, "limitForPeriod", 0),
		said(policy.Retry, "x", 20, "maxAttempts", 0)))
	require.EqualError(t, err,
		"resil.yaml:21:1: retry \"x\": maxAttempts is 0; it must be at least 1, which is the first call\n"+
			"resil.yaml:11:1: ratelimiter \"reserve\": limitForPeriod is 0; it must be from 1 to 2147483647")
	unchanged()
	require.Error(t, rt.Apply(from(good, fresh), resil.WithBreaker("db", breaker.WithSlidingWindowSize(0))))
	unchanged()
	require.Error(t, rt.Apply(from(good, fresh), resil.WithLogger(nil)))
	unchanged()
	require.NoError(t, rt.Apply(from(good)))
	require.Equal(t, 9, db.Config().SlidingWindowSize, "what failed has left nothing behind")
}

func TestLivingLimiterKeepsItsBackend(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithLimiterBackend("redis", &scriptedBackend{}))
	_, err := bindLimiter(rt, "orders", "reserve", limiter.WithLimitRefreshPeriod(time.Second))
	require.NoError(t, err)
	err = rt.Apply(from(said(policy.RateLimiter, "reserve", 1, "backend", "redis")))
	require.EqualError(t, err, `ratelimiter "reserve": backend is "redis", but an instance whose backend is "" is in use `+
		`already; name the backend where that is made`)
	require.NoError(t, rt.Apply(from(said(policy.RateLimiter, "reserve", 1, "limitForPeriod", 3))))
}

// TestBackendThatRefusesTakesTheWholeChangeBack: what only the backend can judge is found out last.
func TestBackendThatRefusesTakesTheWholeChangeBack(t *testing.T) {
	t.Parallel()
	redis := &scriptedBackend{}
	source := newSource(doc(said(policy.CircuitBreaker, "db", 1, "slidingWindowSize", 8)))
	rt := newRuntime(t, resil.WithSource(source), resil.WithLimiterBackend("redis", redis),
		resil.WithLimiter("reserve", limiter.WithBackend("redis"), limiter.WithLimitRefreshPeriod(time.Second)))
	db, _ := rt.Breaker("db")
	redis.changing = errAway
	bad := doc(said(policy.CircuitBreaker, "db", 1, "slidingWindowSize", 9),
		said(policy.RateLimiter, "reserve", 5, "limitForPeriod", 4))
	require.ErrorIs(t, rt.Apply(resil.WithSource(newSource(bad))), errAway)
	require.Equal(t, 8, db.Config().SlidingWindowSize)
	redis.changing = nil
	source.say(doc(said(policy.CircuitBreaker, "db", 1, "slidingWindowSize", 10)), nil)
	require.Equal(t, 10, db.Config().SlidingWindowSize, "the source from before is still followed")
}

func TestApplyTakesNoOptionsThatAreForNew(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	for name, option := range map[string]resil.Option{
		"WithLogger":         resil.WithLogger(nil),
		"WithTags":           resil.WithTags(nil),
		"WithLimiterBackend": resil.WithLimiterBackend("redis", &scriptedBackend{}),
		"WithErrorName":      resil.WithErrorName("x", errDown),
		"WithUnknownKeys":    resil.WithUnknownKeys(resil.Warn),
		"Strict":             resil.Strict(),
		"WithMaxInstances":   resil.WithMaxInstances(2),
		"PerTenant":          resil.PerTenant(),
	} {
		require.EqualError(t, rt.Apply(option), name+" is an option that only New takes; Apply takes resil.WithSource, "+
			"resil.WithBreaker, resil.WithBreakerConfig and their siblings")
	}
	require.NoError(t, rt.Apply(nil))
	require.NoError(t, rt.Close())
	require.ErrorIs(t, rt.Apply(from()), resil.ErrClosed)
}

func TestConfigurationInUseCannotGo(t *testing.T) {
	t.Parallel()
	file := doc()
	file.Configurations = []resil.Section{said(policy.CircuitBreaker, "shared", 1, "slidingWindowSize", 4)}
	rt := newRuntime(t, resil.WithSource(newSource(file)))
	b, err := bindBreaker(rt, "inventory", "shared", "db")
	require.NoError(t, err)
	require.Equal(t, 4, b.Config().SlidingWindowSize)
	require.EqualError(t, rt.Apply(from()), `circuitbreaker "db" of example.com/shop/inventory.Client: there is no `+
		`configuration "shared"; known are default`)
	require.Equal(t, 4, b.Config().SlidingWindowSize)
}

func TestWatchedSourceIsFollowed(t *testing.T) {
	t.Parallel()
	var log journal
	source := newSource(doc(said(policy.Retry, "db", 1, "maxAttempts", 4)))
	inBubble(t, func(t *testing.T, rt *resil.Runtime) {
		var events []policy.Event
		rt.Subscribe(func(e policy.Event) { events = append(events, e) })
		r, _ := rt.Retry("db")
		source.say(doc(said(policy.Retry, "db", 1, "maxAttempts", 5)), nil)
		require.Equal(t, 5, r.Config().MaxAttempts)
		source.say(doc(said(policy.Retry, "db", 1, "maxAttempts", 5)), nil)
		require.Len(t, events, 1, "what says the same is no change")
		require.Equal(t, `settings "resil.yaml" SETTINGS_CHANGED`, events[0].String())

		bad := doc(said(policy.Retry, "db", 1, "maxAttempts", 0))
		for range 3 {
			source.say(bad, nil)
		}
		require.Equal(t, 5, r.Config().MaxAttempts)
		require.Len(t, events, 2, "it is reported once")
		require.Equal(t, resil.SettingsRefused, events[1].Type)
		require.Equal(t, "resil.yaml", events[1].Name)
		require.EqualError(t, events[1].Err, `resil.yaml:2:1: retry "db": maxAttempts is 0; `+
			`it must be at least 1, which is the first call`)
		require.Equal(t, 1, strings.Count(log.take(), "level=ERROR"))

		gone := errors.New("resil.yaml: no such file")
		source.say(nil, gone)
		source.say(nil, gone)
		require.Len(t, events, 3)
		require.Equal(t, gone, events[2].Err)
		source.say(doc(said(policy.Retry, "db", 1, "maxAttempts", 5)), nil)
		source.say(bad, nil)
		require.Len(t, events, 4, "after a good one, a bad one is reported again")

		other := newSource(doc(said(policy.Retry, "db", 1, "maxAttempts", 6)))
		require.NoError(t, rt.Apply(resil.WithSource(other)))
		<-source.ended
		synctest.Wait()
		(<-source.watching)(doc(said(policy.Retry, "db", 1, "maxAttempts", 7)), nil)
		require.Equal(t, 6, r.Config().MaxAttempts, "nobody listens to a source that was replaced")
		require.NoError(t, rt.Close())
		<-other.ended
	}, resil.WithSource(source), logTo(&log))
}

func TestSourceThatCannotBeReadIsAnErrorOfNew(t *testing.T) {
	t.Parallel()
	source := newSource(nil)
	_, err := resil.New(resil.WithSource(source))
	require.EqualError(t, err, "the source says nothing; it must return a document or an error")
	source.err = errors.New("resil.yaml: no such file")
	_, err = resil.New(resil.WithSource(source), resil.WithRetry("", nil))
	require.EqualError(t, err, "retry set in code has no name; give it one\nresil.yaml: no such file")
	_, err = resil.New(resil.WithSource(nil))
	require.EqualError(t, err, "resil.WithSource needs a source, not nil")
}

func TestListenerOfAChangeOfSettingsMayApply(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, from(said(policy.Retry, "db", 1)))
	r, _ := rt.Retry("db")
	rt.Subscribe(func(e policy.Event) {
		if e.Type == resil.SettingsChanged && r.Config().MaxAttempts < 6 {
			require.NoError(t, rt.Apply(from(said(policy.Retry, "db", 1, "maxAttempts", r.Config().MaxAttempts+1))))
		}
	})
	require.NoError(t, rt.Apply(from(said(policy.Retry, "db", 1, "maxAttempts", 4))))
	require.Equal(t, 6, r.Config().MaxAttempts)
}
