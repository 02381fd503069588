package resil_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

// bindTenants does what the constructor of a wrapper does whose circuit breaker is named name, a template.
func bindTenants(t *testing.T, rt *resil.Runtime, name string, opts ...breaker.Option) *resil.Ref[breaker.Breaker] {
	t.Helper()
	var ref resil.Ref[breaker.Breaker]
	b := resil.Bind(rt, "example.com/shop/tenants", "tenants.Client")
	b.Breaker(&ref, name, opts...)
	require.NoError(t, b.Err())
	return &ref
}

func acme(ctx context.Context) context.Context { return resil.ContextWithTenant(ctx, "acme") }

// TestEachLayerWinsOverTheWeakerOnes adds one layer after the other, each of which sets slidingWindowSize and one key of
// its own, and expects the size of the strongest and all the other keys.
func TestEachLayerWinsOverTheWeakerOnes(t *testing.T) {
	t.Parallel()
	const size = "slidingWindowSize"
	size_ := breaker.WithSlidingWindowSize
	file := doc()
	var options []resil.Option
	annotation := []breaker.Option{}
	configuration := ""
	check := func(layer string, want int) *breaker.Breaker {
		t.Helper()
		rt := newRuntime(t, append(options, resil.WithSource(newSource(file)))...)
		var ref resil.Ref[breaker.Breaker]
		b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
		b.Configuration(configuration).Breaker(&ref, "inventory-{tenant}", annotation...)
		require.NoError(t, b.Err(), layer)
		got := ref.For(acme(t.Context()))
		require.Equal(t, "inventory-acme", got.Name())
		require.Equal(t, want, got.Config().SlidingWindowSize, layer)
		return got
	}
	check("built-in", 100)
	options = append(options, resil.WithBreakerConfig("default", size_(1), breaker.WithMinimumNumberOfCalls(1)))
	check("code's default", 1)
	file.Configurations = append(file.Configurations, said(policy.CircuitBreaker, "default", 1,
		size, 2, "slowCallDurationThreshold", 2*time.Second))
	check("file's default", 2)
	options = append(options, resil.WithBreakerConfig("shared", size_(3), breaker.WithSlowCallRateThreshold(3)))
	configuration = "shared"
	check("code's named", 3)
	file.Configurations = append(file.Configurations,
		said(policy.CircuitBreaker, "shared", 10, size, 4, "waitDurationInOpenState", 4*time.Second))
	check("file's named", 4)
	annotation = append(annotation, size_(5), breaker.WithPermittedNumberOfCallsInHalfOpenState(5))
	check("annotation", 5)
	file.Configurations = append(file.Configurations,
		said(policy.CircuitBreaker, "base", 20, size, 6, "failureRateThreshold", 6.0),
		said(policy.CircuitBreaker, "middle", 30, "baseConfig", "base"))
	file.Instances = append(file.Instances, said(policy.CircuitBreaker, "inventory", 40, "baseConfig", "middle"))
	check("base of the base of the instance", 6)
	file.Instances = append(file.Instances, said(policy.CircuitBreaker, "inventory", 50,
		size, 7, "maxWaitDurationInHalfOpenState", 7*time.Second))
	check("instance by its base name", 7)
	file.Instances = append(file.Instances, said(policy.CircuitBreaker, "inventory-acme", 60,
		size, 8, "enableExponentialBackoff", true))
	check("instance by its name", 8)
	file.Instances = append(file.Instances, ofTenant("acme", said(policy.CircuitBreaker, "inventory", 70,
		size, 9, "exponentialBackoffMultiplier", 9.0)), ofTenant("other", said(policy.CircuitBreaker, "inventory", 80, size, 0)))
	check("tenant", 9)
	file.Instances = append(file.Instances, ofEnvironment(said(policy.CircuitBreaker, "INVENTORY", 90,
		size, 10, "enableRandomizedWait", true)))
	check("environment", 10)
	options = append(options, resil.WithBreaker("inventory", size_(11), breaker.WithRandomizedWaitFactor(0.11)))
	check("code's options of the base name", 11)
	options = append(options, resil.WithBreaker("inventory-acme", size_(12)))
	got := check("code's options", 12).Config()

	want := breaker.DefaultConfig()
	want.SlidingWindowSize = 12
	want.MinimumNumberOfCalls = 1
	want.SlowCallDurationThreshold = 2 * time.Second
	want.SlowCallRateThreshold = 3
	want.WaitDurationInOpenState = 4 * time.Second
	want.PermittedNumberOfCallsInHalfOpenState = 5
	want.FailureRateThreshold = 6
	want.MaxWaitDurationInHalfOpenState = 7 * time.Second
	want.EnableExponentialBackoff = true
	want.ExponentialBackoffMultiplier = 9
	want.EnableRandomizedWait = true
	want.RandomizedWaitFactor = 0.11
	require.Equal(t, want, got)
}

