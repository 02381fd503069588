package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// report returns the page.
func report(cases []*benchCase, t *tools, rounds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks of the generator\n\n")
	fmt.Fprintf(&b, "Whole processes on a warm build cache, medians of %d rounds in which all commands took turns. Before each "+
		"run the outputs are removed, so that each run writes them. CPU includes the go command's. Peak is the resident set "+
		"of the largest process. resilgen writes wrappers; the others write mocks of the same interfaces. "+
		"`make bench-gen` measures again.\n\n", rounds)
	fmt.Fprintf(&b, "Machine: %s. %s.\n\n", machine(), strings.TrimPrefix(goVersion(), "go version "))
	fmt.Fprintf(&b, "Versions:")
	for i, m := range modules {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, " %s %s", m.name, t.versions[m.name])
	}
	b.WriteString(".\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "\n## %s\n\n", strings.ToUpper(c.title[:1])+c.title[1:])
		b.WriteString("| command | processes | wall | CPU | peak | wall of resilgen / this |\n" +
			"| --- | --: | --: | --: | --: | --: |\n")
		for _, r := range c.runs {
			wall := wallOf(r.samples).Seconds()
			fmt.Fprintf(&b, "| %s | %d | %.3f s | %.3f s | %.0f MB | %.2f |\n", r.tool, len(r.steps), wall,
				cpuOf(r.samples).Seconds(), float64(peakOf(r.samples))/1e6, wallOfTool("resilgen")(c)/wall)
		}
		if len(c.targets) == 0 {
			continue
		}
		b.WriteString("\n| figure | target | reached | |\n| --- | --: | --: | --- |\n")
		for _, target := range c.targets {
			reached, verdict := target.reached(c), "reached"
			if reached > target.limit {
				verdict = "**missed**"
			}
			fmt.Fprintf(&b, "| %s | <= %g %s | %s %s | %s |\n", target.what, target.limit, target.unit,
				figure(reached), target.unit, verdict)
		}
	}
	return b.String()
}

// figure writes a number with three significant digits.
func figure(f float64) string {
	if f >= 10 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.2f", f)
}

func machine() string {
	model := runtime.GOARCH
	if content, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(content)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d CPUs, %s/%s", model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

func goVersion() string {
	said, err := exec.Command("go", "version").Output()
	if err != nil {
		return runtime.Version()
	}
	return strings.TrimSpace(string(said))
}
