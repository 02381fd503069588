package measure

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/google/pprof/profile"
)

// A Share is the part of the time that a function took, of 1: by itself, and with what it called.
type Share struct {
	Function  string
	Self, Sum float64
}

// Profile calls loop on one goroutine for that long and returns the functions that took the time, the most expensive
// first. What is inlined counts for the function that it was written as.
func Profile(loop func(n int), length time.Duration) ([]Share, error) {
	batch := calibrate(loop, time.Millisecond)
	var raw bytes.Buffer
	if err := pprof.StartCPUProfile(&raw); err != nil {
		return nil, fmt.Errorf("no profile: %w", err)
	}
	run(loop, batch, 1, length)
	pprof.StopCPUProfile()
	parsed, err := profile.Parse(&raw)
	if err != nil {
		return nil, fmt.Errorf("the profile is not readable: %w", err)
	}
	return shares(parsed), nil
}

// shares adds up the samples of a profile by function.
func shares(p *profile.Profile) []Share {
	found := map[string]*Share{}
	function := func(line profile.Line) *Share {
		s := found[line.Function.Name]
		if s == nil {
			s = &Share{Function: line.Function.Name}
			found[line.Function.Name] = s
		}
		return s
	}
	var total float64
	for _, sample := range p.Sample {
		count := float64(sample.Value[0])
		total += count
		seen := map[*Share]bool{}
		leaf := true
		for _, location := range sample.Location {
			for _, line := range location.Line { // the innermost of inlined functions first
				if line.Function.Name == "runtime.asyncPreempt" {
					continue // the time belongs to the function that was interrupted
				}
				s := function(line)
				if leaf {
					s.Self += count
					leaf = false
				}
				if !seen[s] {
					seen[s] = true
					s.Sum += count
				}
			}
		}
	}
	all := make([]Share, 0, len(found))
	for s := range maps.Values(found) {
		all = append(all, Share{s.Function, s.Self / total, s.Sum / total})
	}
	slices.SortFunc(all, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Sum, a.Sum), cmp.Compare(a.Function, b.Function))
	})
	return all
}
