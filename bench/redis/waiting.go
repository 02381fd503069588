package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// A wait is what it comes to that many goroutines block on one limiter.
type wait struct {
	callsPerGrant float64
	least, most   int // grants that a goroutine got
	longest       time.Duration
}

const (
	waiters    = 64
	waitRate   = 50
	waitPeriod = 500 * time.Millisecond
	waitLength = 6 * time.Second
)

// waits measures 64 goroutines that block on 50 permits in 500 ms, which come back one after the other.
func (b *bench) waits(ctx context.Context) error {
	fmt.Fprintf(b.progress, "waiting: %d goroutines, %s each\n", waiters, waitLength)
	client := b.server.client(waiters)
	defer client.Close()
	l, err := redislimiter.New(client, "waiting",
		redislimiter.WithLimitForPeriod(waitRate), redislimiter.WithLimitRefreshPeriod(waitPeriod))
	if err != nil {
		return err
	}
	defer l.Close()
	if b.wait[ours], err = b.blocked(ctx, func(ctx context.Context) error { return l.Acquire(ctx, 1) }); err != nil {
		return fmt.Errorf("ours: %w", err)
	}
	r, err := newRedisson(ctx, client, "waiting-redisson", waitRate, waitPeriod)
	if err != nil {
		return err
	}
	if err := redissonScript.Load(ctx, client).Err(); err != nil {
		return err
	}
	if b.wait[redisson1], err = b.blocked(ctx, r.block); err != nil {
		return fmt.Errorf("the script of Redisson: %w", err)
	}
	return nil
}

// blocked has the goroutines acquire permits, and counts.
func (b *bench) blocked(ctx context.Context, acquire func(context.Context) error) (wait, error) {
	for range waitRate { // so that they come back one after the other
		if err := acquire(ctx); err != nil {
			return wait{}, err
		}
		time.Sleep(waitPeriod / waitRate)
	}
	before, err := b.server.read(ctx, b.client)
	if err != nil {
		return wait{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, waitLength)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	var failure error
	w, grants := wait{least: 1 << 30}, 0
	for range waiters {
		all.Go(func() {
			got, longest := 0, time.Duration(0)
			for {
				began := time.Now()
				err := acquire(ctx)
				if err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
					mu.Lock()
					failure = err
					mu.Unlock()
				}
				if err != nil {
					break
				}
				got++
				longest = max(longest, time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			grants += got
			w.least, w.most, w.longest = min(w.least, got), max(w.most, got), max(w.longest, longest)
		})
	}
	all.Wait()
	if failure != nil {
		return w, failure
	}
	after, err := b.server.read(context.WithoutCancel(ctx), b.client)
	if err != nil {
		return w, err
	}
	if grants == 0 {
		return w, errors.New("nobody got a permit")
	}
	w.callsPerGrant = float64(after.since(before).calls) / float64(grants)
	return w, nil
}
