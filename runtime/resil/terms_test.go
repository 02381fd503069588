package resil_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/resil"
)

// TestManyBreakersOfOneConfigurationAreSmall holds what an instance takes, its entry in the registry included, but not
// its name.
func TestManyBreakersOfOneConfigurationAreSmall(t *testing.T) {
	const n = 10_000
	names := make([]string, n)
	for i := range names {
		names[i] = "tenant-" + strconv.Itoa(i)
	}
	seconds := []breaker.Option{breaker.WithSlidingWindowType(breaker.TimeBased), breaker.WithSlidingWindowSize(60)}
	for _, c := range []struct {
		name       string
		configured []breaker.Option
		options    []breaker.Option
		most       uint64
	}{
		{"100 calls", nil, nil, 512},
		{"10,000 calls", []breaker.Option{breaker.WithSlidingWindowSize(10_000)}, nil, 3200},
		{"60 s", seconds, nil, 1800},
		{"60 s, said by each call", nil, seconds, 1800},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt, err := resil.New(resil.WithBreakerConfig("default", c.configured...))
			require.NoError(t, err)
			before, goroutines := live(), runtime.NumGoroutine()
			for _, name := range names {
				_, err := rt.Breakers().GetOrCreate(name, c.options...)
				require.NoError(t, err)
			}
			after := live()
			require.Equal(t, goroutines, runtime.NumGoroutine())
			runtime.KeepAlive(rt)
			runtime.KeepAlive(names)
			require.LessOrEqual(t, (after-before)/n, c.most)
		})
	}
}

func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestOfTwoFunctionsWithOneCodeEachInstanceHasItsOwn(t *testing.T) {
	t.Parallel()
	rt, err := resil.New()
	require.NoError(t, err)
	recording := func(records bool) breaker.Option {
		return breaker.WithRecordErrors(func(error) bool { return records })
	}
	for name, records := range map[string]bool{"yes": true, "no": false, "yes again": true} {
		b, err := rt.Breakers().GetOrCreate(name, recording(records))
		require.NoError(t, err)
		require.Error(t, breaker.Run(context.Background(), b, func(context.Context) error { return errors.New("ill") }))
		failed := 0
		if records {
			failed = 1
		}
		require.Equal(t, failed, b.Metrics().Failed, name)
	}
}

func TestWhatIsSaidOfOneOfManyLikeInstancesConcernsNoOther(t *testing.T) {
	t.Parallel()
	rt, err := resil.New(resil.WithBreaker("coded", breaker.WithSlidingWindowSize(9)))
	require.NoError(t, err)
	make := func(name string, options ...breaker.Option) int {
		b, err := rt.Breakers().GetOrCreate(name, options...)
		require.NoError(t, err)
		return b.Config().SlidingWindowSize
	}
	for i := range 30 { // more than a store remembers
		require.Equal(t, 100, make("plain-"+strconv.Itoa(i)))
		require.Equal(t, i+1, make("sized-"+strconv.Itoa(i), breaker.WithSlidingWindowSize(i+1)))
		require.Equal(t, 5, make("five-"+strconv.Itoa(i), breaker.WithSlidingWindowSize(5)))
	}
	require.Equal(t, 9, make("coded"))
	require.Equal(t, 7, make("plain-3", breaker.WithSlidingWindowSize(7)), "it is changed, for nobody had said this")
	require.Equal(t, 7, make("plain-3"))
	require.Equal(t, 100, make("plain-4"))
	require.Equal(t, 100, make("another"))

	require.True(t, rt.Breakers().Remove("five-1"))
	require.Equal(t, 100, make("five-1"), "what was said is forgotten")
	require.Equal(t, 5, make("five-2"))
	tagged, err := rt.Breakers().Tagged(map[string]string{"team": "red"}).GetOrCreate("five-2")
	require.NoError(t, err)
	require.Equal(t, 5, tagged.Config().SlidingWindowSize)
	require.Equal(t, map[string]string{"team": "red"}, rt.Breakers().Tags("five-2"))
	require.Empty(t, rt.Breakers().Tags("five-3"))
}
