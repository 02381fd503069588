package resil_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

// bindNames does what the constructor of a wrapper does whose circuit breaker has that name template.
func bindNames(
	t *testing.T, rt *resil.Runtime, name string, opts ...breaker.Option,
) *resil.Ref[breaker.Breaker] {
	t.Helper()
	ref := new(resil.Ref[breaker.Breaker])
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Breaker(ref, name, opts...)
	require.NoError(t, b.Err())
	return ref
}

func bindKeyed(
	t *testing.T, rt *resil.Runtime, name string, opts ...breaker.Option,
) *resil.Keyed[breaker.Breaker] {
	t.Helper()
	ref := new(resil.Keyed[breaker.Breaker])
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Breaker(ref, name, opts...)
	require.NoError(t, b.Err())
	return ref
}

func tenant(id string) context.Context { return resil.ContextWithTenant(context.Background(), id) }

func metricsOf(t *testing.T, rt *resil.Runtime, kind policy.Kind, base string) resil.NameMetrics {
	t.Helper()
	for _, m := range rt.NameMetrics() {
		if m.Kind == kind && m.Base == base {
			return m
		}
	}
	require.Fail(t, "no such name", "%s %q", kind, base)
	return resil.NameMetrics{}
}

func names[T any](all func(func(*T) bool), name func(*T) string) []string {
	var found []string
	for instance := range all {
		found = append(found, name(instance))
	}
	return found
}

func TestEachTenantHasItsInstance(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	ref := bindNames(t, rt, "inventory-{tenant}", breaker.WithSlidingWindowSize(7))
	a, b := ref.For(tenant("a")), ref.For(tenant("b"))
	require.NotSame(t, a, b)
	require.Same(t, a, ref.For(tenant("a")))
	require.Equal(t, "inventory-a", a.Name())
	require.Equal(t, 7, a.Config().SlidingWindowSize)
	require.Equal(t, "inventory-default", ref.For(context.Background()).Name())
	require.Same(t, ref.For(tenant("")), ref.For(tenant("default")))
	require.Same(t, a, bindNames(t, rt, "inventory-{tenant}").For(tenant("a")), "another wrapper of the same template")

	found, ok := rt.Breaker("inventory-b")
	require.True(t, ok)
	require.Same(t, b, found)
	_, ok = rt.Breaker("inventory-c")
	require.False(t, ok)
	require.Equal(t, []string{"inventory-a", "inventory-b", "inventory-default"},
		names(rt.Breakers().All(), (*breaker.Breaker).Name))
	require.Equal(t, resil.NameMetrics{Kind: policy.CircuitBreaker, Base: "inventory", Instances: 3, Defaulted: 2},
		metricsOf(t, rt, policy.CircuitBreaker, "inventory"))
}

func TestInvalidValuesShareOneInstance(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	ref := bindNames(t, rt, "inventory-{tenant}")
	other := ref.For(tenant("a b"))
	require.Equal(t, "inventory-other", other.Name())
	for _, id := range []string{"a/b", "ä", "a\x00", strings.Repeat("x", 65), strings.Repeat("y", 1<<20), "a\n", "{a}"} {
		require.Same(t, other, ref.For(tenant(id)), "%.20q", id)
	}
	require.EqualValues(t, 8, metricsOf(t, rt, policy.CircuitBreaker, "inventory").Invalid)
	longest := strings.Repeat("x", 64)
	require.Equal(t, "inventory-"+longest, ref.For(tenant(longest)).Name())
	require.Same(t, other, ref.For(tenant("other")))
}

func TestUnknownTenantsShareOneInstance(t *testing.T) {
	t.Parallel()
	asked := 0
	rt := newRuntime(t, resil.WithKnownTenants(func(id string) bool { asked++; return strings.HasPrefix(id, "t") }))
	ref := bindNames(t, rt, "inventory-{tenant}")
	require.Equal(t, "inventory-t1", ref.For(tenant("t1")).Name())
	require.Equal(t, "inventory-t1", ref.For(tenant("t1")).Name())
	require.Equal(t, 1, asked, "not at a call of a tenant that has an instance")
	require.Equal(t, "inventory-other", ref.For(tenant("x")).Name())
	require.Equal(t, "inventory-default", ref.For(context.Background()).Name())
	keyed := bindKeyed(t, rt, "stock-{sku}")
	require.Equal(t, "stock-x", keyed.For(context.Background(), resil.KeyOf(resil.Text("x"))).Name(), "no tenant")
}

