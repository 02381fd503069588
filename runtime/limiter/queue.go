package limiter

import "github.com/resilgen/resilgen/runtime/policy"

// A queue holds the calls that wait for permits, and the reservations whose time has not come, in the order in which
// they will go. The limiter's mutex guards it and all its tickets.
type queue struct {
	first, last *ticket
	permits     int64 // of all tickets
	waiting     int   // tickets of calls
}

// A ticket is a place in the queue.
type ticket struct {
	permits    int64
	latest     policy.Instant // when the call has to go, or be refused
	fate       fate
	done       chan struct{} // closed with the fate of a waiting call; nil for a reservation
	next, prev *ticket
}

// A fate is what has become of a ticket.
type fate int

const (
	queued  fate = iota
	gone         // the permits are its own
	refused      // after a change of settings
	withdrawn
	closed
)

func (q *queue) empty() bool { return q.first == nil }

func (q *queue) add(t *ticket) {
	t.prev = q.last
	if q.last == nil {
		q.first = t
	} else {
		q.last.next = t
	}
	q.last = t
	q.permits += t.permits
	if t.done != nil {
		q.waiting++
	}
}

// remove takes t out of the queue and ends it.
func (q *queue) remove(t *ticket, fate fate) {
	if t.prev == nil {
		q.first = t.next
	} else {
		t.prev.next = t.next
	}
	if t.next == nil {
		q.last = t.prev
	} else {
		t.next.prev = t.prev
	}
	t.prev, t.next = nil, nil
	q.permits -= t.permits
	if t.done != nil {
		q.waiting--
	}
	t.end(fate)
}

// ahead returns how many permits those before t ask for.
func (q *queue) ahead(t *ticket) (permits int64) {
	for t = t.prev; t != nil; t = t.prev {
		permits += t.permits
	}
	return permits
}

func (t *ticket) end(fate fate) {
	t.fate = fate
	if t.done != nil {
		close(t.done)
	}
}
