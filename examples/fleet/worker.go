package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/resilgen/resilgen/examples/fleet/payments"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
	"github.com/resilgen/resilgen/runtime/resil"
)

// callers is how many goroutines of a process charge at the same time.
const callers = 8

// work is one process of the fleet: it charges as fast as the limit lets it, until it is killed.
func work(ctx context.Context, node, address, provider string) error {
	client := redis.NewClient(&redis.Options{Addr: address})
	defer client.Close()
	rt, err := resil.New(resil.WithLimiterBackend("redis", redislimiter.Backend(client)))
	if err != nil {
		return err
	}
	defer rt.Close()
	// Each caller keeps its connection: what is admitted at its time should not arrive later for the want of one.
	transport := &http.Transport{MaxIdleConnsPerHost: callers}
	defer transport.CloseIdleConnections()
	plain := &payments.HTTPClient{BaseURL: provider, Node: node, HTTP: &http.Client{Transport: transport}}
	charges, err := payments.NewResilientClient(plain, rt)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				order := node + "-" + strconv.Itoa(caller) + "-" + strconv.Itoa(n)
				if err := charges.Charge(ctx, order); err != nil {
					fmt.Fprintln(os.Stderr, node+":", err)
					return
				}
			}
		})
	}
	all.Wait()
	return ctx.Err()
}
