package redislimiter_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

func TestSeveralLimitsAreTakenFromTogether(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), d.option(), redislimiter.WithLimits(
		redislimiter.Limit{Rate: 5, Interval: time.Minute}, redislimiter.Limit{Rate: 12, Interval: time.Hour}))
	require.True(t, try(t, l, 5))
	granted, wait, err := redislimiter.Ask(t.Context(), l, 1)
	require.NoError(t, err)
	require.False(t, granted)
	require.Equal(t, time.Minute, wait)
	d.to(60_000)
	require.True(t, try(t, l, 5))
	d.to(120_000)
	require.Equal(t, 2, left(t, l))
	_, wait, err = redislimiter.Ask(t.Context(), l, 3)
	require.NoError(t, err)
	require.Equal(t, 58*time.Minute, wait, "the hour is what it has to wait for")
	require.Equal(t, 2, left(t, l), "nothing was taken of the minute either")
	n, err := l.AcquireAtMost(t.Context(), 5)
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	require.NoError(t, l.Release(t.Context(), 2))
	require.Equal(t, 2, left(t, l))
	_, err = l.TryAcquire(t.Context(), 6)
	require.ErrorIs(t, err, redislimiter.ErrExceedsRate)
	c, err := l.Config(t.Context())
	require.NoError(t, err)
	require.Equal(t, redislimiter.Config{RateType: redislimiter.Overall, Rate: 5, Interval: time.Minute,
		And: []redislimiter.Limit{{Rate: 12, Interval: time.Hour}}}, c)
	existed, err := l.Delete(t.Context())
	require.NoError(t, err)
	require.True(t, existed)
	require.Equal(t, 5, left(t, l))
}

func TestSeveralLimitsAgreeWithPlainModels(t *testing.T) {
	t.Parallel()
	d, random := dialled(), rand.New(rand.NewPCG(4, 4))
	limits := []redislimiter.Limit{{Rate: 5, Interval: time.Second}, {Rate: 20, Interval: 10 * time.Second},
		{Rate: 60, Interval: time.Minute}}
	l := made(t, client(t), named(t), d.option(), redislimiter.WithLimits(limits...))
	var models []*model
	for _, limit := range limits {
		models = append(models, &model{rate: limit.Rate, interval: limit.Interval, grain: time.Millisecond})
	}
	for step := range 1000 {
		d.add(time.Duration(random.IntN(700)) * time.Millisecond)
		n := 1 + random.Int64N(3)
		var expected time.Duration
		for _, m := range models {
			expected = max(expected, m.wait(d.read(), n))
		}
		granted, wait, err := redislimiter.Ask(t.Context(), l, n)
		require.NoError(t, err)
		require.Equal(t, expected == 0, granted, step)
		require.Equal(t, expected, wait, step)
		if granted {
			for _, m := range models {
				m.take(d.read(), n)
			}
		}
	}
}

func TestNumberOfLimitsIsLearntFromTheServer(t *testing.T) {
	t.Parallel()
	c := client(t)
	one := made(t, c, named(t))
	require.NoError(t, one.SetRate(t.Context(), redislimiter.Config{Rate: 5, Interval: time.Minute}))
	other := made(t, c, named(t))
	require.True(t, try(t, other, 1))
	require.NoError(t, one.SetRate(t.Context(), redislimiter.Config{Rate: 5, Interval: time.Minute,
		And: []redislimiter.Limit{{Rate: 3, Interval: time.Hour}}}, redislimiter.KeepState))
	require.Equal(t, 3, left(t, other))
	require.True(t, try(t, other, 3))
	require.False(t, try(t, one, 1))
	require.NoError(t, one.SetRate(t.Context(), redislimiter.Config{Rate: 5, Interval: time.Minute}, redislimiter.KeepState))
	require.True(t, try(t, other, 1))
}

