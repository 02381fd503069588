package measure_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/bench/measure"
)

var missing = math.NaN()

func TestMedianIsTheMiddleOfWhatWasMeasured(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{missing, 5, missing, 1, 2}, 2},
	} {
		require.Equal(t, test.want, measure.Median(test.values), "%v", test.values)
	}
	require.True(t, math.IsNaN(measure.Median(nil)))
	require.True(t, math.IsNaN(measure.Median([]float64{missing, missing})))
}

func TestQuartilesEncloseTheMiddleHalf(t *testing.T) {
	low, high := measure.Quartiles([]float64{5, missing, 1, 3, 2, 4})
	require.Equal(t, []float64{2, 4}, []float64{low, high})
	low, high = measure.Quartiles([]float64{7})
	require.Equal(t, []float64{7, 7}, []float64{low, high})
	low, _ = measure.Quartiles([]float64{missing})
	require.True(t, math.IsNaN(low))
}

func TestMedianLeavesItsArgumentAsItIs(t *testing.T) {
	values := []float64{3, 1, 2}
	measure.Median(values)
	require.Equal(t, []float64{3, 1, 2}, values)
}

// In the second round the machine was half as fast, and in the third the base was not measured: the ratio of what was
// measured together is 2 all along, where that of the medians would be 3.
func TestRatioComparesWhatWasMeasuredInTheSameRound(t *testing.T) {
	base, other := new(measure.Result), new(measure.Result)
	base.PerCall[0] = []float64{10, 20, missing}
	other.PerCall[0] = []float64{20, 40, 90}
	require.Equal(t, 2.0, other.Ratio(1, base, 1))
	require.Equal(t, 40.0, other.Nanoseconds(1))

	other.PerCall[1] = []float64{5, 10, 20}
	require.Equal(t, 0.25, other.Ratio(2, other, 1))
	require.True(t, math.IsNaN(other.Ratio(1, &measure.Result{}, 1)))
}

// How long a call takes is not for a test to say, but an idle loop is never as busy as a window must be.
func TestAWindowWithoutWorkIsRejected(t *testing.T) {
	idle := measure.Case{Loop: func(int) { time.Sleep(5 * time.Millisecond) }}
	plan := measure.Plan{Rounds: 1, Window: 10 * time.Millisecond, Goroutines: 1}
	results, counts := measure.Run([]measure.Case{idle}, plan)
	require.Zero(t, counts.Accepted)
	require.NotZero(t, counts.Rejected)
	require.Equal(t, 1, counts.Missing)
	require.True(t, math.IsNaN(results[0].Nanoseconds(1)))
}

func TestEveryRoundHasAValueForEachCaseAndNumberOfGoroutines(t *testing.T) {
	cases := []measure.Case{{Loop: spin, Windows: 2}, {Loop: spin}}
	rounds := 0
	results, counts := measure.Run(cases, measure.Plan{
		Rounds: 2, Window: 2 * time.Millisecond, Goroutines: 2,
		Progress: func(round int, _ measure.Counts) { rounds = round },
	})
	require.Equal(t, 2, rounds)
	require.Equal(t, 2*3*2, counts.Accepted+counts.Missing)
	for _, r := range results {
		require.Len(t, r.PerCall[0], 2)
		require.Len(t, r.PerCall[1], 2)
	}
}

//go:noinline
func spin(n int) {
	for range n {
	}
}

var kept [][]byte

func TestAllocationsAreThoseOfOneCall(t *testing.T) {
	allocate := func(n int) {
		for range n {
			kept = append(kept[:0], make([]byte, 64), make([]byte, 64))
		}
	}
	found := measure.Allocations(allocate, 1000)
	require.InDelta(t, 2, found.Objects, 0.1)
	require.InDelta(t, 128, found.Bytes, 16)
	require.Zero(t, measure.Allocations(spin, 1000))
}

func TestFootprintsAreThoseOfOneInstance(t *testing.T) {
	const n = 1000
	stop := make(chan struct{})
	defer close(stop)
	found := measure.Footprints(n, func() any {
		all := make([]*[1024]byte, n)
		for i := range all {
			all[i] = new([1024]byte)
			if i%2 == 0 {
				go func() { <-stop }()
			}
		}
		return all
	})
	require.InDelta(t, 1024+8, found.Heap, 500) // a goroutine takes some, too
	require.InDelta(t, 0.5, found.Goroutines, 0.01)
}

func TestSitesNameTheFunctionThatAllocates(t *testing.T) {
	const n = 1000
	found := measure.Sites(n, func() any {
		all := make([]*[1024]byte, n)
		for i := range all {
			all[i] = kilobyte()
		}
		return all
	})
	require.Equal(t, "github.com/resilgen/resilgen/bench/measure_test.kilobyte", found[0].Function)
	require.InDelta(t, 1024, found[0].Bytes, 1)
}

//go:noinline
func kilobyte() *[1024]byte { return new([1024]byte) }

func TestProfileNamesTheFunctionThatTakesTheTime(t *testing.T) {
	// A machine that is busy with something else may leave a profile without a sample of ours.
	for range 20 {
		shares, err := measure.Profile(spin, 100*time.Millisecond)
		require.NoError(t, err)
		for _, share := range shares {
			if share.Function == "github.com/resilgen/resilgen/bench/measure_test.spin" {
				require.Positive(t, share.Sum)
				require.GreaterOrEqual(t, share.Sum, share.Self)
				return
			}
		}
	}
	t.Fatal("spin is in none of 20 profiles")
}
