package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"

	"github.com/resilgen/resilgen/generator"
)

const explainUsage = `usage: resilgen explain [-all] [-json] [-config file] [-tags list] [packages]

Tells what the wrappers of the annotated interfaces (default: .) do, and writes nothing. For
each method:

  its chain of layers from the outside in, with the names of the instances as the annotations
  have them, their settings, and where each setting comes from: the annotation, or the config
  file with the configuration, instance or tenant below which it stands;

  the longest time that a call may take, and how that comes about. Fallbacks are not counted,
  nor waits that an error asks for (RetryAfter). What nothing bounds is said.

For each directive of an interface it tells which methods it reaches, which it passes through,
and why.

With -config the settings are those in force with that file, and its order of the layers is
taken where no //resil:order stands. What code and the environment say is not known here. The
exit status is 1 when the file is bad or has an instance that no wrapper of the packages binds,
so name all packages of the program: resilgen explain -config resil.yaml ./...

The flags are:

  -all
      list the settings that are built in too
  -config file
      a config file of the program, YAML or JSON
  -json
      print JSON; its fields are documented in docs/explain.md
  -tags list
      consider these comma-separated build tags satisfied
`

// explainPackages is resilgen explain.
func explainPackages(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("resilgen explain", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, explainUsage) }
	all := flags.Bool("all", false, "")
	asJSON := flags.Bool("json", false, "")
	configFile := flags.String("config", "", "")
	tags := flags.String("tags", "", "")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	file, err := readConfig(*configFile, stderr)
	if err != nil {
		return err
	}
	found, err := generator.Explain(ctx, generator.Config{Patterns: flags.Args(), Tags: *tags}, file, *all)
	if err != nil {
		return err
	}
	for _, d := range found.Diagnostics {
		fmt.Fprintln(stderr, d)
	}
	report := found.Report
	if report == nil {
		return errReported
	}
	if *asJSON {
		encoder := json.NewEncoder(stdout)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "\t")
		err = encoder.Encode(report)
	} else {
		_, err = stdout.Write(reportText(report))
	}
	if err != nil {
		return fmt.Errorf("printing the report: %w", err)
	}
	for _, p := range report.Problems {
		fmt.Fprintln(stderr, p)
		if !p.Warning {
			err = errReported
		}
	}
	return err
}
