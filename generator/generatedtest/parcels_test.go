package generatedtest_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	. "github.com/resilgen/resilgen/generator/generatedtest"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// parcels is a Parcels that answers with what its function says.
type parcels struct{ call func() error }

func (p *parcels) Send(context.Context, Country, *Route) error                { return p.call() }
func (p *parcels) Weigh(int8, context.Context, uint64, *int32) error          { return p.call() }
func (p *parcels) From(context.Context, *Sender) error                        { return p.call() }
func (p *parcels) Leg(context.Context, *Sender) error                         { return p.call() }
func (p *parcels) Track(context.Context, ...string) error                     { return p.call() }
func (p *parcels) Label(string, string) error                                 { return p.call() }
func (p *parcels) Put(context.Context, Country, *Entry[Country, []int]) error { return p.call() }

func right() error { return nil }

func newRuntime(t *testing.T, opts ...resil.Option) *resil.Runtime {
	rt, err := resil.New(opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt
}

func newParcels(t *testing.T, rt *resil.Runtime, call func() error) *ResilientParcels {
	w, err := NewResilientParcels(&parcels{call}, rt)
	require.NoError(t, err)
	return w
}

// requireNames requires that these circuit breakers are all there are.
func requireNames(t *testing.T, rt *resil.Runtime, names ...string) {
	t.Helper()
	var all []string
	for b := range rt.Breakers().All() {
		all = append(all, b.Name())
	}
	require.ElementsMatch(t, names, all)
}

func TestEveryTypeOfValueStandsInNames(t *testing.T) {
	t.Parallel()
	boxes := int32(-2147483648)
	first := &Sender{Legs: []*Route{RouteOf("be", "lu")}}
	for _, test := range []struct {
		name string
		call func(w *ResilientParcels) error
		want string
	}{
		{"text and a pointer that has it", func(w *ResilientParcels) error {
			return w.Send(t.Context(), "fr", RouteOf("de", "fr"))
		}, "send-fr-de.fr"},
		{"a nil pointer that has a text", func(w *ResilientParcels) error { return w.Send(t.Context(), "fr", nil) }, "send-fr-default"},
		{"text that is not valid", func(w *ResilientParcels) error { return w.Send(t.Context(), "f r", nil) }, "send-other-default"},
		{"integers", func(w *ResilientParcels) error {
			return w.Weigh(-128, t.Context(), 18446744073709551615, &boxes)
		}, "weigh-18446744073709551615--2147483648--128"},
		{"no integer", func(w *ResilientParcels) error { return w.Weigh(0, t.Context(), 0, nil) }, "weigh-0-default-0"},
		{"a field of an embedded pointer", func(w *ResilientParcels) error {
			return w.From(t.Context(), &Sender{Company: &Company{Country: "nl"}})
		}, "from-nl"},
		{"an embedded pointer that is nil", func(w *ResilientParcels) error { return w.From(t.Context(), &Sender{}) }, "from-default"},
		{"a pointer to it that is nil", func(w *ResilientParcels) error { return w.From(t.Context(), nil) }, "from-default"},
		{"a method", func(w *ResilientParcels) error { return w.Leg(t.Context(), first) }, "leg-be.lu"},
		{"a method that returns nil", func(w *ResilientParcels) error { return w.Leg(t.Context(), &Sender{}) }, "leg-default"},
		{"a pointer in what a method returns", func(w *ResilientParcels) error {
			return w.Leg(t.Context(), &Sender{Legs: []*Route{nil}})
		}, "leg-default"},
		{"functions of variadic parameters", func(w *ResilientParcels) error {
			return w.Track(t.Context(), "a", "abc", "ab")
		}, "track-abc"},
		{"functions of no parameters", func(w *ResilientParcels) error { return w.Track(t.Context()) }, "track-default"},
		{"a function of two parameters, and braces", func(w *ResilientParcels) error { return w.Label("x", "y") }, "{label}-XY-default"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rt := newRuntime(t)
			require.NoError(t, test.call(newParcels(t, rt, right)))
			requireNames(t, rt, test.want)
		})
	}
	t.Cleanup(func() { require.Equal(t, 1, first.Asks, "a layer asks once for what may be nil the next time") })
}

func TestLayersOfOneCallHaveInstancesOfTheirOwnNames(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	w := newParcels(t, rt, right)
	acme := resil.ContextWithTenant(t.Context(), "acme")
	for range 3 {
		require.NoError(t, w.Track(acme, "a", "abc"))
	}
	require.ErrorIs(t, w.Track(acme, "abc"), limiter.ErrExceeded, "the limit is that of abc")
	require.NoError(t, w.Track(acme, "abcd"))
	_, ok := rt.Retry("track-2")
	require.True(t, ok)
	_, ok = rt.TimeLimiter("track-abcd")
	require.True(t, ok)
	found[limiter.Limiter](t)(rt.Limiter("track-abc"))
	found[bulkhead.Bulkhead](t)(rt.Bulkhead("Parcels.Track-acme"))
	require.NoError(t, w.Send(acme, "fr", nil))
	found[bulkhead.Bulkhead](t)(rt.Bulkhead("Parcels.Send-acme"))
}

