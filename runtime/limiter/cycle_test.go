package limiter

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
)

// These tests are inside the package because they put an admission between two steps that are a few nanoseconds
// apart.

func TestStepsUnderTheMutexFailIfACallWasAdmittedSinceRead(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]func(*cycle, policy.Instant) bool{
		"push":  func(c *cycle, _ policy.Instant) bool { return c.push(0, 2) },
		"drop":  func(c *cycle, now policy.Instant) bool { return c.drop(now, 2, true) },
		"drain": func(c *cycle, now policy.Instant) bool { _, ok := c.drain(now); return ok },
	} {
		c := newCycle(policy.Now(), 10, time.Hour, 4, new(atomic.Int64))
		now := c.read()
		c.settle(now, true)
		require.True(t, c.take(policy.Now(), 1))
		require.False(t, step(c, now), name)
		require.EqualValues(t, 5, c.pos.Load(), name)
		now = c.read()
		c.settle(now, true)
		require.True(t, step(c, now), "%s, tried again", name)
	}
}

func TestSealedLedgerAdmitsNobodyAndItsNumberIsFinal(t *testing.T) {
	t.Parallel()
	c := newCycle(policy.Now(), 10, time.Hour, 0, new(atomic.Int64))
	c.read()
	require.True(t, c.take(policy.Now(), 3))
	now := c.seal()
	require.False(t, c.take(policy.Now(), 1))
	_, _, known := c.judge(1)
	require.False(t, known, "who is late asks again, under the mutex")
	require.EqualValues(t, 3, c.used(now, 0))
}

func TestInstantFromBeforeTheCycleTellsNothing(t *testing.T) {
	t.Parallel()
	now := policy.Now()
	c := newCycle(now, 10, time.Hour, 0, new(atomic.Int64))
	require.False(t, c.take(now-1, 1), "it may be from before a change of settings")
	require.True(t, c.take(now, 1))
}

func TestNumbersAreStartedAnewBeforeTheyOverflow(t *testing.T) {
	t.Parallel()
	const limit = math.MaxInt32
	start := policy.Now()
	c := newCycle(start, limit, 1, 0, new(atomic.Int64))
	last := start + policy.Instant(c.horizon) - 1
	require.False(t, c.worn(last))
	require.True(t, c.take(last, limit))
	require.False(t, c.take(last, 1))
	require.True(t, c.worn(last+1))
	require.False(t, c.take(last+1, 1))
	for _, n := range []int64{1, limit, math.MaxInt64} {
		_, possible := c.due(math.MaxInt64-1, n)
		require.False(t, possible)
		_, possible = newCycle(start, 1, math.MaxInt64, 0, new(atomic.Int64)).due(2, n)
		require.False(t, possible)
	}
}

func TestCallWithFreePermitsNeedsNoMutexAlsoAfterAChange(t *testing.T) {
	t.Parallel()
	l, err := New("x", WithLimitRefreshPeriod(time.Hour))
	require.NoError(t, err)
	for range 2 {
		config := l.Config()
		config.LimitForPeriod *= 2
		require.NoError(t, l.Reconfigure(config))
		l.mu.Lock()
		require.NoError(t, l.Acquire(t.Context(), 1))
		require.True(t, l.TryAcquire(1))
		require.ErrorIs(t, l.Acquire(t.Context(), 1000), ErrExceeded, "nor does a refusal")
		l.mu.Unlock()
	}
}
