package measure

import (
	"math/rand/v2"
	"slices"
	"time"
)

// A Case is a function to measure.
type Case struct {
	// Loop makes n calls. Several goroutines run it at once.
	Loop func(n int)
	// WaitsFrom is the number of goroutines from which calls wait for another goroutine, as at a mutex that they
	// share (2) or for the goroutine that does their work (1); 0 means never. What waits leaves cores idle by itself,
	// so that it says nothing how busy they were: its window counts if short windows of plain work right before and
	// right after it were undisturbed.
	WaitsFrom int
	// Windows is how many windows a round has; 0 means 1. Their median is the round's value.
	Windows int
}

// A Result is what was found for one Case. PerCall[g-1] has a value for each round with g goroutines, in nanoseconds,
// or NaN where no window of that round counted. It is wall time by the calls of all goroutines: where they do not
// hinder each other, two of them on two cores halve it.
type Result struct {
	PerCall [Goroutines][]float64
}

// Goroutines is the largest number of goroutines that are measured.
const Goroutines = 2

// Nanoseconds returns the time of a call with g goroutines: the median of the rounds, or NaN.
func (r *Result) Nanoseconds(g int) float64 { return Median(r.PerCall[g-1]) }

// Ratio returns how many times as long as a call of base, with baseGoroutines, one of r takes with g. It is the
// median of the ratios of each round, or NaN if there is no round with both.
func (r *Result) Ratio(g int, base *Result, baseGoroutines int) float64 {
	return Median(r.Ratios(g, base, baseGoroutines))
}

// Ratios returns the ratios of each round.
func (r *Result) Ratios(g int, base *Result, baseGoroutines int) []float64 {
	return Paired(r.PerCall[g-1], base.PerCall[baseGoroutines-1])
}

// A Plan says how to measure.
type Plan struct {
	Rounds     int
	Window     time.Duration
	Goroutines int // from 1 to Goroutines; not more than there are cores
	// Progress, if set, is called after each round.
	Progress func(round int, counted Counts)
}

// Counts are how many windows were taken, of all rounds so far.
type Counts struct {
	Accepted int
	Rejected int // were disturbed; they were repeated
	Missing  int // were disturbed each time, and given up for their round
}

// attempts is how often a window is tried in a round before it is given up.
const attempts = 6

// Run measures the cases and returns their results in the same order.
func Run(cases []Case, plan Plan) ([]*Result, Counts) {
	m := measurement{cases: cases, length: plan.Window}
	results := make([]*Result, len(cases))
	var windows []window
	for i, c := range cases {
		results[i] = new(Result)
		m.batches = append(m.batches, calibrate(c.Loop, plan.Window/200))
		for range max(1, c.Windows) {
			for g := 1; g <= plan.Goroutines; g++ {
				windows = append(windows, window{i, g})
			}
		}
	}
	for round := range plan.Rounds {
		found := m.round(windows)
		for i, r := range results {
			for g := range r.PerCall {
				r.PerCall[g] = append(r.PerCall[g], Median(found[window{i, g + 1}]))
			}
		}
		if plan.Progress != nil {
			plan.Progress(round+1, m.counts)
		}
	}
	return results, m.counts
}

// A measurement is a Run under way.
type measurement struct {
	cases   []Case
	batches []int // how many calls of each case fill a small part of a window
	length  time.Duration
	counts  Counts
}

// A window is one to be measured.
type window struct{ index, goroutines int }

// round measures all the windows and returns the times of a call that were found. Those that are disturbed wait until
// the others have had their turn: a disturbance seldom lasts for one window only.
func (m *measurement) round(windows []window) map[window][]float64 {
	found := map[window][]float64{}
	waiting := slices.Clone(windows)
	for range attempts {
		rand.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		disturbed := waiting[:0]
		for _, w := range waiting {
			if ns, ok := m.take(w); ok {
				m.counts.Accepted++
				found[w] = append(found[w], ns)
			} else {
				m.counts.Rejected++
				disturbed = append(disturbed, w)
			}
		}
		waiting = disturbed
	}
	m.counts.Missing += len(waiting)
	return found
}

// take measures one window and reports whether it counts.
func (m *measurement) take(w window) (nanoseconds float64, ok bool) {
	c, batch := m.cases[w.index], m.batches[w.index]
	if c.WaitsFrom == 0 || w.goroutines < c.WaitsFrom {
		s := run(c.Loop, batch, w.goroutines, m.length)
		return s.nanoseconds, s.busy >= leastBusy
	}
	if !quiet(w.goroutines) {
		return 0, false
	}
	s := run(c.Loop, batch, w.goroutines, m.length)
	return s.nanoseconds, quiet(w.goroutines)
}

// glance is long enough that it does not matter how long a core takes to wake up.
const glance = 10 * time.Millisecond

// quiet reports whether that many goroutines can have their cores to themselves right now.
func quiet(goroutines int) bool { return run(spin, 1000, goroutines, glance).busy >= leastBusy }

// spin does nothing n times.
//
//go:noinline
func spin(n int) {
	for range n {
	}
}
