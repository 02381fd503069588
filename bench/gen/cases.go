package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A benchCase is a fixture with the commands that are timed on it.
type benchCase struct {
	name     string
	title    string
	runs     []*timed
	targets  []target
	dir      string
	packages int // with interfaces each, in p0 and so on
	each     int
	policies string // directives on each interface
	kube     bool   // a package that imports client-go in place of those
	edits    int
}

// A timed command of a case.
type timed struct {
	tool    string
	steps   []step
	outputs []string // patterns of files that are removed before it runs
	edited  bool     // a source is edited before it runs
	samples []sample
}

// A target is a figure to reach.
type target struct {
	what    string
	limit   float64
	reached func(c *benchCase) float64
	unit    string
}

func (c *benchCase) run(tool string) *timed {
	return c.runs[slices.IndexFunc(c.runs, func(r *timed) bool { return r.tool == tool })]
}

func wallOfTool(tool string) func(c *benchCase) float64 {
	return func(c *benchCase) float64 { return wallOf(c.run(tool).samples).Seconds() }
}

func ratio(tool, to string) func(c *benchCase) float64 {
	return func(c *benchCase) float64 { return wallOfTool(tool)(c) / wallOfTool(to)(c) }
}

func peak(c *benchCase) float64 { return float64(peakOf(c.run("resilgen").samples)) / 1e6 }

func allCases(t *tools) []*benchCase {
	return []*benchCase{
		{
			name: "one", title: "100 interfaces of 10 methods in one package, a circuit breaker around each",
			packages: 1, each: 100, policies: onePolicy,
			runs: generators(t, 1, 100),
			targets: []target{
				{"resilgen, wall", 0.25, wallOfTool("resilgen"), "s"},
				{"resilgen, peak", 60, peak, "MB"},
				{"resilgen / moq", 0.5, ratio("resilgen", "moq"), "x"},
				{"resilgen / mockery as it comes", 0.35, ratio("resilgen", mockery), "x"},
				{"resilgen / mockery with gofmt", 0.35, ratio("resilgen", mockeryGofmt), "x"},
				{"edited / unedited", 1.3, ratio("resilgen, edited", "resilgen"), "x"},
			},
		},
		{
			name: "many", title: "20 packages of 5 such interfaces", packages: 20, each: 5, policies: onePolicy,
			runs: generators(t, 20, 5),
			targets: []target{
				{"resilgen, wall", 0.3, wallOfTool("resilgen"), "s"},
				{"resilgen / mockery as it comes", 0.5, ratio("resilgen", mockery), "x"},
				{"resilgen / mockery with gofmt", 0.5, ratio("resilgen", mockeryGofmt), "x"},
				{"edited / unedited", 1.3, ratio("resilgen, edited", "resilgen"), "x"},
			},
		},
		{
			name: "three", title: "100 interfaces of 10 methods in one package, three policies around each",
			packages: 1, each: 100, policies: threePolicies,
			runs: []*timed{{
				tool: "resilgen", steps: []step{{args: []string{t.path("resilgen"), "./..."}}},
				outputs: []string{"*/*_resil.go"},
			}},
		},
		{
			name: "none", title: "`./...` over 100 packages without a directive", packages: 100, each: 1,
			runs:    []*timed{{tool: "resilgen", steps: []step{{args: []string{t.path("resilgen"), "./..."}}}}},
			targets: []target{{"resilgen, wall", 0.15, wallOfTool("resilgen"), "s"}},
		},
		{
			name: "kube", title: "a package that imports client-go", kube: true,
			runs: []*timed{{
				tool: "resilgen", steps: []step{{args: []string{t.path("resilgen"), "."}}}, outputs: []string{"*_resil.go"},
			}},
			targets: []target{
				{"resilgen, wall", 0.5, wallOfTool("resilgen"), "s"},
				{"resilgen, peak", 100, peak, "MB"},
			},
		},
	}
}

// mockery formats its output with goimports unless it is told otherwise, which takes it longer than all the rest.
const (
	mockery      = "mockery"
	mockeryGofmt = "mockery, formatter: gofmt"
)

func mockeryRun(t *tools, config string) []step {
	return []step{{args: []string{t.path("mockery"), "--config", config, "--log-level", "error"}}}
}

// generators returns how each generator is run on packages with interfaces each: as few processes as it can do with.
func generators(t *tools, packages, each int) []*timed {
	resilgen := []step{{args: []string{t.path("resilgen"), "./..."}}}
	var moq, source, reflective []step
	for i := range packages {
		name := packageName(i)
		moq = append(moq, step{name, append([]string{t.path("moq"), "-out", "moq_mock.go", "."}, interfaceNames(each)...)})
		source = append(source, step{name, []string{
			t.path("mockgen"), "-source", name + ".go", "-destination", "mockgen_mock.go", "-package", name,
		}})
		reflective = append(reflective, step{name, []string{
			t.path("mockgen"), "-destination", "mockgen_mock.go", "-package", name,
			"-self_package", "example.com/fixture/" + name, "example.com/fixture/" + name,
			strings.Join(interfaceNames(each), ","),
		}})
	}
	mocks := []string{"*/*_mock.go", "*/*_mocks.go"}
	runs := []*timed{
		{tool: "resilgen", steps: resilgen, outputs: []string{"*/*_resil.go"}},
		{tool: "resilgen, edited", steps: resilgen, outputs: []string{"*/*_resil.go"}, edited: true},
		{tool: mockery, steps: mockeryRun(t, ".mockery.yml"), outputs: mocks},
		{tool: mockeryGofmt, steps: mockeryRun(t, ".mockery-gofmt.yml"), outputs: mocks},
		{tool: "moq", steps: moq, outputs: mocks},
		{tool: "mockgen, source mode", steps: source, outputs: mocks},
	}
	if packages == 1 { // seconds a process
		runs = append(runs, &timed{tool: "mockgen, package mode", steps: reflective, outputs: mocks})
	}
	return runs
}

