package limiter

import (
	"context"
	"math"
	"time"
)

// A Reservation holds permits whose time may be still to come. The zero value holds none and is due.
type Reservation struct {
	limiter *Limiter
	ticket  *ticket // nil: due
}

// Reserve takes n permits as Acquire does, but returns at once: the permits may be used when Wait of the reservation
// has come down to 0. It is refused what would have to wait for longer than timeoutDuration; errors are those of
// [Limiter.Acquire]. With a backend there are no reservations: what is not free is refused.
func (l *Limiter) Reserve(n int) (Reservation, error) {
	passes, err := l.passes(n)
	if passes || err != nil {
		return Reservation{}, err
	}
	permits := int64(n)
	if l.decider != nil {
		return Reservation{}, l.settle(permits, l.ask(context.Background(), permits, 0))
	}
	t, err := l.enter(context.Background(), permits, l.config.Load().TimeoutDuration, false)
	if err = l.settle(permits, err); t == nil {
		return Reservation{}, err
	}
	return Reservation{l, t}, nil
}

// Wait returns how long it takes from now until the permits may be used; 0 means now. It shrinks with time and when
// somebody further ahead gives up. A change of settings may have made it longer, so whoever has slept asks again;
// where the new settings never allow so many permits it is the longest time.Duration.
func (r Reservation) Wait() time.Duration {
	if r.ticket == nil {
		return 0
	}
	l := r.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.catchUp()
	switch r.ticket.fate {
	case gone, withdrawn:
		return 0
	case refused:
		return math.MaxInt64
	}
	at, possible := l.ledger.when(l.queue.ahead(r.ticket), r.ticket.permits)
	if !possible {
		return math.MaxInt64
	}
	return until(now, at)
}

// Cancel gives the permits back: those who wait behind them move up. It reports false for permits whose time has
// come: they count as used, and nothing is given back. Calling it again does nothing.
func (r Reservation) Cancel() bool {
	if r.ticket == nil {
		return false
	}
	r.limiter.withdraw(r.ticket)
	return r.ticket.fate != gone
}