func TestValuesOfTheCall(t *testing.T) {
	t.Parallel()
	type sku string
	type quantity int16
	rt := newRuntime(t)
	ref := bindKeyed(t, rt, "stock.{sku}-{tenant}/{qty}")
	ctx := tenant("acme")
	b := ref.For(ctx, resil.KeyOf(resil.Text(sku("x1")), resil.Int(quantity(-32768))))
	require.Equal(t, "stock.x1-acme/-32768", b.Name())
	require.Same(t, b, ref.For(ctx, resil.KeyOf(resil.Text("x1"), resil.Int(int64(-32768)))))
	require.Same(t, b, ref.For(ctx, resil.KeyOf(resil.Text("x1"), resil.Text("-32768"))), "an Int is its digits")
	require.Equal(t, "stock.default-acme/default", ref.For(ctx, resil.KeyOf(resil.Absent, resil.Text(""))).Name())
	require.Equal(t, "stock.x1-acme/default", ref.For(ctx, resil.KeyOf(resil.Text("x1"))).Name(), "a missing value")
	require.Equal(t, "stock.x1-default/18446744073709551615",
		ref.For(context.Background(), resil.KeyOf(resil.Text("x1"), resil.Int(^uint64(0)))).Name())
	require.NotSame(t, ref.For(ctx, resil.KeyOf(resil.Text("a"), resil.Text("b"))),
		ref.For(ctx, resil.KeyOf(resil.Text("b"), resil.Text("a"))))

	pair := bindKeyed(t, rt, "pair-{a}-{b}")
	one := pair.For(ctx, resil.KeyOf(resil.Text("x-y"), resil.Text("z")))
	two := pair.For(ctx, resil.KeyOf(resil.Text("x"), resil.Text("y-z")))
	require.NotSame(t, one, two, "the values are the identity, not the text")
	require.Equal(t, one.Name(), two.Name())
	found, ok := rt.Breaker("pair-x-y-z")
	require.True(t, ok)
	require.Contains(t, []*breaker.Breaker{one, two}, found)
	require.Panics(t, func() { resil.KeyOf(make([]resil.Value, 5)...) })
	comparable := map[resil.Key]bool{resil.KeyOf(resil.Text("a")): true}
	require.True(t, comparable[resil.KeyOf(resil.Text("a"))])
}

func TestTemplatesOfOneTextAreDifferentInstances(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	byTenant := bindNames(t, rt, "inventory-{tenant}").For(tenant("x"))
	bySKU := bindKeyed(t, rt, "inventory-{sku}").For(context.Background(), resil.KeyOf(resil.Text("x")))
	byHand, err := rt.Breakers().GetOrCreate("inventory-x")
	require.NoError(t, err)
	require.NotSame(t, byTenant, bySKU)
	require.NotSame(t, byTenant, byHand)
	require.NotSame(t, bySKU, byHand)
	require.Equal(t, 2, metricsOf(t, rt, policy.CircuitBreaker, "inventory").Instances)
}

func TestNamesThatAreWrong(t *testing.T) {
	t.Parallel()
	bind := func(rt *resil.Runtime, configuration, name string, to resil.Reference[breaker.Breaker]) string {
		b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
		b.Configuration(configuration).Breaker(to, name)
		err := b.Err()
		require.Error(t, err)
		return err.Error()
	}
	rt := newRuntime(t)
	ref, keyed := new(resil.Ref[breaker.Breaker]), new(resil.Keyed[breaker.Breaker])
	require.Equal(t, `circuitbreaker of example.com/shop/inventory.Client: name: `+
		`the brace at byte 2 of "a-{tenant" is not closed; write {{ for a brace`, bind(rt, "", "a-{tenant", ref))
	require.Equal(t, `circuitbreaker "a-{sku}" of example.com/shop/inventory.Client: `+
		`the name has 1 values of the call, but the wrapper gives none; generate it again`, bind(rt, "", "a-{sku}", ref))
	require.Equal(t, `circuitbreaker of example.com/shop/inventory.Client: configuration "c-{sku}" has {sku}, `+
		`which the name "a-{tenant}" has not; one instance has one configuration`, bind(rt, "c-{sku}", "a-{tenant}", keyed))
	require.Contains(t, bind(rt, "nope", "a-{tenant}", ref), `there is no configuration "nope"`)
	require.Contains(t, bind(rt.Scope("e u"), "", "a", ref), `the scope "e u" is not valid`)
	require.Panics(t, func() { ref.For(context.Background()) }, "nothing was bound")
	require.Panics(t, func() { keyed.For(context.Background(), resil.KeyOf()) })

	for want, opt := range map[string]resil.Option{
		"WithMaxInstances(0)": resil.WithMaxInstances(0),
		"WithIdleTimeout(0s)": resil.WithIdleTimeout(0),
		"WithTenants needs":   resil.WithTenants(nil),
		`PerTenant("FALLBACK`: resil.PerTenant(policy.Fallback),
		`PerTenant("cache")`:  resil.PerTenant("cache"),
	} {
		_, err := resil.New(opt)
		require.ErrorContains(t, err, strings.ReplaceAll(want, "FALLBACK", string(policy.Fallback)))
	}
}

