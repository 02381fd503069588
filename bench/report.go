package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/resilgen/resilgen/bench/page"
)

// report returns what the run found, as Markdown. Every sentence with a number in it is made from the run.
func (o *Outcome) report() string {
	var b strings.Builder
	fmt.Fprintln(&b, "# Benchmarks")
	fmt.Fprintln(&b)
	fmt.Fprintln(&b, "<!-- Written by make bench. -->")
	fmt.Fprintln(&b)
	o.writeSummary(&b)
	o.writeFigures(&b)
	o.writeMethod(&b)
	for _, group := range o.Groups {
		o.writeGroup(&b, group)
	}
	o.writeMemory(&b)
	o.writeProfiles(&b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// writeSummary says what was compared, where, and how it came out.
func (o *Outcome) writeSummary(w io.Writer) {
	fmt.Fprint(w, "What a call through the policies of this module costs, beside other libraries and beside the least that a\n"+
		"policy with a duration can cost: two readings of the monotonic clock. `make bench` measures all of it in one\n"+
		"interleaved run and writes this page; `go run . -h` in bench says how to measure a part of it.\n\n")
	if chain, assembled, safe := o.find("chain"), o.find("assembled"), o.find("failsafe"); chain != nil &&
		!math.IsNaN(o.nanoseconds(chain, 1)) {
		fmt.Fprintf(w, "A generated call through retry, circuit breaker, rate limiter and bulkhead takes %s ns and makes %s\n"+
			"allocations: %s times the two clock readings, %s times the same put together from gobreaker, x/time/rate,\n"+
			"x/sync/semaphore and retry-go, and %s times failsafe-go.\n\n",
			page.Short(o.nanoseconds(chain, 1)), page.Count(o.Allocations[chain].Objects), page.Number(o.ratio(chain, 1, o.find("floor")), 2),
			page.Number(o.ratio(chain, 1, assembled), 2), page.Number(o.ratio(chain, 1, safe), 3))
	}
	fmt.Fprintf(w, "Measured on %s", o.Machine)
	fmt.Fprint(w, ".\nOther machines give other nanoseconds; the ratios travel better.\n\n")
}

// writeFigures lists the bounds and whether they are kept.
func (o *Outcome) writeFigures(w io.Writer) {
	figures := o.figures()
	reached := 0
	t := page.Table{Header: []string{"", "in", "at most", "found", "quartiles", "allocations", "reached"}, Text: 2}
	for _, f := range figures {
		answer := "no"
		if f.Reached() {
			answer = "yes"
			reached++
		}
		target := strconv.FormatFloat(f.Target, 'g', -1, 64)
		switch {
		case math.IsNaN(f.Found):
			t.Row(f.What, f.Unit, target, "-", "-", "-", "not measured")
		case f.Unit == bytes:
			t.Row(f.What, f.Unit, target, page.Number(f.Found, 0), "-", "-", answer)
		default:
			quartiles := page.Number(f.Low, 3) + " to " + page.Number(f.High, 3)
			t.Row(f.What, f.Unit, target, page.Number(f.Found, 3), quartiles, page.Count(f.Side), answer)
		}
	}
	fmt.Fprintf(w, "## Figures\n\n"+
		"What the runtime is held to: no call allocates, no instance has a goroutine, and these times and sizes. Half of\n"+
		"the rounds lie between the quartiles. Reached: %d of %d.\n\n", reached, len(figures))
	t.Write(w)
}

// writeMethod says how the numbers came about.
func (o *Outcome) writeMethod(w io.Writer) {
	n := o.Counts
	fmt.Fprintf(w, "## Method\n\n"+
		"Every call is made through an interface, with a context that can be cancelled and has a value, and ends in a\n"+
		"method that doubles a number and is not inlined. Libraries are used the way that their documentation shows; no\n"+
		"call fails, no limit is met, and an open circuit breaker stays open. Each answer is checked before and after.\n\n"+
		"There are %s. In each, every case runs once with each number of goroutines, in a new order, for %s; the\n"+
		"floor, with which all are compared, runs %d times. A window counts if the process had at least 97 %% of its cores\n"+
		"by getrusage. Calls that wait for other goroutines, as at a mutex, leave cores idle by themselves: their windows\n"+
		"count if short ones of plain work right before and after were undisturbed. A window that does not count is tried\n"+
		"again later in its round. In this run %d counted and %d did not; %d found no undisturbed time at all.\n\n"+
		"The times are medians of the rounds. Columns with (2) are with 2 goroutines on the same instance: wall time by\n"+
		"all their calls, so that perfect scaling halves it. A ratio is taken within each round, and the median of these\n"+
		"is shown: to the floor with as many goroutines, and to the first case of the table. Allocations are counted over\n"+
		"%d calls. The process keeps %d MB alive, so that the garbage collector runs as seldom as in a service.\n\n",
		page.Plural(o.Plan.Rounds, "round"), o.Plan.Window, floorWindows, n.Accepted, n.Rejected, n.Missing,
		allocating, ballast>>20)
	page.WriteModules(w, o.Peers)
}

// writeGroup shows one group's cases, in the order in which they were written.
func (o *Outcome) writeGroup(w io.Writer, group Group) {
	floor, first := o.find("floor"), group.Cases[0]
	t := page.Table{
		Header: []string{"", "", "ns", "x floor", "x first", "ns (2)", "x floor (2)", "allocs", "bytes"},
		Text:   2,
	}
	for _, c := range group.Cases {
		allocation := o.Allocations[c]
		t.Row(c.Library, c.Setting,
			page.Short(o.nanoseconds(c, 1)), page.Number(o.ratio(c, 1, floor), 2), page.Number(o.ratio(c, 1, first), 2),
			page.Short(o.nanoseconds(c, 2)), page.Number(o.ratio(c, 2, floor), 2),
			page.Count(allocation.Objects), page.Number(allocation.Bytes, 0))
	}
	fmt.Fprintf(w, "## %s\n\n", group.Title)
	t.Write(w)
}

// writeMemory shows what instances take, kind by kind.
func (o *Outcome) writeMemory(w io.Writer) {
	if len(o.Instances) == 0 {
		return
	}
	fmt.Fprintf(w, "## Memory of an instance\n\n"+
		"The growth of the heap when %d instances are made, without their names, which exist before.\n\n", o.Number)
	t := page.Table{Header: []string{"", "", "", "bytes", "goroutines"}, Text: 3}
	for _, kind := range []string{breakers, limiters, bulkheads, tenants} {
		for i, instance := range o.Instances {
			if instance.Kind == kind {
				f := o.Footprints[i]
				t.Row(kind, instance.Library, instance.Setting, page.Number(f.Heap, 0), page.Count(f.Goroutines))
			}
		}
	}
	t.Write(w)
}

// profileRows is how many functions a profile shows.
const profileRows = 10

// writeProfiles shows where the time and the memory go in what misses a figure.
func (o *Outcome) writeProfiles(w io.Writer) {
	missed := o.missed()
	if len(missed) == 0 {
		return
	}
	fmt.Fprint(w, "## Why not\n\nWhere the time and the memory go in what misses a figure.\n\n")
	for _, id := range missed {
		if i := o.instance(id); i >= 0 {
			o.writeSites(w, o.Instances[i])
		} else {
			o.writeProfile(w, o.find(id))
		}
	}
}

// writeProfile shows the functions that take the most of a call's time, by themselves and with what they call.
func (o *Outcome) writeProfile(w io.Writer, c *Case) {
	fmt.Fprintf(w, "### %s: %s\n\n", c.ID, c.Setting)
	ns := o.nanoseconds(c, 1)
	t := page.Table{Header: []string{"function", "own ns", "own share", "with callees"}, Text: 1}
	for _, s := range o.Profiles[c.ID][:min(profileRows, len(o.Profiles[c.ID]))] {
		t.Row(functionName(s.Function), page.Number(s.Self*ns, 1), percent(s.Self), percent(s.Sum))
	}
	t.Write(w)
}

// writeSites shows the functions that allocate the most of an instance's memory.
func (o *Outcome) writeSites(w io.Writer, instance *Instance) {
	fmt.Fprintf(w, "### %s: %s %s\n\n", instance.ID, instance.Kind, instance.Setting)
	t := page.Table{Header: []string{"allocated by", "bytes"}, Text: 1}
	for _, s := range o.Sites[instance.ID][:min(profileRows, len(o.Sites[instance.ID]))] {
		t.Row(functionName(s.Function), page.Number(s.Bytes, 0))
	}
	t.Write(w)
}

// functionName shortens a function's name to what a reader of this page needs: without our own paths and without type
// arguments.
func functionName(full string) string {
	for _, path := range []string{"github.com/resilgen/resilgen/runtime/", "github.com/resilgen/resilgen/bench/"} {
		full = strings.ReplaceAll(full, path, "")
	}
	var name strings.Builder
	depth := 0
	for _, r := range full {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			name.WriteRune(r)
		}
	}
	return "`" + name.String() + "`"
}

func percent(share float64) string { return page.Number(100*share, 1) + " %" }
