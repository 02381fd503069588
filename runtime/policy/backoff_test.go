package policy_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/resilgen/resilgen/runtime/policy"
)

const ms = time.Millisecond

func waits(b policy.Backoff, attempts int) []time.Duration {
	var all []time.Duration
	for attempt := 1; attempt <= attempts; attempt++ {
		all = append(all, b.Wait(attempt))
	}
	return all
}

func TestBackoffMultipliesExactly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		backoff policy.Backoff
		want    []time.Duration
	}{
		{
			name:    "a fixed wait does not grow",
			backoff: policy.Backoff{Initial: 500 * ms},
			want:    []time.Duration{500 * ms, 500 * ms, 500 * ms},
		},
		{
			// Resilience4j rounds every step down to whole milliseconds and has 500, 750, 1125, 1687, 2530, 3795.
			name:    "500 ms by 1.5",
			backoff: policy.Backoff{Initial: 500 * ms, Exponential: true, Multiplier: 1.5},
			want:    []time.Duration{500 * ms, 750 * ms, 1125 * ms, 1687500 * time.Microsecond, 2531250 * time.Microsecond, 3796875 * time.Microsecond},
		},
		{
			name:    "500 ms by 2, at most 3 s",
			backoff: policy.Backoff{Initial: 500 * ms, Exponential: true, Multiplier: 2, Max: 3 * time.Second},
			want:    []time.Duration{500 * ms, 1000 * ms, 2000 * ms, 3000 * ms, 3000 * ms},
		},
		{
			name:    "100 ms by 2, at most 222 ms",
			backoff: policy.Backoff{Initial: 100 * ms, Exponential: true, Multiplier: 2, Max: 222 * ms},
			want:    []time.Duration{100 * ms, 200 * ms, 222 * ms},
		},
		{
			name:    "the longest wait holds for the first one too",
			backoff: policy.Backoff{Initial: 100 * ms, Exponential: true, Multiplier: 1, Max: 99 * ms},
			want:    []time.Duration{99 * ms, 99 * ms},
		},
		{
			name:    "randomised by nothing is exact",
			backoff: policy.Backoff{Initial: 100 * ms, Randomized: true},
			want:    []time.Duration{100 * ms, 100 * ms},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.NoError(t, test.backoff.Validate())
			require.Equal(t, test.want, waits(test.backoff, len(test.want)))
		})
	}
}

func TestBackoffGrowsStrictlyUntilItsLongestWait(t *testing.T) {
	t.Parallel()
	all := waits(policy.Backoff{Initial: 100 * ms, Exponential: true, Multiplier: 1.5}, 49)
	for i := 1; i < len(all); i++ {
		require.Greater(t, all[i], all[i-1], "attempt %d", i+1)
	}
	capped := policy.Backoff{Initial: 100 * ms, Exponential: true, Multiplier: 2, Max: 100 * time.Second}
	require.Equal(t, 51200*ms, capped.Wait(10))
	require.Equal(t, 100*time.Second, capped.Wait(12))
	require.Equal(t, 100*time.Second, capped.Wait(13))
}

func TestRandomisedBackoffStaysInItsNeighbourhoodAndVaries(t *testing.T) {
	t.Parallel()
	b := policy.Backoff{Initial: 100 * ms, Randomized: true, Factor: 0.5}
	seen := map[time.Duration]bool{}
	for range 50 {
		wait := b.Wait(1)
		require.GreaterOrEqual(t, wait, 50*ms)
		require.LessOrEqual(t, wait, 150*ms)
		seen[wait] = true
	}
	require.Greater(t, len(seen), 10)
}

func TestRandomisedWaitMayBeNothing(t *testing.T) {
	t.Parallel()
	b := policy.Backoff{Initial: 1, Randomized: true, Factor: 1}
	for range 100 { // each of them is 0 with even odds
		if b.Wait(1) == 0 {
			return
		}
	}
	t.Fatal("a wait of 0 was never drawn")
}

func TestAttemptBelowTheFirstCountsAsTheFirst(t *testing.T) {
	t.Parallel()
	b := policy.Backoff{Initial: 100 * ms, Exponential: true, Multiplier: 2}
	require.Equal(t, 100*ms, b.Wait(0))
	require.Equal(t, 100*ms, b.Wait(-7))
}