func TestTenantsOfTheProgram(t *testing.T) {
	t.Parallel()
	type header struct{}
	rt := newRuntime(t, resil.WithTenants(func(ctx context.Context) string {
		id, _ := ctx.Value(header{}).(string)
		return id
	}))
	ref := bindNames(t, rt, "inventory-{tenant}")
	ctx := context.WithValue(tenant("ignored"), header{}, "acme")
	require.Equal(t, "inventory-acme", ref.For(ctx).Name())
	require.Equal(t, "ignored", resil.TenantFromContext(ctx))
}

func TestPerTenantSplitsNamesThatHaveNoTenant(t *testing.T) {
	t.Parallel()
	type refs struct {
		breaker  resil.Ref[breaker.Breaker]
		own      resil.Ref[breaker.Breaker]
		retry    resil.Ref[retry.Retry]
		bulkhead resil.Ref[bulkhead.Bulkhead]
		fallback resil.Ref[fallback.Fallback]
	}
	bind := func(rt *resil.Runtime) *refs {
		w := new(refs)
		b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
		b.Breaker(&w.breaker, "inventory")
		b.Breaker(&w.own, "{tenant}.stock")
		b.Retry(&w.retry, "inventory")
		b.Bulkhead(&w.bulkhead, "inventory")
		b.Fallback(&w.fallback, "inventory.Client.Stock")
		require.NoError(t, b.Err())
		return w
	}
	ctx := tenant("acme")
	w := bind(newRuntime(t, resil.PerTenant(policy.CircuitBreaker, policy.Retry)))
	require.Equal(t, "inventory-acme", w.breaker.For(ctx).Name())
	require.Equal(t, "acme.stock", w.own.For(ctx).Name())
	require.Equal(t, "inventory-acme", w.retry.For(ctx).Name())
	require.Equal(t, "inventory", w.bulkhead.For(ctx).Name())
	require.Equal(t, "inventory.Client.Stock", w.fallback.For(ctx).Name())

	rt := newRuntime(t, resil.PerTenant())
	w = bind(rt)
	require.Equal(t, "inventory-acme", w.bulkhead.For(ctx).Name())
	require.Equal(t, "inventory.Client.Stock", w.fallback.For(ctx).Name())
	require.Equal(t, "inventory-acme-eu", bind(rt.Scope("eu")).retry.For(ctx).Name(), "the scope stands last")
}

func TestDefaultNamesOfTwoPackagesStayApartForEachTenant(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.PerTenant())
	_, err := bindBreaker(rt, "inventory", "", "inventory.Client.Stock")
	require.NoError(t, err)
	b := resil.Bind(rt, "example.com/other/inventory", "inventory.Client")
	b.Breaker(new(resil.Ref[breaker.Breaker]), "inventory.Client.Stock")
	require.ErrorContains(t, b.Err(),
		"both example.com/shop/inventory and example.com/other/inventory have this name by default")
}

