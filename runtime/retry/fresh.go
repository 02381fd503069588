package retry

import "time"

// Fresh reports whether the Retry is like a new one, so that nothing but its counters is lost if a new one takes its
// place: no call waits for its next attempt, and nobody listens. How long nobody has used it, idle, does not matter.
func (r *Retry) Fresh(time.Duration) bool { return r.waiting.Load() == 0 && !r.listeners.Any() }
