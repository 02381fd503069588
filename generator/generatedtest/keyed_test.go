package generatedtest_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	. "github.com/resilgen/resilgen/generator/generatedtest"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/resil"
)

// stores is a Stores that answers with what its function says.
type stores struct {
	call func(ctx context.Context) error
}

func (s *stores) Tenant(ctx context.Context) error                         { return s.call(ctx) }
func (s *stores) Stock(ctx context.Context, _ string, _ int) error         { return s.call(ctx) }
func (s *stores) Local(ctx context.Context, _ *Depot) error                { return s.call(ctx) }
func (s *stores) Above(ctx context.Context, _ *Depot) error                { return s.call(ctx) }
func (s *stores) Shelved(ctx context.Context, _ Shelf, _ int64) error      { return s.call(ctx) }
func (s *stores) Family(ctx context.Context, _ string) error               { return s.call(ctx) }
func (s *stores) Pooled(ctx context.Context, _ uint8) error                { return s.call(ctx) }
func (s *stores) Hot(ctx context.Context, _ string, _ int, _ *Depot) error { return s.call(ctx) }

func newStores(t *testing.T, call func(ctx context.Context) error, opts ...resil.Option) (*ResilientStores, *resil.Runtime) {
	rt, err := resil.New(opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	w, err := NewResilientStores(&stores{call}, rt)
	require.NoError(t, err)
	return w, rt
}

func succeed(context.Context) error { return nil }

func TestOneTenantsFailuresOpenItsOwnBreakerOnly(t *testing.T) {
	t.Parallel()
	bad := resil.ContextWithTenant(t.Context(), "a")
	good := resil.ContextWithTenant(t.Context(), "b")
	w, rt := newStores(t, func(ctx context.Context) error {
		if resil.TenantFromContext(ctx) == "a" {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	for range 2 {
		require.ErrorIs(t, w.Tenant(bad), io.ErrUnexpectedEOF)
	}
	require.ErrorIs(t, w.Tenant(bad), breaker.ErrOpen)
	require.NoError(t, w.Tenant(good))
	require.NoError(t, w.Tenant(t.Context()))
	require.Equal(t, breaker.Open, found[breaker.Breaker](t)(rt.Breaker("tenant-a")).State())
	require.Equal(t, breaker.Closed, found[breaker.Breaker](t)(rt.Breaker("tenant-b")).State())
	found[breaker.Breaker](t)(rt.Breaker("tenant-default"))
}

func TestRetryAndBreakerOfAParameterAreThatArticlesOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		w, rt := newStores(t, func(context.Context) error {
			calls++
			return io.ErrUnexpectedEOF
		})
		require.ErrorIs(t, w.Stock(t.Context(), "nut", 1), io.ErrUnexpectedEOF)
		require.Equal(t, 2, calls, "the first call and its retry")
		require.ErrorIs(t, w.Stock(t.Context(), "nut", 2), breaker.ErrOpen)
		require.Equal(t, 2, calls)
		require.ErrorIs(t, w.Stock(t.Context(), "bolt", 1), io.ErrUnexpectedEOF)
		require.Equal(t, 4, calls)
		for _, name := range []string{"stock-nut", "stock-bolt"} {
			_, ok := rt.Retry(name)
			require.True(t, ok, name)
		}
	})
}

func TestNilOnThePathIsAnAbsentValue(t *testing.T) {
	t.Parallel()
	text := "l"
	whole := &Depot{Region: &Region{Code: "eu", Parent: &Region{Code: "world"}}, Label: &text}
	for _, test := range []struct {
		name         string
		depot        *Depot
		local, above string
	}{
		{"nothing is nil", whole, "local-eu", "above-world-l"},
		{"no depot", nil, "local-default", "above-default-default"},
		{"no region", &Depot{Label: &text}, "local-default", "above-default-l"},
		{"no parent, no label", &Depot{Region: &Region{Code: "us"}}, "local-us", "above-default-default"},
		{"an empty text", &Depot{Region: &Region{}}, "local-default", "above-default-default"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, rt := newStores(t, succeed)
			require.NoError(t, w.Local(t.Context(), test.depot))
			require.NoError(t, w.Above(t.Context(), test.depot))
			found[breaker.Breaker](t)(rt.Breaker(test.local))
			found[bulkhead.Bulkhead](t)(rt.Bulkhead(test.local))
			found[breaker.Breaker](t)(rt.Breaker(test.above))
		})
	}
}

func TestStringersIntegersAndFunctionsStandInNames(t *testing.T) {
	t.Parallel()
	w, rt := newStores(t, succeed)
	require.NoError(t, w.Shelved(t.Context(), 12, -9223372036854775808))
	require.NoError(t, w.Shelved(t.Context(), -1, 0))
	found[breaker.Breaker](t)(rt.Breaker("shelved-shelf12.-9223372036854775808.aisle1"))
	found[breaker.Breaker](t)(rt.Breaker("shelved-shelf-1.0.default"))
}

func TestConfigurationFollowsTheValueOfItsName(t *testing.T) {
	t.Parallel()
	w, rt := newStores(t, succeed,
		resil.WithBreakerConfig("size-big", breaker.WithSlidingWindowSize(77)),
		resil.WithBreakerConfig("size-small", breaker.WithSlidingWindowSize(7)))
	for _, size := range []string{"big", "small", "odd"} {
		require.NoError(t, w.Family(t.Context(), size))
	}
	window := func(name string) int { return found[breaker.Breaker](t)(rt.Breaker(name)).Config().SlidingWindowSize }
	require.Equal(t, 77, window("family-big"))
	require.Equal(t, 7, window("family-small"))
	require.Equal(t, breaker.DefaultConfig().SlidingWindowSize, window("family-odd"), "there is no size-odd")
}

func TestEachQueueHasAPoolOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w, _ := newStores(t, func(context.Context) error {
			<-release
			return nil
		})
		answers := make(chan error, 2)
		go func() { answers <- w.Pooled(t.Context(), 1) }()
		synctest.Wait()
		require.ErrorIs(t, w.Pooled(t.Context(), 1), bulkhead.ErrFull)
		go func() { answers <- w.Pooled(t.Context(), 2) }()
		synctest.Wait()
		require.Empty(t, answers, "the second queue's call runs beside the first one's")
		close(release)
		require.NoError(t, <-answers)
		require.NoError(t, <-answers)
	})
}

func TestCallThroughKeyedLayersAllocatesNothing(t *testing.T) {
	w, _ := newStores(t, succeed)
	ctx := resil.ContextWithTenant(t.Context(), "a")
	depot := &Depot{Region: &Region{Code: "eu"}}
	require.NoError(t, w.Hot(ctx, "nut", 1234567, depot))
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if err := w.Hot(ctx, "nut", 1234567, depot); err != nil {
			panic(errors.Join(err, errors.New("wrong answer")))
		}
	}))
}
