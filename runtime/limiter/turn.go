package limiter

import (
	"fmt"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// catchUp reads the clock and lets go whoever is due. What is done with the ledger under the mutex begins with it.
func (l *Limiter) catchUp() policy.Instant {
	now := l.ledger.read()
	c, ok := l.ledger.(*cycle)
	if now < l.newest || ok && c.worn(now) {
		l.replace(l.config.Load())
		now = l.ledger.read()
	}
	l.newest = now
	l.letGo(now)
	return now
}

// letGo takes out of the queue whoever is due.
func (l *Limiter) letGo(now policy.Instant) {
	for t := l.queue.first; t != nil; t = l.queue.first {
		if at, possible := l.ledger.when(0, t.permits); !possible || at > now {
			break
		}
		l.ledger.pop(t.permits)
		l.queue.remove(t, gone)
	}
	l.ledger.settle(now, l.queue.empty())
}

// arm sets the timer for the head of the queue.
func (l *Limiter) arm(now policy.Instant) {
	if l.queue.empty() {
		if l.timer != nil {
			l.timer.Stop()
			l.timer = nil
		}
		return
	}
	at, possible := l.ledger.when(0, l.queue.first.permits)
	if !possible {
		return
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(at.Sub(now), l.tick)
		return
	}
	l.timer.Reset(at.Sub(now))
}

func (l *Limiter) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arm(l.catchUp())
}

// withdraw takes t out of the queue, unless its time has come.
func (l *Limiter) withdraw(t *ticket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(t, withdrawn)
}

// leave is withdraw with the mutex held. Those behind t move up.
func (l *Limiter) leave(t *ticket, why fate) {
	for {
		now := l.catchUp()
		if t.fate != queued {
			return
		}
		if l.ledger.drop(now, t.permits, t.prev == nil) {
			break
		}
	}
	l.queue.remove(t, why)
	l.letGo(l.newest)
	l.arm(l.newest)
}

// Reconfigure replaces the settings. A new limit holds from then on: what the running cycle, the last period or the
// burst has let pass counts against it. Those who wait keep their order and their time, are planned anew as if they
// had asked just now, and are refused if their permits do not come in what is left of their time. With another period
// a cycle begins; Sliding does not remember what was longer ago than the old period. The backend cannot be changed.
func (l *Limiter) Reconfigure(config Config) error {
	if err := config.Validate(); err != nil {
		return fmt.Errorf("ratelimiter %q: %w", l.name, err)
	}
	l.changing.Lock()
	defer l.changing.Unlock()
	if old := l.config.Load().Backend; config.Backend != old {
		return fmt.Errorf("ratelimiter %q: backend is %q; it must stay %q as long as the instance lives",
			l.name, config.Backend, old)
	}
	if l.decider != nil {
		if err := l.decider.Reconfigure(config); err != nil {
			return fmt.Errorf("ratelimiter %q: %w", l.name, err)
		}
		l.config.Store(&config)
		return nil
	}
	if err := config.CheckBackend(); err != nil {
		return fmt.Errorf("ratelimiter %q: %w", l.name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if config.limitsLike(l.config.Load()) {
		l.config.Store(&config)
		return nil
	}
	l.catchUp()
	l.replace(&config)
	return nil
}

// replace puts config in force, with a new ledger.
func (l *Limiter) replace(config *Config) {
	now := l.ledger.read()
	if c, ok := l.ledger.(*cycle); ok {
		now = c.seal()
	}
	if now < l.newest { // out of, or into, a synctest bubble, in which it is another year
		l.ledger = newLedger(config, &l.queue, now, 0, &l.counters.admitted)
	} else {
		l.letGo(now)
		l.ledger = successor(l.ledger, config, &l.queue, now, &l.counters.admitted)
	}
	l.newest = now
	l.config.Store(config)
	l.planAnew(now)
	l.arm(now)
	l.showFast(config)
}

// planAnew brings those in the queue into a new ledger.
func (l *Limiter) planAnew(now policy.Instant) {
	t := l.queue.first
	l.queue = queue{}
	l.ledger.settle(now, true)
	for t != nil {
		next := t.next
		t.prev, t.next = nil, nil
		at, possible := l.ledger.when(l.queue.permits, t.permits)
		switch {
		case !l.config.Load().Enabled:
			t.end(gone)
		case !possible || t.done != nil && at > t.latest:
			t.end(refused)
		default:
			l.ledger.push(l.queue.permits, t.permits) // nobody else has the ledger yet
			l.queue.add(t)
		}
		t = next
	}
	l.letGo(now)
}

// showFast makes the ledger known to those who take permits without the mutex, if it is one that lets them.
func (l *Limiter) showFast(config *Config) {
	c, ok := l.ledger.(*cycle)
	if !ok || !config.Enabled {
		c = nil
	}
	l.fast.Store(c)
}
