package redislimiter

import (
	"context"
	"time"
)

// A store is a layout of limiters in Redis, with the scripts for it. Its methods make one round trip each, or two where
// a script or the settings were unknown, and may be called by several goroutines at once. Numbers have been checked. An
// error is one of go-redis, or of this package.
type store interface {
	// acquire grants requests in order until one does not fit.
	acquire(ctx context.Context, runs []run, ahead time.Duration) (answer, error)
	// reserve takes n permits whose time may be still to come, if that is not later than longest.
	reserve(ctx context.Context, n int64, longest time.Duration) (answer, error)
	// release gives back n permits, of those taken with the stamps or, if there are none, of the newest.
	release(ctx context.Context, n int64, stamps []int64) (int64, error)
	// available returns how many permits are left. It writes nothing.
	available(ctx context.Context) (int64, error)
	// configure writes settings as mode says. It reports what settings there were, nil for none, and whether it wrote.
	configure(ctx context.Context, mode mode, config Config) (before *Config, wrote bool, err error)
	// config returns the settings, or ErrNotInitialized.
	config(ctx context.Context) (Config, error)
	// remove deletes the keys and reports whether there were any.
	remove(ctx context.Context) (bool, error)
	exists(ctx context.Context) (bool, error)
	// expire sets when the keys go, whatever happens until then, and reports whether there are any.
	expire(ctx context.Context, after time.Duration) (bool, error)
	// persist takes that back and reports whether it was so.
	persist(ctx context.Context) (bool, error)
	// ttl returns when the keys go: negative if there are none.
	ttl(ctx context.Context) (time.Duration, error)
}

// A run is requests that ask for the same number of permits, one after the other.
type run struct {
	permits  int64
	requests int
}

// An answer is what became of requests.
type answer struct {
	granted int           // so many of them, from the first
	wait    time.Duration // if not all are: how long until the next one can be
	exceeds int64         // if not 0: the rate that the next one exceeds
	stamps  []int64       // of what was granted, one for each limit
}

// A mode says what becomes of settings that are there already.
type mode string

const (
	try       mode = "try"       // they stay
	set       mode = "set"       // they go, and what is taken with them
	keep      mode = "keep"      // they go; what is taken stays so
	update    mode = "update"    // as set, if there are any; else nothing is written
	renew     mode = "renew"     // as keep, if there are any; else nothing is written
	overwrite mode = "overwrite" // as keep, if they differ
)