func TestTheLongestWaitIsAppliedAfterRandomising(t *testing.T) {
	t.Parallel()
	b := policy.Backoff{Initial: 100 * ms, Exponential: true, Multiplier: 2, Randomized: true, Factor: 0.5, Max: 120 * ms}
	for range 50 {
		require.LessOrEqual(t, b.Wait(1), 120*ms)
		require.GreaterOrEqual(t, b.Wait(2), 100*ms)
	}
}

func TestBackoffThatCannotBeToldIsTheLongest(t *testing.T) {
	t.Parallel()
	b := policy.Backoff{Initial: time.Second, Exponential: true, Multiplier: 10}
	require.Equal(t, time.Duration(math.MaxInt64), b.Wait(100))
	require.Equal(t, time.Duration(math.MaxInt64), b.Wait(math.MaxInt))
	b.Randomized, b.Factor = true, 1
	require.Positive(t, b.Wait(math.MaxInt))
	b.Max = time.Minute
	require.Equal(t, time.Minute, b.Wait(math.MaxInt))
}

func TestNoWaitStaysNoWaitHoweverManyAttempts(t *testing.T) {
	t.Parallel()
	b := policy.Backoff{Exponential: true, Multiplier: 2, Randomized: true, Factor: 1}
	require.Zero(t, b.Wait(1))
	require.Zero(t, b.Wait(5000)) // 0 times infinity
}

func TestFixedBackoffIsExactBeyondThePrecisionOfAFloat(t *testing.T) {
	t.Parallel()
	const odd = 1<<60 + 1
	require.Equal(t, time.Duration(odd), policy.Backoff{Initial: odd}.Wait(7))
	require.Equal(t, time.Duration(odd), policy.Backoff{Initial: odd, Exponential: true, Multiplier: 1}.Wait(7))
}

func TestBackoffHoldsItsBoundsForEveryValidSetting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := policy.Backoff{
			Initial:     time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "initial")),
			Exponential: rapid.Bool().Draw(t, "exponential"),
			Multiplier:  rapid.Float64Range(1, math.MaxFloat64).Draw(t, "multiplier"),
			Max:         time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "max")),
			Randomized:  rapid.Bool().Draw(t, "randomized"),
			Factor:      rapid.Float64Range(0, 1).Draw(t, "factor"),
		}
		if err := b.Validate(); err != nil {
			t.Fatalf("a valid setting was refused: %v", err)
		}
		attempt := rapid.IntRange(math.MinInt, math.MaxInt).Draw(t, "attempt")
		wait := b.Wait(attempt)
		if wait < 0 {
			t.Fatalf("wait is %d", wait)
		}
		if b.Max > 0 && wait > b.Max {
			t.Fatalf("wait %d is longer than %d", wait, b.Max)
		}
		if !b.Randomized && attempt > math.MinInt && b.Wait(attempt-1) > wait {
			t.Fatalf("wait after attempt %d is shorter than the one before", attempt)
		}
		if !b.Randomized && (b.Max == 0 || b.Max >= b.Initial) && wait < b.Initial {
			t.Fatalf("wait %d is shorter than the first one", wait)
		}
	})
}

func TestBackoffNamesTheFieldThatIsOutOfRange(t *testing.T) {
	t.Parallel()
	tests := map[string]policy.Backoff{
		"wait is -1ns; it must not be negative":                       {Initial: -1},
		"longest wait is -1ns; it must not be negative":               {Max: -1},
		"exponentialBackoffMultiplier is 0.5; it must be at least 1":  {Exponential: true, Multiplier: 0.5},
		"exponentialBackoffMultiplier is NaN; it must be at least 1":  {Exponential: true, Multiplier: math.NaN()},
		"exponentialBackoffMultiplier is +Inf; it must be at least 1": {Exponential: true, Multiplier: math.Inf(1)},
		"randomizedWaitFactor is -0.0001; it must be from 0 to 1":     {Randomized: true, Factor: -0.0001},
		"randomizedWaitFactor is 1.0001; it must be from 0 to 1":      {Randomized: true, Factor: 1.0001},
		"randomizedWaitFactor is NaN; it must be from 0 to 1":         {Randomized: true, Factor: math.NaN()},
	}
	for want, backoff := range tests {
		require.EqualError(t, backoff.Validate(), want)
	}
	require.NoError(t, policy.Backoff{Randomized: true, Factor: 1}.Validate())
	require.NoError(t, policy.Backoff{Multiplier: -1, Factor: 7}.Validate(), "what is switched off is not read")
}
