// Command redis measures the Redis limiter beside Redisson's algorithm and other libraries, in one interleaved run
// against a redis-server that it starts, and prints how they compare. With -markdown it writes the report too; make
// bench-redis does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/resilgen/resilgen/bench/page"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// measured says what was measured: a variant with so many goroutines.
type measured struct {
	id         string
	goroutines int
}

// bench is a run and what it has found so far.
type bench struct {
	rounds   int
	window   time.Duration
	progress io.Writer
	server   *server
	client   *redis.Client
	machine  page.Machine
	version  string // of Redis

	found    map[measured][]load
	script   map[string][]float64 // microseconds, by the variant's id
	bytes    map[string]float64   // of replication
	ours     []growth
	redisson []growth
	wait     map[string]wait
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	b := &bench{
		progress: stderr, machine: page.ThisMachine(),
		found: map[measured][]load{}, script: map[string][]float64{}, bytes: map[string]float64{}, wait: map[string]wait{},
	}
	flags := flag.NewFlagSet("redis", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&b.rounds, "rounds", 9, "how often each variant is measured")
	flags.DurationVar(&b.window, "window", 330*time.Millisecond, "how long a measurement lasts")
	markdown := flags.String("markdown", "", "write the report to this file as well")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	report, err := b.measure(ctx)
	if err == nil && *markdown != "" {
		err = os.WriteFile(*markdown, []byte(report), 0o644)
	}
	if err != nil {
		fmt.Fprintln(stderr, "redis:", err)
		return 1
	}
	_, _ = io.WriteString(stdout, report)
	return 0
}

// measure runs everything and returns the report.
func (b *bench) measure(ctx context.Context) (string, error) {
	switch {
	case b.rounds < 1:
		return "", fmt.Errorf("-rounds is %d; it must be at least 1", b.rounds)
	case b.window < 10*time.Millisecond:
		return "", fmt.Errorf("-window is %s; it must be at least 10ms", b.window)
	}
	var err error
	if b.server, err = startServer(ctx, nil); err != nil {
		return "", err
	}
	defer b.server.stop()
	b.client = b.server.client(4)
	defer b.client.Close()
	info, err := b.client.Info(ctx, "server").Result()
	if err != nil {
		return "", err
	}
	b.version = field(info, "redis_version")
	all, err := variants(ctx, b.server)
	if err != nil {
		return "", err
	}
	for _, step := range []func() error{
		func() error { return b.loads(ctx, all) },
		func() error { return b.scripts(ctx, all) },
		func() error { return b.growths(ctx) },
		func() error { return b.waits(ctx) },
		func() error { return b.replication(ctx, all) },
	} {
		if err := step(); err != nil {
			return "", err
		}
	}
	return b.report(all), nil
}