func TestScopes(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t,
		resil.WithBreaker("inventory", breaker.WithSlidingWindowSize(5)),
		resil.WithBreaker("inventory-us", breaker.WithSlidingWindowSize(6)))
	eu, us := rt.Scope("eu"), rt.Scope("us")
	a, b := bindNames(t, eu, "inventory").For(t.Context()), bindNames(t, us, "inventory").For(t.Context())
	require.Equal(t, "inventory-eu", a.Name())
	require.Equal(t, "inventory-us", b.Name())
	require.Equal(t, 5, a.Config().SlidingWindowSize, "settings of the base name hold in all scopes")
	require.Equal(t, 6, b.Config().SlidingWindowSize)
	require.NoError(t, a.TransitionTo(breaker.Open))
	require.Equal(t, breaker.Closed, b.State())
	require.Same(t, a, bindNames(t, rt.Scope("eu"), "inventory").For(t.Context()), "the scope is the same")

	require.Equal(t, "eu.inventory", bindNames(t, eu, "{scope}.inventory").For(t.Context()).Name())
	require.Equal(t, "default.inventory", bindNames(t, rt, "{scope}.inventory").For(t.Context()).Name())
	require.Equal(t, "inventory-a-eu", bindNames(t, eu, "inventory-{tenant}").For(tenant("a")).Name())
	require.Equal(t, "inventory-eu-west", bindNames(t, eu.Scope("west"), "inventory").For(t.Context()).Name())
	require.Same(t, rt, rt.Scope(""))

	found, ok := eu.Breaker("inventory")
	require.True(t, ok)
	require.Same(t, a, found)
	byHand, err := us.Breakers().GetOrCreate("inventory")
	require.NoError(t, err)
	require.Same(t, b, byHand)
	own, err := us.Breakers().GetOrCreate("orders")
	require.NoError(t, err)
	require.Equal(t, "orders-us", own.Name())
	require.True(t, us.Breakers().Remove("orders"))
	_, ok = rt.Breaker("orders-us")
	require.False(t, ok)

	_, err = bindBreaker(rt, "orders", "", "inventory-eu")
	require.ErrorContains(t, err, `circuitbreaker "inventory-eu": `+
		`base name is "inventory" at example.com/shop/inventory.Client and "inventory-eu" at example.com/shop/orders.Client`)
	require.NoError(t, eu.Close())
	_, err = rt.Breakers().GetOrCreate("late")
	require.ErrorIs(t, err, resil.ErrClosed)
}

func TestNamesOfTheProgram(t *testing.T) {
	t.Parallel()
	type route struct{}
	rt := newRuntime(t, resil.WithMaxInstances(3),
		resil.WithBreaker("inventory", breaker.WithSlidingWindowSize(5)),
		resil.WithNames(func(ctx context.Context, kind policy.Kind, name string) string {
			if to, ok := ctx.Value(route{}).(string); ok && kind == policy.CircuitBreaker {
				return to
			}
			return name
		}))
	to := func(name string) context.Context { return context.WithValue(tenant("a"), route{}, name) }
	constant, ref := bindNames(t, rt, "inventory"), bindNames(t, rt, "inventory-{tenant}")
	require.Equal(t, "inventory", constant.For(tenant("a")).Name())
	require.Equal(t, "inventory-a", ref.For(tenant("a")).Name(), "as the annotation says")
	canary := constant.For(to("canary"))
	require.Equal(t, "canary", canary.Name())
	require.Same(t, canary, constant.For(to("canary")))
	require.NotSame(t, canary, ref.For(to("canary")), "of another name")
	require.Equal(t, 5, canary.Config().SlidingWindowSize, "configured by the annotation's base name")
	require.Equal(t, "inventory-default", constant.For(to("")).Name())
	require.Equal(t, "inventory-other", constant.For(to("a b")).Name())
	require.Equal(t, "inventory-other", constant.For(to("blue")).Name(), "there is no room")
	m := metricsOf(t, rt, policy.CircuitBreaker, "inventory")
	require.Equal(t, [3]uint64{1, 1, 1}, [3]uint64{m.Defaulted, m.Invalid, m.OverCap})
	var r resil.Ref[retry.Retry]
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Retry(&r, "inventory")
	require.NoError(t, b.Err())
	require.Equal(t, "inventory", r.For(to("canary")).Name())
}

