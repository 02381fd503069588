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
	require.Equal(t, 1, s.underWay())
	require.Equal(t, math.MaxInt32, s.limit)
	s.set(1)
	require.Equal(t, 1, s.limit)
	require.Equal(t, 1, s.underWay())
	require.Equal(t, uint64(waiting|barred), s.word.Load()&(waiting|barred))
	s.flag(0)
	require.False(t, s.leave())
	require.Equal(t, uint64(oneAdmitted+bias+1), s.word.Load())
	require.Equal(t, 0, s.underWay())
	require.Equal(t, uint64(1), s.admitted())
}

func TestNumberOfAdmittedCallsDoesNotOverflow(t *testing.T) {
	t.Parallel()
	var s slots
	s.set(10)
	s.word.Add(brim - 2*oneAdmitted)
	for range 3 {
		require.True(t, s.enter())
	}
	require.True(t, s.leave(), "the number is to be made smaller")
	s.flag(waiting)
	require.Equal(t, uint64(brim/oneAdmitted+1), s.admitted())
	require.Equal(t, 2, s.underWay())
	s.flag(0)
	require.False(t, s.leave())
	require.Equal(t, uint64(brim/oneAdmitted+1), s.admitted())
}
