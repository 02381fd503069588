// Command gen times the generator beside others, each as a whole process: one after the other within a round, over
// several rounds, so that what else the machine does hits all of them. It prints the medians and writes them as a page.
//
//	go run . -rounds 9 -o ../../docs/benchmarks-generator.md
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	rounds := flag.Int("rounds", 7, "how often each command is timed; the first round, which warms up, is not counted")
	output := flag.String("o", "", "`file` to write the page to")
	only := flag.String("only", "", "run one case, by its `name`")
	keep := flag.String("dir", "", "`directory` for the fixtures, which is kept; empty: a temporary one")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*rounds, *only, *output, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(rounds int, only, output, dir string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "resilgen-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	t, err := buildTools(root, filepath.Join(dir, "bin"))
	if err != nil {
		return err
	}
	var cases []*benchCase
	for _, c := range allCases(t) {
		if only == "" || c.name == only {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return fmt.Errorf("there is no case %s", only)
	}
	for _, c := range cases {
		c.dir = filepath.Join(dir, c.name)
		if err := c.prepare(root); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for round := range rounds + 1 {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round, rounds)
		for _, c := range cases {
			if err := c.round(round > 0); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	page := report(cases, t, rounds)
	fmt.Print(page)
	if output == "" {
		return nil
	}
	return os.WriteFile(output, []byte(page), 0o644)
}