func TestBaseConfigDefaultWinsOverAnnotationsWhereItIsWritten(t *testing.T) {
	t.Parallel()
	file := doc(said(policy.Retry, "explicit", 10, "baseConfig", "default"), said(policy.Retry, "implicit", 20))
	file.Configurations = []resil.Section{said(policy.Retry, "default", 1, "maxAttempts", 7)}
	rt := newRuntime(t, resil.WithSource(newSource(file)))
	for name, want := range map[string]int{"explicit": 7, "implicit": 2} {
		var ref resil.Ref[retry.Retry]
		b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
		b.Retry(&ref, name, retry.WithMaxAttempts(2))
		require.NoError(t, b.Err())
		require.Equal(t, want, ref.For(t.Context()).Config().MaxAttempts, name)
	}
}

func TestLaterSourceWinsSettingBySetting(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t,
		from(said(policy.Retry, "db", 1, "maxAttempts", 5, "waitDuration", time.Second)),
		from(said(policy.Retry, "db", 1, "maxAttempts", 6)))
	r, ok := rt.Retry("db")
	require.True(t, ok, "what a document names exists from the start")
	require.Equal(t, 6, r.Config().MaxAttempts)
	require.Equal(t, time.Second, r.Config().WaitDuration)
}

func TestListsReplaceThoseOfWeakerLayers(t *testing.T) {
	t.Parallel()
	file := doc(
		said(policy.Retry, "replaced", 10, "retryErrors", listed(11, "context.DeadlineExceeded")),
		said(policy.Retry, "kept", 20),
		said(policy.Retry, "emptied", 30, "retryErrors", resil.Names{}))
	file.Configurations = []resil.Section{said(policy.Retry, "default", 1, "retryErrors", listed(2, "io.EOF", "net.Error"))}
	rt := newRuntime(t, resil.WithSource(newSource(file)))
	for name, want := range map[string]string{
		"replaced": "context.DeadlineExceeded", "kept": "io.EOF,net.Error", "emptied": "",
	} {
		r, ok := rt.Retry(name)
		require.True(t, ok)
		require.Equal(t, want, r.Config().RetryErrors.Text, name)
		require.Equal(t, want == "", r.Config().RetryErrors.IsZero(), name)
	}
}

func TestDocumentWinsOverGetOrCreateWithoutAWord(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, from(said(policy.CircuitBreaker, "db", 1, "slidingWindowSize", 30)))
	for range 2 {
		b, err := rt.Breakers().GetOrCreate("db", breaker.WithSlidingWindowSize(20))
		require.NoError(t, err)
		require.Equal(t, 30, b.Config().SlidingWindowSize)
	}
	_, err := rt.Breakers().GetOrCreate("db", breaker.WithSlidingWindowSize(21))
	require.ErrorContains(t, err, `circuitbreaker "db": slidingWindowSize is 20 and 21 at `)
}