// prepare writes the fixture and compiles it, as its user would have done.
func (c *benchCase) prepare(root string) error {
	if c.kube {
		if err := c.writeKube(root); err != nil {
			return err
		}
	} else {
		if err := writeModule(c.dir, root); err != nil {
			return err
		}
		for i := range c.packages {
			name := packageName(i)
			if err := write(filepath.Join(c.dir, name, name+".go"), source(name, c.each, c.policies)); err != nil {
				return err
			}
		}
		if err := c.writeMockery(); err != nil {
			return err
		}
	}
	return c.compile()
}

// compile compiles the fixture without outputs.
func (c *benchCase) compile() error {
	if err := c.removeOutputs(); err != nil {
		return err
	}
	_, err := command(c.dir, "go", "build", "./...")
	return err
}

func (c *benchCase) writeMockery() error {
	for file, formatter := range map[string]string{".mockery.yml": "goimports", ".mockery-gofmt.yml": "gofmt"} {
		config := "all: true\ndir: '{{.InterfaceDir}}'\nfilename: mockery_mocks.go\npkgname: '{{.SrcPackageName}}'\n" +
			"structname: 'Mock{{.InterfaceName}}'\nformatter: " + formatter + "\nforce-file-write: true\npackages:\n"
		for i := range c.packages {
			config += "  example.com/fixture/" + packageName(i) + ":\n"
		}
		if err := write(filepath.Join(c.dir, file), config); err != nil {
			return err
		}
	}
	return nil
}

// writeKube writes a package that imports client-go, in a module with the requirements of the corpus.
func (c *benchCase) writeKube(root string) error {
	corpus := filepath.Join(root, "testdata", "corpus")
	module, err := os.ReadFile(filepath.Join(corpus, "go.mod"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(corpus, "go.sum"))
	if err != nil {
		return err
	}
	text := strings.Replace(string(module), "=> ../..", "=> "+root, 1)
	const file = `package kube

import (
	"context"

	"k8s.io/client-go/kubernetes"
)

// Reader reads from a cluster.
//
//resil:retry
//resil:circuitbreaker
//resil:timelimiter
type Reader interface {
	Client(ctx context.Context, cluster string) (kubernetes.Interface, error)
	Names(ctx context.Context, set *kubernetes.Clientset) ([]string, error)
}
`
	for name, content := range map[string]string{"go.mod": text, "go.sum": string(sums), "kube.go": file} {
		if err := write(filepath.Join(c.dir, name), content); err != nil {
			return err
		}
	}
	return nil
}

// round runs every command once.
func (c *benchCase) round(counted bool) error {
	for _, r := range c.runs {
		if err := c.removeOutputs(); err != nil {
			return err
		}
		if r.edited {
			if err := c.edit(); err != nil {
				return err
			}
		}
		s, err := measure(c.dir, r.steps)
		if err != nil {
			return err
		}
		if err := c.checkOutputs(r); err != nil {
			return err
		}
		if counted {
			r.samples = append(r.samples, s)
		}
		if !r.edited {
			continue
		}
		// What the others are timed on is compiled.
		if err := c.compile(); err != nil {
			return err
		}
	}
	return nil
}

func (c *benchCase) removeOutputs() error {
	for _, r := range c.runs {
		for _, pattern := range r.outputs {
			paths, err := filepath.Glob(filepath.Join(c.dir, pattern))
			if err != nil {
				return err
			}
			for _, path := range paths {
				if err := os.Remove(path); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkOutputs reports a generator that has not written a file for each package.
func (c *benchCase) checkOutputs(r *timed) error {
	written := 0
	for _, pattern := range r.outputs {
		paths, err := filepath.Glob(filepath.Join(c.dir, pattern))
		if err != nil {
			return err
		}
		written += len(paths)
	}
	if len(r.outputs) > 0 && written != max(c.packages, 1) {
		return fmt.Errorf("%s wrote %d files", r.tool, written)
	}
	return nil
}

// edit changes every annotated file to what it has never been, so that no cache knows it.
func (c *benchCase) edit() error {
	c.edits++
	for i := range c.packages {
		name := packageName(i)
		content := source(name, c.each, c.policies) +
			fmt.Sprintf("\nconst edited = \"%d at %d\"\n", c.edits, time.Now().UnixNano())
		if err := write(filepath.Join(c.dir, name, name+".go"), content); err != nil {
			return err
		}
	}
	return nil
}
