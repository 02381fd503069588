package policy

import "time"

// An Instant is a point of monotonic time, in nanoseconds since a base that is fixed when the process starts. Two
// instants of one process can be compared and subtracted; the number itself means nothing, and it is negative inside a
// testing/synctest bubble, whose clock stands before the base. A step of the wall clock does not move it.
type Instant int64

var base = time.Now()

// Now returns the current instant. It reads the monotonic clock only, which costs about half of a time.Now.
func Now() Instant { return Instant(time.Since(base)) }

// Add returns the instant that is d after i.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d) }

// Sub returns the time from earlier to i.
func (i Instant) Sub(earlier Instant) time.Duration { return time.Duration(i - earlier) }
