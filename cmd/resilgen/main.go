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
		case "explain":
			return explainPackages(ctx, args[1:], stdout, stderr)
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
