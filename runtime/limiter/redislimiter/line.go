package redislimiter

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

const (
	maxRuns  = 64   // of a call
	maxBatch = 8192 // requests of a call
	forever  = policy.Instant(math.MaxInt64)
)

// A line is where the acquisitions of this process stand that go to one limiter, in the order in which they came. While
// there are any, one goroutine, the poller, makes calls: each carries all that stand there and can be told apart by
// Redis, so that those who come while a call is under way ride the next one together. Where the first in line has to
// wait, the poller sleeps until its permits are back, and nobody behind it is asked for.
type line struct {
	decide  func(ctx context.Context, runs []run) (answer, error) // asks Redis
	restore func(n int64, stamps []int64)                         // gives back what nobody wants any more
	gate    *gate
	timeout time.Duration // of a call
	bounded bool          // the client keeps to the deadline of a context
	cached  time.Duration // for how long a refusal is believed
	fault   func(kind, cause error) error

	mu      sync.Mutex
	queue   []*request
	spare   []*request // room for the next queue, of whoever makes the calls
	polling bool
	crowded bool // the last call carried several, who come back together
	flight  *flight
	late    chan struct{} // closed when a flight takes too long, then made anew
	watch   *time.Timer   // fires when a flight takes too long; nil until the first
	armed   bool
	closed  error
	wake    chan struct{}  // to the poller, which sleeps
	asleep  policy.Instant // until when it sleeps, 0 if it does not
	next    policy.Instant // before which the first in line need not ask
	roused  policy.Instant // when it slept last
	refused int64          // a refusal is believed for so many permits or more,
	until   policy.Instant // until then
	again   policy.Instant // and is to be tried again then
}

// A request stands in line. The line's mutex guards it until it is answered; after that it is used again, in any line.
type request struct {
	permits int64
	since   policy.Instant // from when its time for one call counts
	until   policy.Instant // how long it waits for permits; 0: not at all
	flying  bool
	left    bool         // nobody waits for the answer
	done    chan verdict // has room for the answer
}

// A verdict is what a request gets.
type verdict struct {
	granted bool
	wait    time.Duration // after a refusal: not before that
	exceeds int64
	err     error
}

// idle keeps requests that were answered, with their channels.
var idle = sync.Pool{New: func() any { return &request{done: make(chan verdict, 1)} }}

// receive waits for the answer, with which nobody else knows the request any more.
func (r *request) receive() verdict {
	v := <-r.done
	idle.Put(r)
	return v
}

// A due is a context with a deadline that ends when the line's timer says so, which spares one for each call.
type due struct {
	context.Context
	at   time.Time
	late <-chan struct{}
}

func (d due) Deadline() (time.Time, bool) { return d.at, true }
func (d due) Done() <-chan struct{}       { return d.late }

func (d due) Err() error {
	select {
	case <-d.late:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A flight is a call under way.
type flight struct {
	requests []*request // another call's as soon as the flight is over
	runs     []run      // what they want
	departed policy.Instant
	deadline policy.Instant
	late     <-chan struct{}
}

// context returns what the call is made with.
func (f *flight) context() context.Context {
	return due{context.Background(), time.Now().Add(f.deadline.Sub(f.departed)), f.late}
}

// acquire stands in line for n permits until they are granted or refused, or ctx ends, or the line is closed.
func (l *line) acquire(ctx context.Context, n int64, wait time.Duration) verdict {
	r, leads, v := l.enter(n, wait)
	if r == nil {
		return v
	}
	if leads {
		l.lead()
	}
	if ctx.Done() == nil {
		return r.receive()
	}
	select {
	case v := <-r.done:
		idle.Put(r)
		return v
	case <-ctx.Done():
	}
	if l.leave(r) {
		return verdict{err: ctx.Err()}
	}
	return r.receive()
}

// enter puts a request in line, or says at once what it gets. It reports whether the caller is to make the call itself.
func (l *line) enter(n int64, wait time.Duration) (r *request, leads bool, v verdict) {
	if l.gate.shut() {
		return nil, false, verdict{err: l.fault(ErrUnavailable, errShut)}
	}
	now, until := policy.Now(), policy.Instant(0)
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait > 0 && l.closed == nil {
		if until = forever; wait < time.Duration(forever-now) {
			until = now.Add(wait)
		}
	}
	first, possible := l.earliest(n, until, now)
	if !possible {
		return nil, false, verdict{wait: first.Sub(now)}
	}
	if len(l.queue) == 0 && l.next != 0 { // that was for somebody who has left
		l.next = 0
		l.rouse()
	}
	r, _ = idle.Get().(*request)
	r.permits, r.since, r.until = n, now, until
	l.queue = append(l.queue, r)
	switch {
	case !l.polling:
		l.polling = true
		if leads = l.bounded; !leads {
			go l.poll()
		}
	case l.asleep != 0 && until < l.asleep:
		l.rouse()
	}
	return r, leads, verdict{}
}

// earliest returns before when a request for n permits that comes now cannot be granted, and whether it can be in its time.
func (l *line) earliest(n int64, until, now policy.Instant) (policy.Instant, bool) {
	first := now
	if now < l.until && n >= l.refused {
		first = l.again
	}
	if len(l.queue) > 0 {
		first = max(first, l.next)
	}
	return first, first <= max(now, until)
}

// leave takes a request out of line whose caller has gone, and reports whether it was not answered yet.
func (l *line) leave(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.flying {
		r.left = true
		return true
	}
	i := slices.Index(l.queue, r)
	if i < 0 {
		return false
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	if i == 0 {
		l.next = 0 // whoever is first now may want less
		l.rouse()
	}
	return true
}

// changed makes the first in line ask at once, as permits may be back before their time.
func (l *line) changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next, l.until = 0, 0
	l.rouse()
}

// rouse wakes the poller, if it sleeps.
func (l *line) rouse() {
	if l.asleep != 0 {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// close answers all who wait with err, those of a call under way when it has landed without permits for them. Those who
// come later do not wait.
func (l *line) close(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed != nil {
		return
	}
	l.closed = err
	l.queue = slices.DeleteFunc(l.queue, func(r *request) bool {
		waits := r.until != 0
		if waits {
			r.done <- verdict{err: err}
		}
		return waits
	})
	l.rouse()
}

// empty reports whether nobody stands in line.
func (l *line) empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) == 0
}
