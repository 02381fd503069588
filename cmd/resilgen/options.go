package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// options are the command line.
type options struct {
	check, json, names, verbose, version bool
	tags, out, config                    string
	patterns                             []string
}

const usage = `usage: resilgen [flags] [packages]
       resilgen explain [-all] [-json] [-config file] [-tags list] [packages]
       resilgen help [directive]
       resilgen directives [-json]

Writes wrappers for the annotated interfaces of the packages (default: .).

`

func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("resilgen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.check, "check", false,
		"write nothing; print what would change as a unified diff, and exit with status 1 if anything would")
	flags.StringVar(&o.config, "config", "",
		"take the order of the layers from this config `file` where no //resil:order says it")
	flags.BoolVar(&o.json, "json", false,
		"print the diagnostics to standard output, in the form of go vet -json, and nothing else")
	flags.BoolVar(&o.names, "n", false, "write nothing; print the names of the files that would be written or removed")
	flags.StringVar(&o.out, "out", "", "write to the directory `dir`, relative to that of each source, where wrapper out= says nothing")
	flags.StringVar(&o.tags, "tags", "", "consider these comma-separated build `tags` satisfied")
	flags.BoolVar(&o.verbose, "v", false, "tell what is being done: packages, files, how long it took")
	flags.BoolVar(&o.version, "version", false, "print the version and exit")
	if err := parseFlags(flags, args); err != nil {
		return nil, err
	}
	if o.check && o.names {
		return nil, usageError("-check and -n exclude each other: give -check to fail if something would change, -n to see what")
	}
	o.patterns = flags.Args()
	return o, nil
}

// parseFlags parses args; package flag prints what is wrong with them.
func parseFlags(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		return usageError("")
	}
	return err
}
