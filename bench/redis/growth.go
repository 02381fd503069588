package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/resilgen/resilgen/bench/measure"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// A growth is what a limiter comes to whose window holds many acquisitions.
type growth struct {
	window int     // acquisitions that should be live
	live   float64 // that were
	memory float64 // bytes of all its keys
	grant  float64 // microseconds of the server for a grant in the full window
	sweep  float64 // microseconds of the server for the call that finds all of them expired, the longest
}

// repeats is how often the call is made that finds a whole window expired.
const repeats = 3

// growths measures ours and Redisson's at each size of the window.
func (b *bench) growths(ctx context.Context) error {
	for _, window := range windows {
		fmt.Fprintf(b.progress, "windows: %d live acquisitions\n", window)
		own, err := b.growOurs(ctx, window)
		if err != nil {
			return fmt.Errorf("ours with %d live acquisitions: %w", window, err)
		}
		b.ours = append(b.ours, own)
		theirs, err := b.growRedisson(ctx, window)
		if err != nil {
			return fmt.Errorf("the script of Redisson with %d live acquisitions: %w", window, err)
		}
		b.redisson = append(b.redisson, theirs)
	}
	return nil
}

// growOurs spreads the acquisitions over most of an interval, so that as many of its buckets are in use as can be.
func (b *bench) growOurs(ctx context.Context, window int) (growth, error) {
	const interval = time.Second
	g := growth{window: window}
	name := "window-" + strconv.Itoa(window)
	client := b.server.client(64)
	defer client.Close()
	l, err := redislimiter.New(client, name,
		redislimiter.WithLimitForPeriod(plenty), redislimiter.WithLimitRefreshPeriod(interval))
	if err != nil {
		return g, err
	}
	defer l.Close()
	for range repeats {
		if err := spread(ctx, l, window, interval*9/10); err != nil {
			return g, err
		}
		left, err := l.AvailablePermits(ctx)
		if err != nil {
			return g, err
		}
		g.live = max(g.live, float64(plenty-left))
		bytes, err := memory(ctx, client, "*"+name+"*")
		if err != nil {
			return g, err
		}
		g.memory = max(g.memory, float64(bytes))
		grant, err := b.once(ctx, func() error { return granted(l.TryAcquire(ctx, 1)) })
		if err != nil {
			return g, err
		}
		time.Sleep(interval + interval/10)
		sweep, err := b.once(ctx, func() error { return granted(l.TryAcquire(ctx, 1)) })
		if err != nil {
			return g, err
		}
		g.grant, g.sweep = max(g.grant, grant), max(g.sweep, sweep)
	}
	return g, nil
}

// spread makes n acquisitions of one permit, evenly over a time.
func spread(ctx context.Context, l *redislimiter.RateLimiter, n int, over time.Duration) error {
	const callers = 64
	start := time.Now()
	errs := make(chan error, callers)
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := c; i < n; i += callers {
				time.Sleep(time.Until(start.Add(over * time.Duration(i) / time.Duration(n))))
				if err := granted(l.TryAcquire(ctx, 1)); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

func (b *bench) growRedisson(ctx context.Context, window int) (growth, error) {
	g := growth{window: window}
	var grants []float64
	for i := range repeats {
		name := fmt.Sprintf("sweep-%d-%d", window, i)
		r, err := newRedissonWithWindow(ctx, b.client, name, window)
		if err != nil {
			return g, err
		}
		live, err := b.client.ZCard(ctx, r.keys[3]).Result()
		if err != nil {
			return g, err
		}
		bytes, err := memory(ctx, b.client, "*"+name+"*")
		if err != nil {
			return g, err
		}
		g.live, g.memory = float64(live), float64(bytes)
		call := func() error {
			wait, err := r.acquire(ctx)
			return granted(wait == 0, err)
		}
		grant, err := b.once(ctx, call)
		if err != nil {
			return g, err
		}
		grants = append(grants, grant)
		later := r.now() + int64(window)
		r.now = func() int64 { return later }
		sweep, err := b.once(ctx, call)
		if err != nil {
			return g, err
		}
		g.sweep = max(g.sweep, sweep)
		if err := b.client.Del(ctx, r.keys...).Err(); err != nil {
			return g, err
		}
	}
	g.grant = measure.Median(grants)
	return g, nil
}

// once makes a call and returns the microseconds that the server spent in scripts for it.
func (b *bench) once(ctx context.Context, call func() error) (float64, error) {
	before, err := b.server.read(ctx, b.client)
	if err != nil {
		return 0, err
	}
	if err := call(); err != nil {
		return 0, err
	}
	after, err := b.server.read(ctx, b.client)
	return microseconds(after.since(before).script), err
}

// replication measures the bytes that a grant writes for replicas, calls coming one after the other.
func (b *bench) replication(ctx context.Context, all []*variant) error {
	fmt.Fprintln(b.progress, "replication")
	replica, err := startServer(ctx, b.server)
	if err != nil {
		return err
	}
	defer replica.stop()
	if err := b.inSync(ctx); err != nil {
		return err
	}
	const grants = 2000
	for _, v := range all {
		before, err := replicated(ctx, b.client)
		if err != nil {
			return err
		}
		for range grants {
			if err := v.acquire(ctx); err != nil {
				return fmt.Errorf("%s: %w", v.id, err)
			}
		}
		after, err := replicated(ctx, b.client)
		if err != nil {
			return err
		}
		b.bytes[v.id] = float64(after-before) / grants
	}
	return nil
}

// inSync waits until the replica has all that there is.
func (b *bench) inSync(ctx context.Context) error {
	for wait := time.Millisecond; wait < 10*time.Second; wait *= 2 {
		info, err := b.client.Info(ctx, "replication").Result()
		if err != nil {
			return err
		}
		if strings.Contains(field(info, "slave0"), "state=online") {
			return nil
		}
		time.Sleep(wait)
	}
	return errors.New("the replica does not come in sync")
}
