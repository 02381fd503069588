package resil_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

func TestEntriesAreAnnounced(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t, resil.WithLimiterBackend("redis", &scriptedBackend{}))
	var all, breakers []string
	before := time.Now()
	unsubscribe := rt.SubscribeEntries(func(e policy.Event) {
		require.WithinRange(t, e.Time, before, time.Now())
		all = append(all, e.String())
	})
	rt.Breakers().Subscribe(func(e policy.Event) {
		_, there := rt.Breaker(e.Name)
		breakers = append(breakers, fmt.Sprint(e.Type, " ", there))
	})

	_, err := newResilientCounter(countFunc(nil), rt)
	require.NoError(t, err)
	_, err = newResilientCounter(countFunc(nil), rt)
	require.NoError(t, err, "nothing is new")
	const name = "counter.Counter.Count"
	_, err = rt.Breakers().Replace(name, newBreaker(t, name))
	require.NoError(t, err)
	require.True(t, rt.Breakers().Remove(name))
	require.False(t, rt.Breakers().Remove(name))
	_, err = rt.Breakers().GetOrCreate(name)
	require.NoError(t, err)
	_, err = rt.Breakers().GetOrCreate(name, breaker.WithFailureRateThreshold(0))
	require.Error(t, err)
	_, err = bindLimiter(rt, "orders", "reserve")
	require.NoError(t, err)
	_, err = bindLimiter(rt, "billing", "reserve", limiter.WithBackend("redis"))
	require.NoError(t, err)

	require.Equal(t, []string{
		`circuitbreaker "counter.Counter.Count" ADDED`,
		`retry "counter.Counter.Count" ADDED`,
		`circuitbreaker "counter.Counter.Count" REPLACED`,
		`circuitbreaker "counter.Counter.Count" REMOVED`,
		`circuitbreaker "counter.Counter.Count" ADDED`,
		`ratelimiter "reserve" ADDED`,
		`ratelimiter "reserve" REPLACED`,
	}, all)
	require.Equal(t, []string{"ADDED true", "REPLACED true", "REMOVED false", "ADDED true"}, breakers,
		"when it is told it has happened")

	unsubscribe()
	unsubscribe()
	require.True(t, rt.Breakers().Remove(name))
	require.Len(t, all, 7)
	require.Len(t, breakers, 5, "the other one listens still")
	require.Panics(t, func() { rt.Breakers().Subscribe(nil) })
}

func TestListenerThatPanicsBreaksNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	rt := newRuntime(t, resil.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	heard := 0
	rt.Breakers().Subscribe(func(policy.Event) { panic("of a registry") })
	rt.Breakers().Subscribe(func(policy.Event) { heard++ })
	b, err := rt.Breakers().GetOrCreate("db")
	require.NoError(t, err)
	found, ok := rt.Breaker("db")
	require.True(t, ok)
	require.Same(t, b, found)
	require.Equal(t, 1, heard)
	require.Contains(t, log.String(), "of a registry")
}

func TestListenerMayChangeTheRegistry(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	var first, second []string
	rt.SubscribeEntries(func(e policy.Event) {
		first = append(first, e.String())
		if e.Type == resil.EntryAdded && e.Name == "db" {
			rt.Breakers().Remove("db")
			_, err := rt.Retries().GetOrCreate("db-retry")
			require.NoError(t, err)
		}
	})
	rt.SubscribeEntries(func(e policy.Event) { second = append(second, e.String()) })
	_, err := rt.Breakers().GetOrCreate("db")
	require.NoError(t, err)
	require.Equal(t, []string{
		`circuitbreaker "db" ADDED`, `circuitbreaker "db" REMOVED`, `retry "db-retry" ADDED`,
	}, first)
	require.Equal(t, first, second, "in the order in which things happened")
}

// TestEntryEventsKeepTheirOrder follows a registry in a map of its own, from several goroutines.
func TestEntryEventsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	there := map[string]bool{} // events come one after the other: it needs no lock
	rt.Breakers().Subscribe(func(e policy.Event) {
		if there[e.Name] == (e.Type == resil.EntryAdded) {
			t.Error("out of order: ", e)
		}
		there[e.Name] = e.Type == resil.EntryAdded
	})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if _, err := rt.Breakers().GetOrCreate("db"); err != nil {
					t.Error(err)
				}
				rt.Breakers().Remove("db")
			}
		})
	}
	wg.Wait()
	require.Equal(t, map[string]bool{"db": false}, there)
}
