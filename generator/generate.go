package generator

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/emit"
	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

// A Config says what to generate.
type Config struct {
	Dir      string   // the directory that Patterns are relative to; empty means the working directory
	Patterns []string // packages as the go command names them; none means "."
	Tags     string   // build tags, comma-separated
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
	logf := cfg.Logf
	if logf == nil {
		logf = func(string, ...any) {}
	}
	loaded, err := source.Load(ctx, source.Config{Dir: cfg.Dir, Patterns: cfg.Patterns, Tags: cfg.Tags, Logf: logf})
	if err != nil {
		return nil, err
	}
	result := new(Result)
	problems := &loaded.Problems
	var plans []*plan.File
	var leftovers []string
	for _, pkg := range loaded.Packages {
		files := plan.Make(pkg, problems)
		result.Interfaces += len(pkg.Interfaces)
		logf("%s: %d interfaces, %d files", pkg.Path, len(pkg.Interfaces), len(files))
		plans = append(plans, files...)
		leftovers = append(leftovers, leftoversOf(pkg)...)
	}
	result.Diagnostics = diagnostics(loaded.Fset, problems.List)
	if result.Failed() {
		return result, nil
	}
	for _, file := range plans {
		content, err := emit.File(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Output, err)
		}
		if err := result.add(file.Output, content); err != nil {
			return nil, err
		}
	}
	for _, path := range leftovers {
		if slices.ContainsFunc(result.Outputs, func(o Output) bool { return o.Path == path }) {
			continue
		}
		if err := result.add(path, nil); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(result.Outputs, func(a, b Output) int { return cmp.Compare(a.Path, b.Path) })
	return result, nil
}

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

// leftoversOf returns our outputs in the package's directory whose source is gone, or was read. A source that a build
// constraint kept from being read may still have its directives, so its output stays. The caller takes off the outputs
// that are planned.
func leftoversOf(pkg *source.Package) []string {
	var leftovers []string
	for _, output := range pkg.Outputs {
		from := sourceOf(output)
		if !slices.Contains(pkg.Sources, from) || slices.Contains(pkg.Read, from) {
			leftovers = append(leftovers, output)
		}
	}
	return leftovers
}

// sourceOf returns the path of the file that an output was made from; the inverse of what package plan does.
func sourceOf(output string) string {
	dir, name := filepath.Split(output)
	if stem, ok := strings.CutSuffix(name, "_resil_test.go"); ok {
		return dir + stem + "_test.go"
	}
	return dir + strings.TrimSuffix(name, "_resil.go") + ".go"
}
