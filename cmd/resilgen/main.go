package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
)

// The exit statuses.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// gcPercent lets the heap grow further than by default before it is collected: the process is over in a moment.
const gcPercent = 300

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := command(ctx, args, stdout, stderr)
	usage := usageError("")
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case errors.As(err, &usage):
		if usage != "" { // or else package flag has said what is wrong
			fmt.Fprintf(stderr, "resilgen: %s\n", usage)
		}
		return exitUsage
	}
	fmt.Fprintln(stderr, "resilgen:", err)
	return exitFailed
}

// A usageError says what is wrong with the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

// errReported says that what is wrong has been printed already.
var errReported = errors.New("reported")

func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "help":
			return help(args[1:], stdout)
		case "directives":
			return directives(args[1:], stdout, stderr)
		}
	}
	o, err := parseOptions(args, stderr)
	switch {
	case err != nil:
		return err
	case o.version:
		fmt.Fprintln(stdout, "resilgen", buildVersion())
		return nil
	}
	return generate(ctx, o, stdout, stderr)
}

// options are the command line.
type options struct {
	check, json, names, verbose, version bool
	tags, out                            string
	patterns                             []string
}

const usage = `usage: resilgen [flags] [packages]
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

// buildVersion returns the module version that the binary was built from, and the revision where that is known.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	version := info.Main.Version
	for _, dep := range info.Deps { // built as a tool of another module
		if dep.Path == "github.com/resilgen/resilgen" {
			version = dep.Version
		}
	}
	return version + " " + info.GoVersion
}