func TestConfigurationOfAFamily(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	rt := newRuntime(t, resil.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		resil.WithBreakerConfig("default", breaker.WithSlidingWindowSize(9)),
		resil.WithBreakerConfig("tier-gold", breaker.WithSlidingWindowSize(50)),
		resil.WithBreakerConfig("plain{x}", breaker.WithSlidingWindowSize(3)))
	var ref resil.Keyed[breaker.Breaker]
	var plain resil.Ref[breaker.Breaker]
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Configuration("tier-{tier}").Breaker(&ref, "inventory-{tenant}-{tier}", breaker.WithMinimumNumberOfCalls(2))
	b.Configuration("plain{{x}").Breaker(&plain, "plain-{tenant}")
	require.NoError(t, b.Err())
	gold := ref.For(tenant("a"), resil.KeyOf(resil.Text("gold"))).Config()
	require.Equal(t, [2]int{50, 2}, [2]int{gold.SlidingWindowSize, gold.MinimumNumberOfCalls})
	require.Equal(t, 3, plain.For(tenant("a")).Config().SlidingWindowSize)
	require.Empty(t, log.String())
	for _, tier := range []string{"lead", "tin", "lead"} {
		require.Equal(t, 9, ref.For(tenant("a"), resil.KeyOf(resil.Text(tier))).Config().SlidingWindowSize)
	}
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	require.Contains(t, log.String(), "configuration=tier-lead")
}

func TestCodeOptionsOfOneTenant(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t,
		resil.WithBreaker("inventory", breaker.WithMinimumNumberOfCalls(3)),
		resil.WithBreaker("inventory-big", breaker.WithSlidingWindowSize(500)),
		resil.WithBreaker("inventory-seen", breaker.WithSlidingWindowSize(400)))
	seen, ok := rt.Breaker("inventory-seen")
	require.True(t, ok)
	require.NoError(t, seen.TransitionTo(breaker.Open))
	ref := bindNames(t, rt, "inventory-{tenant}", breaker.WithSlidingWindowSize(7), breaker.WithMinimumNumberOfCalls(4))
	big := ref.For(tenant("big")).Config()
	require.Equal(t, [2]int{500, 3}, [2]int{big.SlidingWindowSize, big.MinimumNumberOfCalls})
	require.Equal(t, 7, ref.For(tenant("small")).Config().SlidingWindowSize)
	require.Same(t, seen, ref.For(tenant("seen")), "whoever has the instance keeps it")
	require.Equal(t, breaker.Open, seen.State())
	require.Equal(t, [2]int{400, 3}, [2]int{seen.Config().SlidingWindowSize, seen.Config().MinimumNumberOfCalls})
	require.Equal(t, []string{"inventory-big", "inventory-seen", "inventory-small"},
		names(rt.Breakers().All(), (*breaker.Breaker).Name), "one instance a name")
}

func TestALaterWrapperReachesTheInstancesOfAFamily(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithBreaker("inventory-b", breaker.WithSlidingWindowSize(500)))
	ref := bindNames(t, rt, "inventory-{tenant}", breaker.WithMinimumNumberOfCalls(3))
	a, b := ref.For(tenant("a")), ref.For(tenant("b"))
	bindNames(t, rt, "inventory-{tenant}", breaker.WithSlidingWindowSize(7))
	require.Equal(t, 7, a.Config().SlidingWindowSize)
	require.Equal(t, 500, b.Config().SlidingWindowSize)
	require.Equal(t, 7, ref.For(tenant("c")).Config().SlidingWindowSize)
	_, err := bindBreaker(rt, "orders", "", "inventory-{tenant}", breaker.WithSlidingWindowSize(8))
	require.ErrorContains(t, err, `circuitbreaker "inventory-{tenant}": `+
		`slidingWindowSize is 7 at example.com/shop/inventory.Client and 8 at example.com/shop/orders.Client`)
}

