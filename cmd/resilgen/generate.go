package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/resilgen/resilgen/generator"
)

// generate runs the generator and prints or writes what it found.
func generate(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	start := time.Now()
	logf := func(string, ...any) {}
	if o.verbose {
		logf = func(format string, args ...any) { fmt.Fprintf(stderr, "resilgen: "+format+"\n", args...) }
	}
	cfg := generator.Config{Patterns: o.patterns, Tags: o.tags, Out: o.out, Logf: logf}
	file, err := readConfig(o.config, stderr)
	if err != nil {
		return err
	}
	if file != nil {
		cfg.Order = file.Order
	}
	result, err := generator.Generate(ctx, cfg)
	if err != nil {
		return err
	}
	changes := stdout
	if o.json {
		changes = stderr
		if err := printJSON(stdout, result.Diagnostics); err != nil {
			return err
		}
	} else {
		for _, d := range result.Diagnostics {
			fmt.Fprintln(stderr, d)
		}
	}
	if result.Failed() {
		return errReported
	}
	if line := os.Getenv("GOLINE"); result.Interfaces == 0 && line != "" {
		fmt.Fprintf(stderr, "%s:%s: no interface is annotated here; put //resil: comments on an interface or remove this line\n",
			os.Getenv("GOFILE"), line)
	}
	stale := 0
	for _, output := range result.Outputs {
		if !output.Stale() {
			continue
		}
		stale++
		err = errors.Join(err, o.settle(output, changes, logf))
	}
	logf("files: %d changed, %d up to date, in %v", stale, len(result.Outputs)-stale,
		time.Since(start).Round(time.Millisecond))
	if o.check && stale > 0 {
		return errReported
	}
	return err
}

// settle prints what would be done with an output that is stale, or does it.
func (o *options) settle(output generator.Output, changes io.Writer, logf func(string, ...any)) error {
	verb := "write"
	if output.Removed() {
		verb = "remove"
	}
	switch {
	case o.check:
		_, err := fmt.Fprint(changes, output.Diff())
		return err
	case o.names:
		_, err := fmt.Fprintln(changes, verb, output.Name())
		return err
	}
	logf("%s %s", verb, output.Name())
	return output.Write()
}
