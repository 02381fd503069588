package main

import (
	"math"
	"slices"

	"github.com/resilgen/resilgen/bench/measure"
	"github.com/resilgen/resilgen/bench/page"
)

// An Outcome is what one run found.
type Outcome struct {
	Machine page.Machine
	Peers   []page.Module
	Plan    measure.Plan
	Groups  []Group
	Counts  measure.Counts

	Results     map[*Case]*measure.Result
	Allocations map[*Case]measure.Allocation

	Instances  []*Instance
	Number     int // of each of the instances
	Footprints []measure.Footprint

	Profiles map[string][]measure.Share // by the ID of the case
	Sites    map[string][]measure.Site  // by the ID of the instance
}

// find returns the case with that ID, or nil if its group was not measured.
func (o *Outcome) find(id string) *Case {
	for _, group := range o.Groups {
		for _, c := range group.Cases {
			if c.ID == id {
				return c
			}
		}
	}
	return nil
}

// nanoseconds returns the time of a call with g goroutines, or NaN.
func (o *Outcome) nanoseconds(c *Case, g int) float64 {
	if r := o.Results[c]; r != nil {
		return r.Nanoseconds(g)
	}
	return math.NaN()
}

// ratio returns how many times as long c with g goroutines takes as base with as many, or NaN.
func (o *Outcome) ratio(c *Case, g int, base *Case) float64 {
	r, b := o.Results[c], o.Results[base]
	if r == nil || b == nil {
		return math.NaN()
	}
	return r.Ratio(g, b, g)
}

// instance returns the index of the instance with that ID, or -1 if it was not measured.
func (o *Outcome) instance(id string) int {
	return slices.IndexFunc(o.Instances, func(i *Instance) bool { return i.ID == id })
}
