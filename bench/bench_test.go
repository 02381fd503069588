package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/bench/measure"
	"github.com/resilgen/resilgen/bench/page"
)

func TestEveryCaseAnswersRightly(t *testing.T) {
	s, done := newScene()
	t.Cleanup(done)
	for _, group := range s.groups() {
		for _, c := range group.Cases {
			require.NoError(t, c.check(s.ctx), group.Name)
			c.loop(s.ctx, 3)
			require.NoError(t, c.check(s.ctx), group.Name)
		}
	}
}

func TestCheckTellsARefusalFromAnAnswer(t *testing.T) {
	s, done := newScene()
	t.Cleanup(done)
	answers, fails := through(ours, "answers", s.next), through(ours, "fails", failing{})
	require.NoError(t, answers.check(s.ctx))
	require.ErrorIs(t, fails.check(s.ctx), errFailing)
	require.NoError(t, fails.refusing(errFailing).check(s.ctx))
	require.ErrorIs(t, fails.refusing(errNotGranted).check(s.ctx), errFailing)
	require.Error(t, answers.refusing(errFailing).check(s.ctx))
}

func TestEveryFigureHasItsCaseOrInstance(t *testing.T) {
	s, done := newScene()
	t.Cleanup(done)
	o := &Outcome{Groups: s.groups(), Instances: instances()}
	o.Footprints = make([]measure.Footprint, len(o.Instances))
	for _, f := range o.figures() {
		require.True(t, o.find(f.id) != nil || o.instance(f.id) >= 0, f.What)
	}
	for _, id := range []string{"floor", "assembled", "failsafe"} {
		require.NotNil(t, o.find(id), id)
	}
}

func TestEveryInstanceTakesMemory(t *testing.T) {
	o := &Outcome{}
	o.measureMemory(instances(), 50)
	for i, instance := range o.Instances {
		require.Positive(t, o.Footprints[i].Heap, "%s %s %s", instance.Kind, instance.Library, instance.Setting)
	}
}

func TestAFigureIsReachedOnlyWhenItWasMeasured(t *testing.T) {
	require.True(t, Figure{Target: 1, Found: 1}.Reached())
	require.False(t, Figure{Target: 1, Found: 1.01}.Reached())
	require.False(t, Figure{Target: 1, Found: 0.5, Side: 1}.Reached(), "it allocates")
	require.False(t, Figure{Target: 1, Found: math.NaN()}.Reached())
}

func TestReportSaysWhatTheRunFound(t *testing.T) {
	floor := &Case{Library: "time", Setting: "clock", ID: "floor"}
	chain := &Case{Library: ours, Setting: "generated", ID: "chain"}
	assembled, safe := &Case{Library: "others", ID: "assembled"}, &Case{Library: "safe", ID: "failsafe"}
	steady := func(one, two float64) *measure.Result {
		return &measure.Result{PerCall: [measure.Goroutines][]float64{{one, 2 * one}, {two, 2 * two}}}
	}
	o := &Outcome{
		Machine: page.Machine{Processor: "Abacus", Cores: 2, System: "linux/amd64", Go: "1.26.8"},
		Plan:    measure.Plan{Rounds: 2, Window: 20 * time.Millisecond},
		Groups:  []Group{{"floor", "The floor", []*Case{floor}}, {"chain", "Chain", []*Case{chain, assembled, safe}}},
		Counts:  measure.Counts{Accepted: 32, Rejected: 3, Missing: 1},
		Results: map[*Case]*measure.Result{
			floor: steady(40, 20), chain: steady(80, 40), assembled: steady(200, 200), safe: steady(2000, 2000),
		},
		Profiles: map[string][]measure.Share{"chain": {{Function: "runtime.nanotime", Self: 0.5, Sum: 0.75}}},
	}
	report := o.report()
	for _, sentence := range []string{
		"takes 120 ns and makes 0\nallocations: 2.00 times the two clock readings, 0.40 times",
		"Measured on Abacus, 2 cores; linux/amd64; Go 1.26.8.",
		"Reached: 1 of 15.", // of failsafe-go; the others are not measured or missed
		"In this run 32 counted and 3 did not; 1 found no undisturbed time",
		"### chain: generated",
		"| `runtime.nanotime` |   60.0 |    50.0 % |       75.0 % |",
	} {
		require.Contains(t, report, sentence)
	}
	require.Regexp(t, `\| resilgen +\| generated +\| +120 \| +2\.00 \| +1\.00 \| +60\.0 \| +2\.00 \| +0 \| +0 \|`, report)
	require.NotContains(t, report, "NaN")
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for flags, want := range map[string]string{
		"-rounds 0":                  "-rounds is 0",
		"-window 1us":                "-window is 1µs",
		"-instances 0":               "-instances is 0",
		"-group none":                `-group names "none"; the groups are memory, floor, closed`,
		"-group open -markdown x.md": "leave -group out",
	} {
		var stdout, stderr strings.Builder
		require.Equal(t, 1, run(strings.Fields(flags), &stdout, &stderr), flags)
		require.Contains(t, stderr.String(), want)
		require.Empty(t, stdout.String())
	}
	var stderr strings.Builder
	require.Equal(t, 2, run([]string{"-nonsense"}, &strings.Builder{}, &stderr))
}

func TestOneShortRunPrintsItsGroup(t *testing.T) {
	var stdout, stderr strings.Builder
	require.Zero(t, run(strings.Fields("-rounds 1 -window 1ms -group open"), &stdout, &stderr), stderr.String())
	require.Contains(t, stdout.String(), "## Circuit breaker, open")
	require.NotContains(t, stdout.String(), "## Memory")
	require.Contains(t, stderr.String(), "round 1 of 1")
}
