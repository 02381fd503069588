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

	"github.com/resilgen/resilgen/generator"
)

// The exit statuses.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("resilgen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "usage: resilgen [flags] [packages]\n\nWrites wrappers for the annotated interfaces of the packages (default: .).\n\n")
		flags.PrintDefaults()
	}
	check := flags.Bool("check", false, "write nothing; print what would change as a unified diff and exit 1 if anything would")
	tags := flags.String("tags", "", "consider these comma-separated build `tags` satisfied")
	verbose := flags.Bool("v", false, "tell what is being done")
	version := flags.Bool("version", false, "print the version and exit")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case *version:
		fmt.Fprintln(stdout, "resilgen", buildVersion())
		return exitOK
	}
	logf := func(format string, args ...any) {}
	if *verbose {
		logf = func(format string, args ...any) { fmt.Fprintf(stderr, "resilgen: "+format+"\n", args...) }
	}
	cfg := generator.Config{Patterns: flags.Args(), Tags: *tags, Logf: logf}
	if err := generate(ctx, cfg, *check, stdout, stderr); err != nil {
		if !errors.Is(err, errReported) {
			fmt.Fprintln(stderr, "resilgen:", err)
		}
		return exitFailed
	}
	return exitOK
}

// errReported says that what is wrong has been printed already.
var errReported = errors.New("reported")

func generate(ctx context.Context, cfg generator.Config, check bool, stdout, stderr io.Writer) error {
	result, err := generator.Generate(ctx, cfg)
	if err != nil {
		return err
	}
	for _, d := range result.Diagnostics {
		fmt.Fprintln(stderr, d)
	}
	if result.Failed() {
		return errReported
	}
	if line := os.Getenv("GOLINE"); result.Interfaces == 0 && line != "" {
		fmt.Fprintf(stderr, "%s:%s: no interface is annotated here; put //resil: comments on an interface or remove this line\n",
			os.Getenv("GOFILE"), line)
	}
	stale := false
	for _, output := range result.Outputs {
		switch {
		case !output.Stale():
			continue
		case check:
			stale = true
			fmt.Fprint(stdout, output.Diff())
		case output.Removed():
			cfg.Logf("removing %s", output.Path)
			err = errors.Join(err, output.Write())
		default:
			cfg.Logf("writing %s", output.Path)
			err = errors.Join(err, output.Write())
		}
	}
	if stale {
		return errReported
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
