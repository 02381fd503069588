package main

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/resilgen/resilgen/bench/measure"
)

const (
	// ballast is a heap as an ordinary service has one. With next to nothing alive, the garbage collector would run a
	// hundred times a second, and the libraries that allocate would look worse than they are.
	ballast = 64 << 20
	// allocating is how many calls tell what one call allocates.
	allocating = 10_000
	// profiled is how long a case runs whose profile is taken.
	profiled = 2 * time.Second
	// profiledInstances is how many instances are made to find out where their memory comes from.
	profiledInstances = 5000
)

// measure checks the cases, measures them, and checks them again: a circuit breaker that was closed still is, and one
// that was open, too.
func (o *Outcome) measure(s *scene) error {
	var cases []*Case
	for _, group := range o.Groups {
		cases = append(cases, group.Cases...)
	}
	if err := checkAll(s, cases); err != nil {
		return err
	}
	alive := make([]byte, ballast)
	defer runtime.KeepAlive(alive)

	looped := make([]measure.Case, len(cases))
	o.Allocations = make(map[*Case]measure.Allocation, len(cases))
	for i, c := range cases {
		looped[i] = c.looped(s.ctx)
		o.Allocations[c] = measure.Allocations(looped[i].Loop, allocating)
	}
	results, counts := measure.Run(looped, o.Plan)
	o.Counts = counts
	o.Results = make(map[*Case]*measure.Result, len(cases))
	for i, c := range cases {
		o.Results[c] = results[i]
	}
	if err := checkAll(s, cases); err != nil {
		return fmt.Errorf("after the measurement: %w", err)
	}
	return o.profile(s)
}

func checkAll(s *scene, cases []*Case) error {
	for _, c := range cases {
		if err := c.check(s.ctx); err != nil {
			return err
		}
	}
	return nil
}

// profile finds out where the time goes in the cases that miss a figure.
func (o *Outcome) profile(s *scene) error {
	o.Profiles = map[string][]measure.Share{}
	for _, id := range o.missed() {
		c := o.find(id)
		if c == nil {
			continue
		}
		shares, err := measure.Profile(c.looped(s.ctx).Loop, profiled)
		if err != nil {
			return err
		}
		o.Profiles[id] = shares
	}
	return nil
}

// measureMemory makes n of each of the instances, and finds out where the memory comes from in those that miss a
// figure.
func (o *Outcome) measureMemory(all []*Instance, n int) {
	names := make([]string, n)
	for i := range names {
		names[i] = "instance-" + strconv.Itoa(i)
	}
	o.Number = n
	o.Sites = map[string][]measure.Site{}
	few := names[:min(n, profiledInstances)]
	for _, instance := range all {
		o.Footprints = append(o.Footprints, measure.Footprints(n, func() any { return instance.build(names) }))
		o.Instances = append(o.Instances, instance)
		if instance.ID != "" && slices.Contains(o.missed(), instance.ID) {
			o.Sites[instance.ID] = measure.Sites(len(few), func() any { return instance.build(few) })
		}
	}
}
