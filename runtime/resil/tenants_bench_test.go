package resil_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

// guarded is a wrapper with a retry and a circuit breaker, whose call is what generated code does.
type guarded struct {
	retry   resil.Ref[retry.Retry]
	breaker resil.Ref[breaker.Breaker]
}

func newGuarded(tb testing.TB, rt *resil.Runtime, name string) *guarded {
	w := new(guarded)
	b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	b.Retry(&w.retry, name)
	b.Breaker(&w.breaker, name)
	if err := b.Err(); err != nil {
		tb.Fatal(err)
	}
	return w
}

func (w *guarded) call(ctx context.Context) error {
	attempts := w.retry.For(ctx).Begin()
	for {
		err := w.attempt(ctx)
		if !attempts.Again(ctx, &err) {
			return err
		}
	}
}

func (w *guarded) attempt(ctx context.Context) error {
	call, err := w.breaker.For(ctx).Begin()
	if err != nil {
		return err
	}
	defer call.Abort()
	err = nothing(ctx)
	call.End(ctx, err)
	return err
}

//go:noinline
func nothing(context.Context) error { return nil }

func tenants(n int) []context.Context {
	all := make([]context.Context, n)
	for i := range all {
		all[i] = tenant(fmt.Sprintf("tenant-%06d", i))
	}
	return all
}

// BenchmarkCall compares a wrapper with constant names to one with an instance of each policy for each tenant: one tenant
// that is hot, and many that come in turn or at random.
func BenchmarkCall(b *testing.B) {
	newRuntime := func(b *testing.B) *resil.Runtime {
		rt, err := resil.New()
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = rt.Close() })
		return rt
	}
	b.Run("static", func(b *testing.B) {
		w, ctx := newGuarded(b, newRuntime(b), "inventory"), tenant("tenant-000000")
		b.ReportAllocs()
		for b.Loop() {
			_ = w.call(ctx)
		}
	})
	for _, n := range []int{1, 1000, 100_000} {
		for _, order := range []string{"inturn", "shuffled"} {
			if n == 1 && order == "shuffled" {
				continue
			}
			b.Run(fmt.Sprintf("tenants=%d/%s", n, order), func(b *testing.B) {
				w, calls := newGuarded(b, newRuntime(b), "inventory-{tenant}"), tenants(n)
				for _, ctx := range calls {
					_ = w.call(ctx)
				}
				if order == "shuffled" {
					rand.Shuffle(n, func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					_ = w.call(calls[i])
					if i++; i == n {
						i = 0
					}
				}
			})
		}
	}
}

// BenchmarkLookup is what one layer needs to find its instance.
func BenchmarkLookup(b *testing.B) {
	rt, err := resil.New()
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	var constant, byTenant resil.Ref[breaker.Breaker]
	var text, number, several resil.Keyed[breaker.Breaker]
	bind := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
	bind.Breaker(&constant, "inventory")
	bind.Breaker(&byTenant, "inventory-{tenant}")
	bind.Breaker(&text, "stock-{sku}")
	bind.Breaker(&number, "stock-{qty}")
	bind.Breaker(&several, "stock-{tenant}-{sku}-{qty}")
	if err := bind.Err(); err != nil {
		b.Fatal(err)
	}
	ctx := tenant("tenant-000000")
	for name, lookup := range map[string]func() *breaker.Breaker{
		"constant": func() *breaker.Breaker { return constant.For(ctx) },
		"tenant":   func() *breaker.Breaker { return byTenant.For(ctx) },
		"text":     func() *breaker.Breaker { return text.For(ctx, resil.KeyOf(resil.Text("sku-1"))) },
		"int":      func() *breaker.Breaker { return number.For(ctx, resil.KeyOf(resil.Int(12345678))) },
		"several": func() *breaker.Breaker {
			return several.For(ctx, resil.KeyOf(resil.Text("sku-1"), resil.Int(12345678)))
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lookup()
			}
		})
	}
}

// BenchmarkMiss is the first call of a tenant, and of one for whom there is no room.
func BenchmarkMiss(b *testing.B) {
	for name, limit := range map[string]int{"new": 1 << 30, "overcap": 1000} {
		b.Run(name, func(b *testing.B) {
			rt, err := resil.New(resil.WithMaxInstances(limit))
			if err != nil {
				b.Fatal(err)
			}
			defer rt.Close()
			w := newGuarded(b, rt, "inventory-{tenant}")
			for _, ctx := range tenants(min(limit, 1000)) {
				_ = w.call(ctx)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				_ = w.call(tenant(fmt.Sprint("late-", i)))
				i++
			}
		})
	}
}

// BenchmarkTenantMemory reports what one tenant of a wrapper with a retry and a circuit breaker costs, with its names.
func BenchmarkTenantMemory(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		rt, err := resil.New()
		if err != nil {
			b.Fatal(err)
		}
		w := newGuarded(b, rt, "inventory-{tenant}")
		_ = w.call(tenant("first"))
		before := heap()
		for i := range n {
			_ = w.call(tenant(fmt.Sprintf("tenant-%06d", i)))
		}
		b.ReportMetric(float64(heap()-before)/n, "B/tenant")
		runtime.KeepAlive(w)
		if err := rt.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// heap returns how much memory is in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
