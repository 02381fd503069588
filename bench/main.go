// Command bench measures this module's policies beside the libraries that Go programs use for the same purposes, in one
// interleaved run, and prints how they compare. With -markdown it writes the report too; make bench does.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/resilgen/resilgen/bench/measure"
	"github.com/resilgen/resilgen/bench/page"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the command's flags.
type options struct {
	rounds    int
	window    time.Duration
	group     string
	instances int
	markdown  string
}

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.rounds, "rounds", 15, "how often each case is measured")
	flags.DurationVar(&o.window, "window", 30*time.Millisecond, "how long a measurement lasts")
	flags.StringVar(&o.group, "group", "", "measure these groups only, such as closed,chain,memory; the floor always is")
	flags.IntVar(&o.instances, "instances", 100_000, "how many instances are made to measure the memory of one")
	flags.StringVar(&o.markdown, "markdown", "", "write the report to this file as well")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	report, err := o.measure(stderr)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	_, _ = io.WriteString(stdout, report)
	if o.markdown != "" {
		if err := os.WriteFile(o.markdown, []byte(report), 0o644); err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			return 1
		}
	}
	return 0
}

func (o options) validate() error {
	switch {
	case o.rounds < 1:
		return fmt.Errorf("-rounds is %d; it must be at least 1", o.rounds)
	case o.window < time.Millisecond:
		return fmt.Errorf("-window is %s; it must be at least 1ms", o.window)
	case o.instances < 1:
		return fmt.Errorf("-instances is %d; it must be at least 1", o.instances)
	case o.group != "" && o.markdown != "":
		return errors.New("-markdown goes with all groups only; leave -group out")
	}
	return nil
}

// memory is what -group calls the measurement of instances.
const memory = "memory"

// measure runs what the flags say and returns the report.
func (o options) measure(progress io.Writer) (string, error) {
	if err := o.validate(); err != nil {
		return "", err
	}
	s, done := newScene()
	defer done()
	groups, withMemory, err := choose(s.groups(), o.group)
	if err != nil {
		return "", err
	}
	outcome := &Outcome{
		Machine: page.ThisMachine(),
		Peers:   peers(),
		Groups:  groups,
		Plan: measure.Plan{
			Rounds:     o.rounds,
			Window:     o.window,
			Goroutines: min(runtime.GOMAXPROCS(0), measure.Goroutines),
			Progress: func(round int, n measure.Counts) {
				fmt.Fprintf(progress, "round %d of %d: %d windows accepted, %d rejected\n", round, o.rounds, n.Accepted, n.Rejected)
			},
		},
	}
	if err := outcome.measure(s); err != nil {
		return "", err
	}
	if withMemory {
		fmt.Fprintf(progress, "memory of %d instances each\n", o.instances)
		outcome.measureMemory(instances(), o.instances)
	}
	return outcome.report(), nil
}

// choose returns the groups that the flag names, the floor always, and whether it names the memory.
func choose(all []Group, names string) ([]Group, bool, error) {
	if names == "" {
		return all, true, nil
	}
	wanted := map[string]bool{"floor": true}
	for name := range strings.SplitSeq(names, ",") {
		wanted[name] = true
	}
	var chosen []Group
	known := []string{memory}
	for _, group := range all {
		if known = append(known, group.Name); wanted[group.Name] {
			chosen = append(chosen, group)
			delete(wanted, group.Name)
		}
	}
	withMemory := wanted[memory]
	delete(wanted, memory)
	for name := range wanted {
		return nil, false, fmt.Errorf("-group names %q; the groups are %s", name, strings.Join(known, ", "))
	}
	return chosen, withMemory, nil
}
