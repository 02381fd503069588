package redislimiter

import (
	"runtime"
	"slices"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// lead makes the first call on the goroutine of who came first, which spares the way to another one. The client keeps
// the call within its time. If more is to be done then, a poller does it.
func (l *line) lead() {
	f := l.depart()
	if f == nil {
		return
	}
	a, err := l.decide(f.context(), f.runs)
	if !l.land(f, a, err) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.polling = len(l.queue) > 0; l.polling {
		go l.poll()
	}
}

// poll makes calls until nobody stands in line.
func (l *line) poll() {
	for {
		f := l.depart()
		if f == nil {
			return
		}
		a, err := l.decide(f.context(), f.runs)
		if !l.land(f, a, err) {
			return
		}
	}
}

// depart waits until somebody has to ask and returns the call for them, or nil, when the poller ends.
func (l *line) depart() *flight {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.crowded { // those who were answered last may come back: let them, so that they ride together
		l.mu.Unlock()
		runtime.Gosched()
		l.mu.Lock()
	}
	for {
		now := policy.Now()
		l.dismiss(now)
		if len(l.queue) == 0 {
			l.polling = false
			return nil
		}
		if now < l.next {
			l.sleep(now)
			continue
		}
		if !l.gate.pass() {
			for _, r := range l.queue {
				r.done <- verdict{err: l.fault(ErrUnavailable, errShut)}
			}
			l.queue, l.polling = nil, false
			return nil
		}
		return l.board(now)
	}
}

// dismiss answers those in line whose time is over.
func (l *line) dismiss(now policy.Instant) {
	l.queue = slices.DeleteFunc(l.queue, func(r *request) bool {
		over := r.until != 0 && r.until <= now && l.next > now
		if over {
			r.done <- verdict{wait: l.next.Sub(now)}
		}
		return over
	})
}

// sleep waits until the first in line can be granted, or somebody's time is over, or the line has changed.
func (l *line) sleep(now policy.Instant) {
	until := l.next
	for _, r := range l.queue {
		if r.until != 0 {
			until = min(until, r.until)
		}
	}
	l.asleep = until
	l.mu.Unlock()
	timer := time.NewTimer(until.Sub(now))
	select {
	case <-timer.C:
	case <-l.wake:
		timer.Stop()
	}
	l.mu.Lock()
	l.asleep, l.roused = 0, policy.Now()
	select {
	case <-l.wake:
	default:
	}
}

// board makes a call of those in line.
func (l *line) board(now policy.Instant) *flight {
	n, runs := 0, 0
	if l.late == nil {
		l.late = make(chan struct{})
	}
	f := &flight{departed: now, deadline: forever, late: l.late}
	for n < len(l.queue) && n < maxBatch {
		r := l.queue[n]
		if n == 0 || r.permits != l.queue[n-1].permits {
			if runs++; runs > maxRuns {
				break
			}
		}
		if r.until != 0 {
			r.since = max(r.since, l.roused) // time counts from when it is asked for
		}
		r.flying = true
		f.deadline = min(f.deadline, r.since.Add(l.timeout))
		n++
	}
	f.deadline = max(f.deadline, now.Add(time.Millisecond))
	f.requests = l.queue[:n:n]
	f.runs = runsOf(f.requests)
	l.queue, l.spare = append(l.spare, l.queue[n:]...), nil
	l.flight, l.next, l.crowded = f, 0, n > 1
	if !l.armed {
		l.armed = true
		if l.watch == nil {
			l.watch = time.AfterFunc(f.deadline.Sub(now), l.overdue)
		} else {
			l.watch.Reset(f.deadline.Sub(now))
		}
	}
	return f
}

// overdue answers those whose call takes too long. The goroutine that made it is left to the client's own timeouts; it
// finds that its flight is over.
func (l *line) overdue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = false
	f := l.flight
	if f == nil {
		return
	}
	if left := f.deadline.Sub(policy.Now()); left > 0 {
		l.armed = true
		l.watch.Reset(left)
		return
	}
	l.fail(f, l.fault(ErrUnknownOutcome, silence(l.timeout)), true)
	for _, r := range l.queue {
		r.done <- verdict{err: l.fault(ErrUnavailable, silence(l.timeout))}
	}
	l.queue, l.polling, l.next = nil, false, 0
	close(l.late)
	l.late = nil
}

// fail ends a flight without an answer.
func (l *line) fail(f *flight, err error, sick bool) {
	l.gate.tell(sick)
	l.flight = nil
	for _, r := range f.requests {
		r.flying = false
		if !r.left {
			r.done <- verdict{err: err}
		}
	}
}

// land hands out the answer to a call, and reports whether the poller goes on.
func (l *line) land(f *flight, a answer, err error) bool {
	granted, ok := l.arrive(f, a, err)
	for i, r := range granted { // without the lock, which they want next
		if r != nil {
			r.done <- verdict{granted: true}
			granted[i] = nil
		}
	}
	if ok {
		l.spare = granted[:0]
	}
	return ok
}

// arrive is land for all but those who are granted their permits: it returns them, with nil for those who have left.
func (l *line) arrive(f *flight, a answer, err error) ([]*request, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flight != f {
		return nil, false
	}
	if err != nil {
		kind, sick := classify(err)
		if kind != nil {
			err = l.fault(kind, err)
		} else {
			err = l.fault(err, nil)
		}
		l.fail(f, err, sick)
		l.next = 0
		return nil, true
	}
	l.gate.tell(false)
	l.flight = nil
	granted, unwanted := f.requests[:min(a.granted, len(f.requests))], int64(0)
	l.settle(f.requests[len(granted):], a)
	for i, r := range granted {
		r.flying = false
		if r.left {
			unwanted += r.permits
			granted[i] = nil
		}
	}
	if unwanted > 0 {
		go l.restore(unwanted, a.stamps)
	}
	return granted, true
}

// settle refuses or puts back those who were not granted, of whom the first is what the answer speaks of.
func (l *line) settle(rest []*request, a answer) {
	l.next = 0
	if len(rest) == 0 {
		return
	}
	now := policy.Now()
	again, least := now.Add(a.wait), rest[0].permits
	if a.exceeds == 0 && a.wait > 0 && l.cached > 0 {
		l.refused, l.until, l.again = least, min(again, now.Add(l.cached)), again
	}
	stays := rest[:0:0]
	for _, r := range rest {
		r.flying = false
		early := r.until < again // it cannot wait so long
		switch {
		case r.left:
		case l.closed != nil && r.until != 0:
			r.done <- verdict{err: l.closed}
		case a.exceeds != 0 && r.permits >= least:
			r.done <- verdict{exceeds: a.exceeds}
		case a.exceeds != 0:
			stays = append(stays, r)
		case len(stays) == 0 && r.permits < least, len(stays) > 0 && l.next == 0:
			stays = append(stays, r) // what it wants may be there: it asks again
		case early:
			r.done <- verdict{wait: a.wait}
		default:
			l.next = again
			stays = append(stays, r)
		}
	}
	l.queue = append(stays, l.queue...)
}

// runsOf joins requests for the same number of permits.
func runsOf(requests []*request) (runs []run) {
	for _, r := range requests {
		if n := len(runs); n > 0 && runs[n-1].permits == r.permits {
			runs[n-1].requests++
		} else {
			runs = append(runs, run{r.permits, 1})
		}
	}
	return runs
}
