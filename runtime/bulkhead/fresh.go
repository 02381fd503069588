package bulkhead

import "time"

// Fresh reports whether the bulkhead is like a new one, so that nothing but its counters is lost if a new one takes its
// place: no call is under way or waits, and nobody listens. How long nobody has used it, idle, does not
// matter.
func (b *Bulkhead) Fresh(time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.slots.underWay() == 0 && b.queue.first == nil && !b.listeners.Any()
}

// Fresh reports whether the pool is like a new one but for goroutines that are idle: no call is under way or waits, and
// nobody listens. How long nobody has used it, idle, does not matter.
func (p *Pool) Fresh(time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workers == len(p.idle) && p.queue.first == nil && !p.listeners.Any()
}
