// Package source reads what the generator works on: the annotated interfaces of Go packages, with their types.
//
// A generator runs exactly when a package does not compile: its code already uses the wrapper that is about to be
// written, or last week's output no longer fits the interface. So [Load] leaves our own outputs and all function bodies
// out of the type check, and a type error counts only where it touches an annotated interface.
//
// Loading takes two steps, because the go command would otherwise compile the very packages that were just edited: the
// packages are listed and parsed first, and export data is asked for only of what the annotated ones among them import.
package source

import (
	"cmp"
	"context"
	"go/build"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"sync"

	"github.com/resilgen/resilgen/generator/directive"
)

// A Config says what to load.
type Config struct {
	Dir      string   // where the go command runs and relative patterns start; empty: the working directory
	Patterns []string // packages, as the go command takes them; none: "."
	Tags     string   // build tags, comma-separated, as in go build -tags
	Out      string   // directory of outputs: relative to that of each source, or absolute; empty: that of the source
	// Order is the order of the layers from the outside in where no order directive says it: names of directives. Those
	// that are not listed keep their place inside of these.
	Order []string
	Env   []string // environment of the go command; nil: that of the process
	// Logf is told what was passed over, such as type errors that touch no annotated interface. nil: silent.
	Logf func(format string, args ...any)
}

// Load lists, parses and type-checks the packages that match the patterns. What is wrong in the source of annotated
// interfaces is in the result's Problems. The error is a [*PatternError] for a pattern that is no package, a
// [*ToolchainError] where the go command is newer than this program, and a [*ListError] where the go command failed.
func Load(ctx context.Context, cfg Config) (*Result, error) {
	l, err := newLoader(ctx, cfg)
	if err != nil {
		return nil, err
	}
	l.ahead = l.lookAhead()
	defer l.ahead.stop()
	roots, err := l.roots()
	if err != nil {
		return nil, err
	}
	dirs, err := l.scan(roots)
	if err != nil {
		return nil, err
	}
	result := &Result{Fset: l.fset, roots: dirs}
	l.result = result
	result.targets = l.allTargets
	var kept []*unit
	annotatedDirs := 0
	for _, d := range dirs {
		if !d.annotated() && len(d.outputs) == 0 {
			continue
		}
		annotatedDirs++
		if d.annotated() {
			if err := l.parseRest(d); err != nil {
				return nil, err
			}
			l.plan(d)
		}
		units, err := l.units(d)
		if err != nil {
			return nil, err
		}
		kept = append(kept, units...)
	}
	l.cfg.Logf("packages read: %d, with annotations or outputs: %d", len(roots), annotatedDirs)
	if err := l.listImports(kept); err != nil {
		return nil, err
	}
	for _, u := range kept {
		pkg := l.check(u, &result.Problems)
		if l.tooNew != nil {
			return nil, l.tooNew
		}
		result.Packages = append(result.Packages, pkg)
	}
	slices.SortStableFunc(result.Packages, func(a, b *Package) int { return cmp.Compare(a.Path, b.Path) })
	result.Problems.List = directive.Sort(l.fset, result.Problems.List)
	return result, nil
}

// A loader is the state of one Load.
type loader struct {
	ctx     context.Context
	cfg     Config
	dir     string // absolute
	env     []string
	fset    *token.FileSet
	driver  bool // packages come from GOPACKAGESDRIVER
	sizes   types.Sizes
	build   build.Context // what decides which files belong to the build
	mu      sync.Mutex    // held while a name is resolved, which may read more packages
	exports *exports      // nil in FromFiles
	ahead   *ahead        // nil in FromFiles
	imports imports
	tooNew  *ToolchainError

	result    *Result
	targets   map[string]*Target  // by directory without symbolic links
	planned   map[string]*planned // by import path
	annotated map[string]bool     // import paths of the annotated packages, and of those that their directives name
	deps      map[string]*listed  // all that these are made of; nil until it is asked for
}

func newLoader(ctx context.Context, cfg Config) (*loader, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	if len(cfg.Patterns) == 0 {
		cfg.Patterns = []string{"."}
	}
	if cfg.Logf == nil {
		cfg.Logf = func(string, ...any) {}
	}
	l := &loader{ctx: ctx, cfg: cfg, dir: dir, fset: token.NewFileSet()}
	l.setEnv()
	l.exports, l.planned = newExports(l), map[string]*planned{}
	l.imports = l.exports
	return l, nil
}

// imports is where the packages come from that the annotated ones import or name.
type imports interface {
	Import(importPath string) (*types.Package, error)
	// Find returns a package that a directive may name though nothing imports it.
	Find(importPath string) (*types.Package, error)
	// suggestions returns the paths that a wrong one in a package may have been meant for, sorted.
	suggestions(pkg *types.Package) []string
}
