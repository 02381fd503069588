package resil

import (
	"slices"
	"sync"

	"github.com/resilgen/resilgen/runtime/policy"
)

// longestMemory bounds how many events can be remembered of one instance.
const longestMemory = 1_000_000

// RecentEvents returns the latest events of an instance, the oldest first: at most as many as eventConsumerBufferSize
// says in a document, and none where it says nothing. Remembering them costs each call that is an event, and keeps the
// errors in them alive.
func (rt *Runtime) RecentEvents(kind policy.Kind, name string) []policy.Event {
	for _, s := range rt.stores() {
		if s.of() == kind {
			return s.recentEvents(scoped(name, rt.scope)).list()
		}
	}
	return nil
}

func (s *store[T, C]) recentEvents(name string) *recorder {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	if at, ok := s.locate(name); ok {
		return at.recorder
	}
	return nil
}

// A recorder remembers the latest events of a name, also when that gets another instance. A nil one remembers nothing.
type recorder struct {
	unsubscribe func() // guarded by the runtime's mutex

	mu     sync.Mutex
	events []policy.Event // a ring
	next   int            // where the next one goes; the oldest is there if the ring is full
	size   int
}

// record begins or ends remembering the events of an entry's instance, as its terms say. The runtime's mutex is held.
func (s *store[T, C]) record(e *entry[T, C]) {
	size := orZero(e.terms.operations.remembers)
	switch {
	case size == 0:
		s.stopRecording(e)
		e.recorder = nil
		return
	case e.recorder == nil:
		e.recorder = &recorder{}
	}
	e.recorder.resize(size)
	if e.recorder.unsubscribe == nil {
		e.recorder.unsubscribe = s.instance(e.current.load()).Subscribe(e.recorder.add)
	}
}

// stopRecording takes the recorder off the entry's instance. The runtime's mutex is held.
func (s *store[T, C]) stopRecording(e *entry[T, C]) {
	if r := e.recorder; r != nil && r.unsubscribe != nil {
		r.unsubscribe()
		r.unsubscribe = nil
	}
}

func (r *recorder) add(e policy.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) < r.size {
		r.events = append(r.events, e)
		return
	}
	r.events[r.next] = e
	r.next = (r.next + 1) % r.size
}

// list returns the events, the oldest first.
func (r *recorder) list() []policy.Event {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ordered()
}

func (r *recorder) ordered() []policy.Event {
	return slices.Concat(r.events[r.next:], r.events[:r.next])
}

// resize makes room for size events, and keeps the latest.
func (r *recorder) resize(size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if size == r.size {
		return
	}
	events := r.ordered()
	r.events, r.next, r.size = events[max(0, len(events)-size):], 0, size
}