func TestErrorsOfADocumentSayWhere(t *testing.T) {
	t.Parallel()
	cb := policy.CircuitBreaker
	for name, c := range map[string]struct {
		configurations, instances []resil.Section
		want                      string
	}{
		"unknown base": {
			[]resil.Section{said(cb, "shared", 1)}, []resil.Section{said(cb, "db", 10, "baseConfig", "shraed")},
			`resil.yaml:11:1: circuitbreaker "db": baseConfig: there is no configuration "shraed"; did you mean "shared"? ` +
				`known are default, shared`,
		},
		"circle": {
			[]resil.Section{said(cb, "a", 1, "baseConfig", "b"), said(cb, "b", 4, "baseConfig", "a")}, nil,
			`resil.yaml:2:1: circuitbreaker configuration "a" is based on itself: a -> b -> a; take one baseConfig away`,
		},
		"self": {
			[]resil.Section{said(cb, "a", 1, "baseConfig", "a")}, nil,
			`resil.yaml:2:1: circuitbreaker configuration "a" is based on itself: a -> a; take one baseConfig away`,
		},
		"value": {
			nil, []resil.Section{said(cb, "db", 10, "minimumNumberOfCalls", 5, "slidingWindowSize", 0)},
			`resil.yaml:12:1: circuitbreaker "db": slidingWindowSize is 0; it must be from 1 to 2147483647`,
		},
		"value of a configuration": {
			[]resil.Section{said(cb, "a", 1, "slidingWindowSize", -1)}, nil,
			`resil.yaml:2:1: circuitbreaker configuration "a": slidingWindowSize is -1; it must be from 1 to 2147483647`,
		},
		"key": {
			nil, []resil.Section{said(cb, "db", 10, "slidingWindowSzie", 1)},
			`resil.yaml:11:1: circuitbreaker "db": there is no setting "slidingWindowSzie"; did you mean "slidingWindowSize"?`,
		},
		"type": {
			nil, []resil.Section{said(cb, "db", 10, "slidingWindowSize", "1")},
			`resil.yaml:11:1: circuitbreaker "db": slidingWindowSize is 1, which is a string; it must be a int`,
		},
		"forced state": {
			nil, []resil.Section{said(cb, "db", 10, "forceState", breaker.HalfOpen)},
			`resil.yaml:11:1: circuitbreaker "db": forceState is HALF_OPEN; it must be FORCED_OPEN, DISABLED, METRICS_ONLY or, ` +
				`where nothing is forced, CLOSED`,
		},
		"forced state of another policy": {
			nil, []resil.Section{said(policy.Retry, "db", 10, "forceState", breaker.Disabled)},
			`resil.yaml:11:1: retry "db": there is no setting "forceState"`,
		},
		"buffer": {
			nil, []resil.Section{said(cb, "db", 10, "eventConsumerBufferSize", 0)},
			`resil.yaml:11:1: circuitbreaker "db": eventConsumerBufferSize is 0; it must be from 1 to 1000000`,
		},
		"policy": {
			nil, []resil.Section{said("circuit", "db", 10)}, `resil.yaml:10:1: there is no policy "circuit"`,
		},
		"environment fits no configuration": {
			[]resil.Section{ofEnvironment(said(cb, "SHARED", 0, "slidingWindowSize", 1))}, nil,
			`RESIL_SHARED: circuitbreaker: no name of a configuration fits SHARED; known are default`,
		},
		"environment fits two": {
			nil, []resil.Section{said(cb, "a-b", 1), said(cb, "ab", 2), ofEnvironment(said(cb, "AB", 0, "slidingWindowSize", 1))},
			`RESIL_AB: circuitbreaker: two names of an instance fit AB: a-b, ab; rename one of them`,
		},
	} {
		file := doc(c.instances...)
		file.Configurations = c.configurations
		_, err := resil.New(resil.WithSource(newSource(file)))
		require.EqualError(t, err, c.want, name)
	}
}

func TestEnvironmentWaitsForTheNamesOfWrappers(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, from(ofEnvironment(said(policy.CircuitBreaker, "ORDERSDB", 0, "slidingWindowSize", 9))))
	b, err := bindBreaker(rt, "orders", "", "orders-db")
	require.NoError(t, err)
	require.Equal(t, 9, b.Config().SlidingWindowSize)
	_, err = bindBreaker(rt, "billing", "", "ordersDB")
	require.EqualError(t, err, `RESIL_ORDERSDB: circuitbreaker: `+
		`two names of an instance fit ORDERSDB: orders-db, ordersDB; rename one of them`)
}

func TestDocumentConfiguresTheMembersOfATenant(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, from(
		said(policy.CircuitBreaker, "inventory", 1, "slidingWindowSize", 7),
		ofTenant("acme", said(policy.CircuitBreaker, "inventory", 5, "minimumNumberOfCalls", 3))))
	ref := bindTenants(t, rt, "inventory-{tenant}")
	require.Equal(t, 7, ref.For(t.Context()).Config().SlidingWindowSize)
	require.Equal(t, 100, ref.For(t.Context()).Config().MinimumNumberOfCalls)
	require.Equal(t, 7, ref.For(acme(t.Context())).Config().SlidingWindowSize)
	require.Equal(t, 3, ref.For(acme(t.Context())).Config().MinimumNumberOfCalls)
	_, ok := rt.Breaker("inventory")
	require.False(t, ok, "nobody needs an instance of the base name")
}
