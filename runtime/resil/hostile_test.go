package resil_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// TestAHitAllocatesNothing, whatever the values are. It does not run beside other tests, whose allocations would count.
func TestAHitAllocatesNothing(t *testing.T) {
	rt := newRuntime(t)
	renamed := newRuntime(t, resil.WithNames(func(_ context.Context, _ policy.Kind, name string) string {
		if name == "renamed" {
			return "canary"
		}
		return name
	}))
	byTenant, constant := bindNames(t, rt, "inventory-{tenant}"), bindNames(t, rt, "inventory")
	text, number := bindKeyed(t, rt, "stock-{sku}"), bindKeyed(t, rt, "stock-{qty}")
	all := bindKeyed(t, rt, "{tenant}.stock-{sku}/{qty}-{region}")
	same, other := bindNames(t, renamed, "inventory-{tenant}"), bindNames(t, renamed, "renamed")
	ctx, invalid := tenant("acme"), tenant("a b")
	sku, qty := "x-1", 1234567890
	for name, hit := range map[string]func() *breaker.Breaker{
		"constant": func() *breaker.Breaker { return constant.For(ctx) },
		"tenant":   func() *breaker.Breaker { return byTenant.For(ctx) },
		"nobody":   func() *breaker.Breaker { return byTenant.For(context.Background()) },
		"invalid":  func() *breaker.Breaker { return byTenant.For(invalid) },
		"text":     func() *breaker.Breaker { return text.For(ctx, resil.KeyOf(resil.Text(sku))) },
		"int":      func() *breaker.Breaker { return number.For(ctx, resil.KeyOf(resil.Int(qty))) },
		"negative": func() *breaker.Breaker { return number.For(ctx, resil.KeyOf(resil.Int(-qty))) },
		"absent":   func() *breaker.Breaker { return text.For(ctx, resil.KeyOf(resil.Absent)) },
		"several": func() *breaker.Breaker {
			return all.For(ctx, resil.KeyOf(resil.Text(sku), resil.Int(qty), resil.Absent))
		},
		"kept name":  func() *breaker.Breaker { return same.For(ctx) },
		"other name": func() *breaker.Breaker { return other.For(ctx) },
	} {
		first := hit()
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if hit() != first {
				panic("another instance")
			}
		}), name)
	}
}

// TestHostileIdsTakeNoMemory: a million of them, with room for a thousand, and a thousand tenants.
func TestHostileIdsTakeNoMemory(t *testing.T) {
	synctest.Test(t, hostileIdsTakeNoMemory) // where no time passes, so that nobody is idle
}

func hostileIdsTakeNoMemory(t *testing.T) {
	id := ""
	rt := newRuntime(t, resil.WithMaxInstances(1000), resil.WithTenants(func(context.Context) string { return id }))
	ref := bindNames(t, rt, "inventory-{tenant}")
	before := heap()
	for i := range 1000 {
		id = fmt.Sprintf("tenant-%06d", i)
		ref.For(t.Context())
	}
	tenants := heap() - before
	for i := range 1_000_000 {
		id = fmt.Sprintf("hostile-%08d", i)
		if i%10 == 0 {
			id += "!"
		}
		if name := ref.For(t.Context()).Name(); name != "inventory-other" {
			require.Equal(t, "inventory-other", name)
		}
	}
	hostile := heap() - before
	require.LessOrEqual(t, float64(hostile), 1.1*float64(tenants), "of %d bytes", tenants)
	m := metricsOf(t, rt, policy.CircuitBreaker, "inventory")
	require.Equal(t, resil.NameMetrics{
		Kind: policy.CircuitBreaker, Base: "inventory", Instances: 1001, Invalid: 100_000, OverCap: 900_000,
	}, m)
	id = "tenant-000500"
	require.Equal(t, "inventory-tenant-000500", ref.For(t.Context()).Name())
	runtime.KeepAlive(ref)
}
