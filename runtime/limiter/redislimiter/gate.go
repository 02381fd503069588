package redislimiter

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

const (
	tolerated   = 3 // failures in a row before the gate shuts
	minCooldown = 100 * time.Millisecond
	maxCooldown = time.Second
)

// A gate stands in front of a Redis that fails: it is shut after a few failures in a row, so that calls are answered at
// once and not after a timeout each. From time to time one call is let through to see.
type gate struct {
	failures atomic.Int32 // in a row; the mutex is not taken to read it while Redis is well

	mu       sync.Mutex // to change the above and all below
	cooldown time.Duration
	opens    policy.Instant // when the next call may try, while shut
	trying   bool
}

// shut reports whether a call that comes now is to be refused.
func (g *gate) shut() bool {
	if g.failures.Load() < tolerated {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failures.Load() >= tolerated && (g.trying || policy.Now() < g.opens)
}

// pass asks to make a call, of which the outcome is then told; it reports whether it may be made.
func (g *gate) pass() bool {
	if g.failures.Load() < tolerated {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failures.Load() < tolerated {
		return true
	}
	if g.trying || policy.Now() < g.opens {
		return false
	}
	g.trying = true
	return true
}

// tell says how a call went.
func (g *gate) tell(failed bool) {
	if !failed && g.failures.Load() == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.trying = false
	if !failed {
		g.failures.Store(0)
		g.cooldown = 0
		return
	}
	if g.failures.Add(1) >= tolerated {
		g.cooldown = min(max(2*g.cooldown, minCooldown), maxCooldown)
		g.opens = policy.Now() + policy.Instant(g.cooldown)
	}
}

// drop says that a call ended without telling anything.
func (g *gate) drop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.trying = false
}
