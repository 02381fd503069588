package timelimiter

import "time"

// Fresh reports whether the TimeLimiter is like a new one, so that nothing but its counters is lost if a new one takes its
// place: nobody listens. How long nobody has used it, idle, does not matter; calls under way go on by themselves.
func (l *TimeLimiter) Fresh(time.Duration) bool { return !l.listeners.Any() }
