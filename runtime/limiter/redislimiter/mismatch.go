package redislimiter

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// A listener is told of rates that differ.
type listener func(RateMismatch)

// tell calls the listener. A panic there is reported and ends nothing.
func (l listener) tell(m RateMismatch) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("redislimiter: the listener for rate mismatches panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	l(m)
}

// A RateMismatch says that Redis had another rate for a name than a limiter brought with it.
type RateMismatch struct {
	Name        string
	Here, There Config // the limiter's own, and that of Redis
	Overwritten bool   // the limiter's own is in force now; else that of Redis stays
}

func (m RateMismatch) String() string {
	kept := m.There
	if m.Overwritten {
		kept = m.Here
	}
	return fmt.Sprintf("redislimiter %q: the rate here is %v %v, in Redis it was %v %v; %v is in force", m.Name,
		m.Here.RateType, m.Here.limits(), m.There.RateType, m.There.limits(), kept.limits())
}
