// Fleet shows how processes share a rate limit: it starts a payment provider, a Redis and three processes, which charge
// as fast as they may, and prints each second how many requests the provider got from whom. The provider allows 100 a
// second. Half way through, one of the processes is killed, and the other two take over its part. What is admitted in one
// second may arrive in the next, so that the account shows a few more or less on a machine that is busy.
//
//	go run ./examples/fleet
//
// With -redis it uses a Redis that is running already, and otherwise starts a redis-server of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// nodes is how many processes share the limit.
const nodes = 3

func main() {
	address := flag.String("redis", "", "address of a Redis to use; empty to start one")
	seconds := flag.Int("seconds", 6, "how long to run")
	node := flag.String("node", "", "be this process of the fleet (the program starts itself so)")
	provider := flag.String("provider", "", "where the provider is, for a process of the fleet")
	flag.Parse()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err error
	if *node != "" {
		err = work(ctx, *node, *address, *provider)
	} else {
		err = run(ctx, os.Stdout, *address, *seconds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// run plays the whole scene and prints the account.
func run(ctx context.Context, out io.Writer, address string, seconds int) error {
	if address == "" {
		stop, started, err := startRedis(ctx)
		if err != nil {
			return err
		}
		defer stop()
		address = started
	}
	ledger := new(ledger)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	provider := &http.Server{Handler: http.HandlerFunc(ledger.charge)}
	go provider.Serve(listener)
	defer provider.Close()

	self, err := os.Executable()
	if err != nil {
		return err
	}
	var fleet []*exec.Cmd
	defer func() {
		for _, process := range fleet {
			_ = process.Process.Kill()
			_ = process.Wait()
		}
	}()
	for n := range nodes {
		process := exec.CommandContext(ctx, self, "-node", "node-"+strconv.Itoa(n+1), "-redis", address,
			"-provider", "http://"+listener.Addr().String())
		process.Stderr = os.Stderr
		if err := process.Start(); err != nil {
			return err
		}
		fleet = append(fleet, process)
	}
	ledger.awaitFirst(ctx)

	fmt.Fprintf(out, "%d processes share a limit of 100 requests a second.\n\n", nodes)
	fmt.Fprintln(out, "second   node-1   node-2   node-3   together")
	all := 0
	for second := 1; second <= seconds; second++ {
		if second == seconds/2+1 {
			_ = fleet[0].Process.Kill()
			fmt.Fprintln(out, "         node-1 is killed")
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		counted := ledger.take()
		together := 0
		fmt.Fprintf(out, "%6d", second)
		for n := range nodes {
			count := counted["node-"+strconv.Itoa(n+1)]
			together += count
			fmt.Fprintf(out, "%9d", count)
		}
		fmt.Fprintf(out, "%11d\n", together)
		all += together
	}
	fmt.Fprintf(out, "\nThe provider got %d requests in %d seconds.\n", all, seconds)
	return nil
}

// startRedis starts a redis-server that keeps nothing, on a free port.
func startRedis(ctx context.Context) (stop func(), address string, err error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, "", errors.New("there is no redis-server on this machine; install it, as in apt-get install redis-server, " +
			"or give the address of a Redis with -redis")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	address = listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	_ = listener.Close()
	folder, err := os.MkdirTemp("", "fleet-")
	if err != nil {
		return nil, "", err
	}
	process := exec.CommandContext(ctx, path, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", folder)
	stop = func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		_ = os.RemoveAll(folder)
	}
	if err := process.Start(); err != nil {
		_ = os.RemoveAll(folder)
		return nil, "", err
	}
	client := redis.NewClient(&redis.Options{Addr: address})
	defer client.Close()
	for wait := time.Millisecond; ; wait *= 2 {
		if err = client.Ping(ctx).Err(); err == nil {
			return stop, address, nil
		}
		if wait > 2*time.Second {
			stop()
			return nil, "", fmt.Errorf("redis-server does not answer: %w", err)
		}
		time.Sleep(wait)
	}
}
