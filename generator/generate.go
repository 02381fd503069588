package generator

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/resilgen/resilgen/generator/emit"
	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

// A Config says what to generate.
type Config struct {
	Dir      string   // the directory that Patterns are relative to; empty means the working directory
	Patterns []string // packages as the go command names them; none means "."
	Tags     string   // build tags, comma-separated
	// Out is the directory of the outputs of interfaces whose directives do not say it: relative to that of each source,
	// or absolute. Empty means that of the source.
	Out string
	// Order is the order of the layers from the outside in where no order directive says it, as a config file has it: the
	// names of their directives. What it does not list keeps its place inside of what it lists.
	Order []string
	// Logf, where not nil, is told of the progress, a line a call.
	Logf func(format string, args ...any)
}

// A Result is what Generate found: diagnostics, and, unless one of them is an error, every output.
type Result struct {
	Diagnostics []Diagnostic // sorted by position
	Outputs     []Output     // sorted by path, also those that are up to date
	Interfaces  int          // how many interfaces are annotated
}

// Failed reports whether a diagnostic is an error.
func (r *Result) Failed() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d Diagnostic) bool { return !d.Warning })
}

// Generate works out what the annotated interfaces of the packages become. It writes nothing: [Output.Write] does.
//
// What is wrong with the annotations is in the result. The error is for what kept it from looking: a pattern that names
// no package, a go command that fails, a file that cannot be read.
func Generate(ctx context.Context, cfg Config) (*Result, error) {
	loaded, plans, err := planned(ctx, cfg)
	if err != nil {
		return nil, err
	}
	result := new(Result)
	for _, pkg := range loaded.Packages {
		result.Interfaces += len(pkg.Interfaces)
	}
	result.Diagnostics = diagnostics(loaded)
	if result.Failed() {
		return result, nil
	}
	contents, err := emit.Files(plans)
	if err != nil {
		return nil, err
	}
	for i, file := range plans {
		if err := result.add(file.Output, contents[i]); err != nil {
			return nil, err
		}
	}
	if err := result.addLeftovers(loaded); err != nil {
		return nil, err
	}
	slices.SortFunc(result.Outputs, func(a, b Output) int { return cmp.Compare(a.Path, b.Path) })
	return result, nil
}

// planned loads the packages and makes their plans.
func planned(ctx context.Context, cfg Config) (*source.Result, []*plan.File, error) {
	logf := cfg.logf()
	start := time.Now()
	loaded, err := source.Load(ctx, source.Config{
		Dir: cfg.Dir, Patterns: cfg.Patterns, Tags: cfg.Tags, Out: cfg.Out, Order: cfg.Order, Logf: logf,
	})
	if err != nil {
		return nil, nil, err
	}
	logf("loaded in %v", since(start))
	var plans []*plan.File
	for i, pkg := range loaded.Packages {
		files := plan.Make(pkg, &loaded.Problems)
		logf("[%d/%d] %s (annotated interfaces: %d)", i+1, len(loaded.Packages), pkg.Path, len(pkg.Interfaces))
		plans = append(plans, files...)
	}
	plan.CheckTogether(plans, &loaded.Problems)
	return loaded, plans, nil
}

// logf returns what is told of the progress.
func (cfg Config) logf() func(format string, args ...any) {
	if cfg.Logf == nil {
		return func(string, ...any) {}
	}
	return cfg.Logf
}

// since returns the time since start as people read it.
func since(start time.Time) time.Duration { return time.Since(start).Round(time.Millisecond) }

func (r *Result) add(path string, content []byte) error {
	old, err := readOutput(path)
	if err != nil {
		return err
	}
	if old != nil || content != nil {
		r.Outputs = append(r.Outputs, Output{Path: path, Old: old, New: content})
	}
	return nil
}

// addLeftovers adds the outputs that go: they stand in a directory that was looked at, nothing makes them any more, and
// it is sure that they came from a package that was looked at or is gone.
func (r *Result) addLeftovers(loaded *source.Result) error {
	for _, path := range loaded.Outputs() {
		if slices.ContainsFunc(r.Outputs, func(o Output) bool { return o.Path == path }) {
			continue
		}
		switch abandoned, err := loaded.Abandoned(path); {
		case err != nil:
			return err
		case !abandoned:
		default:
			if err := r.add(path, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
