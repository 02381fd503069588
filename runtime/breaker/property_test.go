package breaker_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
)

// A model is the plain reading of the rules: a list of all outcomes, and a comparison after each of them.
type model struct {
	config   breaker.Config
	created  time.Time
	outcomes []modelOutcome
}

type modelOutcome struct {
	second       int
	failed, slow bool
}

func (m *model) second() int { return int(time.Since(m.created) / time.Second) }

// window returns the total, failed, slow and slow failed outcomes in the window, and whether they open the breaker.
func (m *model) window() (counts [4]int, opens bool) {
	minimum, list := m.config.MinimumNumberOfCalls, m.outcomes
	if m.config.SlidingWindowType == breaker.CountBased {
		minimum = min(minimum, m.config.SlidingWindowSize)
		list = list[max(0, len(list)-m.config.SlidingWindowSize):]
	}
	for _, o := range list {
		if m.config.SlidingWindowType == breaker.TimeBased && o.second <= m.second()-m.config.SlidingWindowSize {
			continue
		}
		counts[0]++
		counts[1] += number(o.failed)
		counts[2] += number(o.slow)
		counts[3] += number(o.failed && o.slow)
	}
	total := float64(counts[0])
	return counts, counts[0] >= minimum && (float64(counts[1])*100 >= m.config.FailureRateThreshold*total ||
		float64(counts[2])*100 >= m.config.SlowCallRateThreshold*total)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestRandomSequencesTripOnTheSameCallAsThePlainModel runs breakers of all kinds beside the model until they open.
func TestRandomSequencesTripOnTheSameCallAsThePlainModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tripped := 0
		for seed := range uint64(600) {
			if sequence(t, seed) {
				tripped++
			}
		}
		require.Greater(t, tripped, 200, "most sequences have to mean something")
	})
}

func sequence(t *testing.T, seed uint64) (tripped bool) {
	random := rand.New(rand.NewPCG(seed, 1))
	c := breaker.DefaultConfig()
	c.SlidingWindowType = breaker.SlidingWindowType(seed % 2)
	c.SlidingWindowSize = 1 + random.IntN([]int{130, 12}[seed%2])
	c.MinimumNumberOfCalls = 1 + random.IntN(150)
	c.FailureRateThreshold = float64(1 + random.IntN(100))
	c.SlowCallRateThreshold = float64(1 + random.IntN(100))
	c.SlowCallDurationThreshold = time.Millisecond
	b := newBreaker(t, func(config *breaker.Config) { *config = c })
	m := &model{config: c, created: time.Now()}
	failing, slow, pause := random.Float64(), random.Float64()/2, random.IntN(3)
	for n := range 400 {
		o := modelOutcome{failed: random.Float64() < failing, slow: random.Float64() < slow}
		if n%50 == 49 {
			failing = random.Float64()
		}
		if random.IntN(20) == 0 {
			time.Sleep(time.Duration(random.IntN(1+1500*pause)) * time.Millisecond)
		}
		var err error
		if o.failed {
			err = errFailed
		}
		call(t, b, time.Millisecond+time.Duration(number(o.slow)), err)
		o.second = m.second()
		m.outcomes = append(m.outcomes, o)
		counts, opens := m.window()
		got := b.Metrics()
		require.Equal(t, counts, [4]int{got.Buffered, got.Failed, got.Slow, got.SlowFailed}, "seed %d, call %d", seed, n)
		require.Equal(t, opens, b.State() == breaker.Open, "seed %d, call %d", seed, n)
		if opens {
			return true
		}
	}
	return false
}