func TestRegistryAndFamilies(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithTags(map[string]string{"host": "h1"}))
	ref := bindNames(t, rt, "inventory-{tenant}")
	var events, entries []string
	defer rt.Subscribe(func(e policy.Event) { events = append(events, e.Name+" "+string(e.Type)) })()
	defer rt.Breakers().Subscribe(func(e policy.Event) { entries = append(entries, e.Name+" "+string(e.Type)) })()
	a := ref.For(tenant("a"))
	require.NoError(t, breaker.Run(t.Context(), a, func(context.Context) error { return nil }))
	require.Equal(t, map[string]string{"host": "h1"}, rt.Breakers().Tags("inventory-a"))

	other, err := breaker.New("inventory-a")
	require.NoError(t, err)
	old, err := rt.Breakers().Replace("inventory-a", other)
	require.NoError(t, err)
	require.Same(t, a, old)
	require.Same(t, other, ref.For(tenant("a")), "wrappers follow")
	require.Error(t, breaker.Run(t.Context(), other, func(context.Context) error { return errors.New("ill") }))

	require.True(t, rt.Breakers().Remove("inventory-a"))
	require.False(t, rt.Breakers().Remove("inventory-a"))
	_, ok := rt.Breaker("inventory-a")
	require.False(t, ok)
	again := ref.For(tenant("a"))
	require.NotSame(t, other, again, "the next call makes a new one")
	require.Equal(t, []string{"inventory-a SUCCESS", "inventory-a ERROR"}, events)
	require.Equal(t,
		[]string{"inventory-a ADDED", "inventory-a REPLACED", "inventory-a REMOVED", "inventory-a ADDED"}, entries)
}

func TestCallsOfNewTenantsAfterClose(t *testing.T) {
	t.Parallel()
	rt, err := resil.New()
	require.NoError(t, err)
	var ref resil.Ref[limiter.Limiter]
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Limiter(&ref, "inventory-{tenant}", limiter.WithLimitForPeriod(1), limiter.WithLimitRefreshPeriod(time.Hour),
		limiter.WithTimeoutDuration(2*time.Hour))
	require.NoError(t, b.Err())
	before := ref.For(tenant("a"))
	require.NoError(t, rt.Close())
	after := ref.For(tenant("b"))
	for _, l := range []*limiter.Limiter{before, after} {
		require.NoError(t, l.Acquire(t.Context(), 1))
		require.Error(t, l.Acquire(t.Context(), 1), "judged, but never waits")
	}
	require.Same(t, after, ref.For(tenant("b")))
}

func TestPassthroughWithTenants(t *testing.T) {
	t.Parallel()
	rt := resil.Passthrough()
	ref := bindNames(t, rt, "inventory-{tenant}", breaker.WithSlidingWindowSize(1))
	b := ref.For(tenant("a"))
	require.Equal(t, "inventory-a", b.Name())
	require.Error(t, breaker.Run(t.Context(), b, func(context.Context) error { return errors.New("ill") }))
	require.Equal(t, breaker.Closed, b.State())
}

// TestAHotTenantLeavesTheOthersAlone: neither its failures nor its calls are any other tenant's.
func TestAHotTenantLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	var w struct {
		breaker  resil.Ref[breaker.Breaker]
		limiter  resil.Ref[limiter.Limiter]
		bulkhead resil.Ref[bulkhead.Bulkhead]
	}
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Breaker(&w.breaker, "inventory-{tenant}", breaker.WithSlidingWindowSize(10), breaker.WithMinimumNumberOfCalls(10))
	b.Limiter(&w.limiter, "inventory-{tenant}", limiter.WithLimitForPeriod(5), limiter.WithLimitRefreshPeriod(time.Hour),
		limiter.WithTimeoutDuration(0))
	b.Bulkhead(&w.bulkhead, "inventory-{tenant}", bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(0))
	require.NoError(t, b.Err())
	call := func(id string, err error) error {
		ctx := tenant(id)
		return breaker.Run(ctx, w.breaker.For(ctx), func(ctx context.Context) error { return err })
	}
	for i := range 1000 {
		_ = call("hot", errors.New("ill"))
		_ = w.limiter.For(tenant("hot")).Acquire(t.Context(), 1)
		held, err := w.bulkhead.For(tenant("hot")).Begin(t.Context())
		if i > 0 {
			require.Error(t, err)
		} else {
			defer held.End()
		}
	}
	require.Equal(t, breaker.Open, w.breaker.For(tenant("hot")).State())
	for i := range 50 {
		id := fmt.Sprint("cold-", i)
		require.NoError(t, call(id, nil))
		for range 5 {
			require.NoError(t, w.limiter.For(tenant(id)).Acquire(t.Context(), 1))
		}
		require.Error(t, w.limiter.For(tenant(id)).Acquire(t.Context(), 1))
		held, err := w.bulkhead.For(tenant(id)).Begin(t.Context())
		require.NoError(t, err)
		held.End()
	}
}
