package bulkhead

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// These tests are inside the package because they look at a moment that is a few nanoseconds long: a call has ended,
// and whoever waits does not have its slot yet.

func TestSlotThatHasJustBecomeFreeIsForTheQueue(t *testing.T) {
	t.Parallel()
	var s slots
	s.set(1)
	require.True(t, s.enter())
	s.flag(waiting | barred)
	require.True(t, s.leave(), "somebody waits")
	require.False(t, s.enter(), "a newcomer does not overtake")
	require.True(t, s.enterQueued())
	require.False(t, s.enterQueued())

	s.flag(waiting) // unfair
	require.True(t, s.leave())
	require.True(t, s.enter(), "a newcomer may")
	s.flag(0)
	require.False(t, s.leave())
}

func TestPartsOfTheWordDoNotTouchEachOther(t *testing.T) {
	t.Parallel()
	var s slots
	s.set(math.MaxInt32)
	s.flag(waiting | barred)
	require.True(t, s.enterQueued())
	word := s.word.Load()
	require.Equal(t, 1, underWay(word))
	require.Equal(t, math.MaxInt32, limitOf(word))
	s.set(1)
	word = s.word.Load()
	require.Equal(t, 1, limitOf(word))
	require.Equal(t, uint64(waiting|barred), word&(waiting|barred))
	s.flag(0)
	require.False(t, s.leave())
	require.Equal(t, uint64(1<<countBits), s.word.Load())
}
