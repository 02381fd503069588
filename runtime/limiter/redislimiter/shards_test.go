package redislimiter_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

func TestShardsTogetherNeverExceedTheLimit(t *testing.T) {
	t.Parallel()
	d, random := dialled(), rand.New(rand.NewPCG(5, 5))
	options := rate(10, time.Second, redislimiter.WithShards(4), d.option())
	both := []*redislimiter.RateLimiter{
		made(t, client(t), named(t), options...), made(t, client(t), named(t), options...),
	}
	m := &model{rate: 10, interval: time.Second, grain: time.Millisecond}
	granted := int64(0)
	for step := range 800 {
		d.add(time.Duration(random.IntN(60)) * time.Millisecond)
		n := 1 + random.Int64N(4)
		if ok, _, err := redislimiter.Ask(t.Context(), both[random.IntN(2)], n); err != nil {
			t.Fatal(err)
		} else if !ok {
			continue
		}
		require.Zero(t, m.wait(d.read(), n), "step %d", step)
		m.take(d.read(), n)
		granted += n
	}
	require.Greater(t, granted, int64(100))
}

func TestLargeRequestsAreGatheredFromSeveralShards(t *testing.T) {
	t.Parallel()
	d := dialled()
	l := made(t, client(t), named(t), rate(11, time.Second, redislimiter.WithShards(4), d.option())...)
	require.True(t, try(t, l, 11))
	require.Zero(t, left(t, l))
	d.to(1000)
	require.True(t, try(t, l, 5))
	require.False(t, try(t, l, 7))
	require.Equal(t, 6, left(t, l), "what was gathered in vain is given back")
	_, err := l.TryAcquire(t.Context(), 12)
	require.ErrorIs(t, err, redislimiter.ErrExceedsRate)
	require.NoError(t, l.Release(t.Context(), 5))
	require.Equal(t, 11, left(t, l))
	config, err := l.Config(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 11, config.Rate)
	config.Rate = 22
	ok, err := l.UpdateRate(t.Context(), config, redislimiter.KeepState)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, 22, left(t, l))
	n, err := l.AcquireAtMost(t.Context(), 100)
	require.NoError(t, err)
	require.EqualValues(t, 22, n)
	ok, err = l.Delete(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = l.Exists(t.Context())
	require.NoError(t, err)
	require.False(t, ok)
	config.Rate = 3
	require.ErrorContains(t, l.SetRate(t.Context(), config), "must not be below the number of shards")
}

func TestShardsStandInSlotsOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range 8 {
		key := redislimiter.ShardKeys("resil:", "name", "", 1, i)[0]
		require.False(t, seen[key])
		seen[key] = true
	}
	require.True(t, seen["resil:{name}"], "the first is that of a limiter without shards")
}

func TestThoseWhoWaitForShardsAreServed(t *testing.T) {
	t.Parallel()
	l := made(t, client(t), named(t), rate(8, 50*time.Millisecond, redislimiter.WithShards(3))...)
	for range 40 {
		require.NoError(t, l.Acquire(t.Context(), 2))
	}
	require.NoError(t, l.Acquire(t.Context(), 8))
}
