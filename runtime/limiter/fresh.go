package limiter

import "time"

// Fresh reports whether the Limiter, which nobody has used for idle, is like a new one, so that nothing but its counters
// is lost if a new one takes its place: it is full, idle is longer than its period, no call waits, nothing is reserved,
// and nobody listens. What a backend knows stays there; with one, no call waits for its answer.
func (l *Limiter) Fresh(idle time.Duration) bool {
	if l.listeners.Any() {
		return false
	}
	if l.decider != nil {
		return l.asking.Load() == 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.catchUp()
	return l.queue.empty() && idle > l.config.Load().LimitRefreshPeriod && l.ledger.used(now, 0) == 0
}