func TestEachClientHasItsOwnLimit(t *testing.T) {
	t.Parallel()
	c, d := client(t), dialled()
	of := func(id string) *redislimiter.RateLimiter {
		return made(t, c, named(t), redislimiter.WithClientID(id), d.option())
	}
	one, two := of("one"), of("two")
	config := redislimiter.Config{RateType: redislimiter.PerClient, Rate: 10, Interval: time.Minute}
	require.NoError(t, one.SetRate(t.Context(), config))
	require.True(t, try(t, one, 10))
	require.True(t, try(t, two, 4))
	require.Zero(t, left(t, of("one")), "the same id again is the same client")
	require.Equal(t, 6, left(t, two))

	config.Rate = 20
	require.NoError(t, one.SetRate(t.Context(), config, redislimiter.KeepState))
	require.Equal(t, 10, left(t, one))
	require.Equal(t, 16, left(t, two), "a new rate holds for all clients at once")
	require.True(t, try(t, two, 16))
	require.NoError(t, one.SetRate(t.Context(), config))
	require.Equal(t, 20, left(t, one))
	require.Equal(t, 20, left(t, two), "what is dropped is dropped for all")

	_, err := made(t, c, named(t)).TryAcquire(t.Context(), 1)
	require.ErrorIs(t, err, redislimiter.ErrNoClientID)
	require.True(t, try(t, one, 3))
	config.RateType = redislimiter.Overall
	ok, err := one.UpdateRate(t.Context(), config, redislimiter.KeepState)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, 20, left(t, one), "another type begins anew")
	require.True(t, try(t, one, 15))
	require.Equal(t, 5, left(t, two))
	for _, k := range redislimiter.Keys("resil:", named(t), "one", 1) {
		ttl, err := c.PTTL(t.Context(), k).Result()
		require.NoError(t, err)
		require.Positive(t, ttl, k)
	}
}

func TestRatesAreSetTriedAndUpdated(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), d.option())
	ctx := t.Context()
	config := redislimiter.Config{Rate: 10, Interval: 5 * time.Second}
	ok, err := l.UpdateRate(ctx, config)
	require.NoError(t, err)
	require.False(t, ok, "there is none")
	ok, err = l.TrySetRate(ctx, config)
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, try(t, l, 8))
	config.Rate = 5
	ok, err = l.TrySetRate(ctx, config)
	require.NoError(t, err)
	require.False(t, ok, "there is one")
	require.Equal(t, 2, left(t, l))
	ok, err = l.UpdateRate(ctx, config, redislimiter.KeepState)
	require.NoError(t, err)
	require.True(t, ok)
	require.Zero(t, left(t, l))
	config.Rate = 20
	require.NoError(t, l.SetRate(ctx, config, redislimiter.KeepState))
	require.Equal(t, 12, left(t, l))
	config.Interval = time.Second
	d.to(1100)
	require.NoError(t, l.SetRate(ctx, config, redislimiter.KeepState))
	require.Equal(t, 20, left(t, l), "what is older than the new interval is back")
	require.True(t, try(t, l, 20))
	require.NoError(t, l.SetRate(ctx, config))
	require.Equal(t, 20, left(t, l))
	for _, wrong := range []redislimiter.Config{
		{Rate: 0, Interval: time.Second}, {Rate: 1, Interval: 1500 * time.Microsecond},
		{Rate: 1, Interval: 5 * time.Second, KeepAliveTime: time.Second}, {RateType: 7, Rate: 1, Interval: time.Second},
	} {
		_, err := l.UpdateRate(ctx, wrong)
		require.Error(t, err)
	}
	_, err = l.TrySetRate(ctx, redislimiter.Config{RateType: redislimiter.PerClient, Rate: 1, Interval: time.Second})
	require.ErrorIs(t, err, redislimiter.ErrNoClientID)
}

func TestReservedPermitsComeInTurn(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), rate(10, 10*time.Second, d.option())...)
	reserve := func(n int) *redislimiter.Reservation {
		r, err := l.Reserve(t.Context(), n)
		require.NoError(t, err)
		return r
	}
	require.Zero(t, reserve(6).Delay())
	d.to(4000)
	require.Zero(t, reserve(4).Delay())
	first, second, third := reserve(6), reserve(3), reserve(7)
	within := func(r *redislimiter.Reservation, expected time.Duration) {
		require.InDelta(t, expected, r.Delay(), float64(5*time.Second))
		require.LessOrEqual(t, r.Delay(), expected)
	}
	within(first, 6*time.Second)
	within(second, 10*time.Second)
	within(third, 16*time.Second)
	require.False(t, try(t, l, 1))
	d.to(10_000)
	require.False(t, try(t, l, 1), "it is the first reservation's")
	ok, err := third.Cancel(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = third.Cancel(t.Context())
	require.NoError(t, err)
	require.False(t, ok)
	d.to(14_000)
	require.Equal(t, 1, left(t, l))
	ok, err = first.Cancel(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, 7, left(t, l))
	ctx, cancel := contextFor(t, 2*time.Second)
	defer cancel()
	_, err = l.Reserve(ctx, 10)
	require.ErrorIs(t, err, ctxDeadline)
	require.Equal(t, 7, left(t, l))
}
