package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// A load is what a window of calls by some goroutines came to.
type load struct {
	perSecond float64 // permits
	p50, p99  float64 // microseconds that a call took
	script    float64 // microseconds of the server inside scripts, for each call of a script
	cpu       float64 // microseconds of the server's main thread, for each permit
}

// sampled says that the time of one call in so many is taken, as that costs time too.
const sampled = 4

// concurrencies are the numbers of goroutines that share one limiter.
var concurrencies = []int{1, 16, 64}

// loads measures each variant with each number of goroutines, once a round and in a new order.
func (b *bench) loads(ctx context.Context, all []*variant) error {
	for _, v := range all {
		for range 100 { // connections and scripts
			if err := v.acquire(ctx); err != nil {
				return fmt.Errorf("%s: %w", v.id, err)
			}
		}
	}
	for round := range b.rounds {
		fmt.Fprintf(b.progress, "calls: round %d of %d\n", round+1, b.rounds)
		for _, i := range rand.Perm(len(all)) {
			for _, goroutines := range concurrencies {
				l, err := b.load(ctx, all[i], goroutines)
				if err != nil {
					return fmt.Errorf("%s with %d goroutines: %w", all[i].id, goroutines, err)
				}
				key := measured{all[i].id, goroutines}
				b.found[key] = append(b.found[key], l)
			}
		}
	}
	return nil
}

// load has the goroutines call for a window. Calls that fail, which throttled's do under load, take no permit.
func (b *bench) load(ctx context.Context, v *variant, goroutines int) (load, error) {
	before, err := b.server.read(ctx, b.client)
	if err != nil {
		return load{}, err
	}
	var mu sync.Mutex
	var took []float64
	permits, start := 0, time.Now()
	var failure error
	var callers sync.WaitGroup
	for range goroutines {
		callers.Go(func() {
			own := make([]float64, 0, 4096)
			got := 0
			var failed error
			for calls := 0; ; calls++ {
				timed := calls%sampled == 0 && len(own) < cap(own)
				var began time.Time
				if calls%sampled == 0 {
					if began = time.Now(); began.Sub(start) >= b.window {
						break
					}
				}
				if err := v.acquire(ctx); err != nil {
					failed = err
					continue
				}
				got++
				if timed {
					own = append(own, float64(time.Since(began).Nanoseconds())/1e3)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			permits += got
			took = append(took, own...)
			if failed != nil {
				failure = failed
			}
		})
	}
	callers.Wait()
	elapsed := time.Since(start)
	after, err := b.server.read(ctx, b.client)
	switch {
	case err != nil:
		return load{}, err
	case permits == 0:
		return load{}, fmt.Errorf("no call got a permit: %w", failure)
	case failure != nil && v.id != "throttled":
		return load{}, failure
	}
	spent := after.since(before)
	slices.Sort(took)
	return load{
		perSecond: float64(permits) / elapsed.Seconds(),
		p50:       took[len(took)/2],
		p99:       took[len(took)*99/100],
		script:    microseconds(spent.script) / float64(max(spent.calls, 1)),
		cpu:       microseconds(spent.cpu) / float64(permits),
	}, nil
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// pipelined is how many calls of a script are sent at once when the script alone is measured.
const pipelined = 100

// scripts measures what a call of each variant's script takes inside the server, on one connection that is never idle.
func (b *bench) scripts(ctx context.Context, all []*variant) error {
	client := b.server.client(1)
	defer client.Close()
	for round := range b.rounds {
		fmt.Fprintf(b.progress, "scripts: round %d of %d\n", round+1, b.rounds)
		for _, i := range rand.Perm(len(all)) {
			v := all[i]
			if v.command == nil {
				continue
			}
			if err := v.acquire(ctx); err != nil { // so that there is a command, and a time to live
				return fmt.Errorf("%s: %w", v.id, err)
			}
			before, err := b.server.read(ctx, client)
			if err != nil {
				return err
			}
			for range 20 {
				if err := send(ctx, client, v); err != nil {
					return fmt.Errorf("%s: %w", v.id, err)
				}
			}
			after, err := b.server.read(ctx, client)
			if err != nil {
				return err
			}
			spent := after.since(before)
			b.script[v.id] = append(b.script[v.id], microseconds(spent.script)/float64(spent.calls))
		}
	}
	return nil
}

// send calls the variant's script some times in one pipeline.
func send(ctx context.Context, client *redis.Client, v *variant) error {
	pipe := client.Pipeline()
	for range pipelined {
		pipe.Do(ctx, v.command()...)
	}
	cmds, _ := pipe.Exec(ctx)
	for _, cmd := range cmds {
		if err := cmd.Err(); err != nil && err != redis.Nil { // nil is Redisson's grant
			return err
		}
	}
	return nil
}