func TestOneValuesOpenBreakerLeavesOthersClosedInAGenericWrapper(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	var answer error
	w, err := NewResilientCache[Country, []int](&parcels{func() error { return answer }}, rt)
	require.NoError(t, err)
	entry := &Entry[Country, []int]{Key: "x"}
	answer = io.ErrUnexpectedEOF
	for range 2 {
		require.ErrorIs(t, w.Put(t.Context(), "fr", entry), io.ErrUnexpectedEOF)
	}
	answer = nil
	require.ErrorIs(t, w.Put(t.Context(), "fr", entry), breaker.ErrOpen)
	require.NoError(t, w.Put(t.Context(), "de", entry))
	require.NoError(t, w.Put(t.Context(), "fr", nil))
	requireNames(t, rt, "cache-fr-x", "cache-de-x", "cache-fr-default")
}

func TestOneValuesFullBulkheadLeavesOthersFree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w, err := NewResilientCache[Country, []int](&parcels{func() error { <-release; return nil }}, newRuntime(t))
		require.NoError(t, err)
		answers := make(chan error, 2)
		for _, country := range []Country{"fr", "de"} {
			go func() { answers <- w.Put(t.Context(), country, nil) }()
		}
		synctest.Wait()
		require.ErrorIs(t, w.Put(t.Context(), "fr", nil), bulkhead.ErrFull)
		close(release)
		require.NoError(t, <-answers)
		require.NoError(t, <-answers)
	})
}

func TestWrappersInTwoScopesShareNothing(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	fail := func() error { return io.ErrUnexpectedEOF }
	eu, us := newParcels(t, rt.Scope("eu"), fail), newParcels(t, rt.Scope("us"), right)
	for range 2 {
		require.ErrorIs(t, eu.Track(t.Context(), "abc"), io.ErrUnexpectedEOF)
	}
	require.ErrorIs(t, eu.Track(t.Context(), "abc"), breaker.ErrOpen)
	require.NoError(t, us.Track(t.Context(), "abc"))
	require.Equal(t, breaker.Open, found[breaker.Breaker](t)(rt.Breaker("track-abc-eu")).State())
	require.Equal(t, breaker.Closed, found[breaker.Breaker](t)(rt.Breaker("track-abc-us")).State())

	require.ErrorIs(t, eu.Label("x", "y"), io.ErrUnexpectedEOF)
	require.NoError(t, us.Label("x", "y"))
	found[breaker.Breaker](t)(rt.Breaker("{label}-XY-eu"))
	found[breaker.Breaker](t)(rt.Breaker("{label}-XY-us"))
}

func TestPerTenantGivesEachTenantInstancesOfNamesWithout(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.PerTenant(policy.CircuitBreaker))
	var answer error
	w := newParcels(t, rt, func() error { return answer })
	a, b := resil.ContextWithTenant(t.Context(), "a"), resil.ContextWithTenant(t.Context(), "b")
	answer = io.ErrUnexpectedEOF
	for range 2 {
		require.ErrorIs(t, w.Track(a, "abc"), io.ErrUnexpectedEOF)
	}
	answer = nil
	require.ErrorIs(t, w.Track(a, "abc"), breaker.ErrOpen)
	require.NoError(t, w.Track(b, "abc"))
	require.NoError(t, w.Label("x", "y"), "without a context there is no tenant")
	requireNames(t, rt, "track-abc-a", "track-abc-b", "{label}-XY-default-default")
	_, ok := rt.Retry("track-1-a")
	require.False(t, ok, "retries are not each tenant's")
}

// ordered is a document of settings that says nothing but the order of layers.
type ordered []policy.Kind

func (o ordered) Load() (*resil.Document, error) {
	return &resil.Document{Name: "resil.yaml", Order: o}, nil
}

func (ordered) Watch(context.Context, func(*resil.Document, error)) {}

func TestConstructorChecksTheOrderOfLayers(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithSource(ordered{policy.RateLimiter, policy.Retry}))
	_, err := NewResilientParcels(&parcels{right}, rt)
	require.ErrorContains(t, err, "Parcels.Track are retry, circuitbreaker, ratelimiter, timelimiter, bulkhead, from outside in, "+
		"but in resil.yaml their order is ratelimiter, retry, circuitbreaker, timelimiter, bulkhead; run resilgen -config resil.yaml")
	require.NotContains(t, err.Error(), "Parcels.Send", "its layers are in this order too")
	_, bound := rt.Bulkhead("Parcels.Send-default")
	require.False(t, bound)

	rt = newRuntime(t, resil.WithSource(ordered{policy.Retry, policy.CircuitBreaker, policy.RateLimiter}))
	_, err = NewResilientParcels(&parcels{right}, rt)
	require.NoError(t, err)
}

func TestCallThroughKeyMethodsAllocatesNothing(t *testing.T) {
	w, err := NewResilientCache[Country, []int](&parcels{right}, newRuntime(t))
	require.NoError(t, err)
	entry := &Entry[Country, []int]{Key: "x"}
	require.NoError(t, w.Put(t.Context(), "fr", entry))
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if w.Put(ctx, "fr", entry) != nil {
			panic("refused")
		}
	}))
}
