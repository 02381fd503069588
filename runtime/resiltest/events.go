package resiltest

import (
	"slices"
	"sync"
	"testing"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// Events records the events of all instances of rt, in the order in which they are published, until the test ends.
func Events(t testing.TB, rt *resil.Runtime) *Recording {
	t.Helper()
	tape := new(tape)
	t.Cleanup(rt.Subscribe(tape.add))
	return &Recording{tape: tape}
}

// A Recording is what [Events] records, or a part of it:
//
//	events := resiltest.Events(t, rt)
//	...
//	require.Equal(t, 2, events.Named("inventory").OfType(policy.RetryScheduled).Len())
//
// A part sees what is recorded later as well. It may be used by several goroutines at once.
type Recording struct {
	tape    *tape
	filters []func(policy.Event) bool
}

// tape holds what was recorded.
type tape struct {
	mu     sync.Mutex
	events []policy.Event
}

func (t *tape) add(e policy.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, e)
}

// OfKind returns the part of r that is about any of these policies.
func (r *Recording) OfKind(kinds ...policy.Kind) *Recording {
	return r.where(func(e policy.Event) bool { return slices.Contains(kinds, e.Kind) })
}

// OfType returns the part of r that has any of these types.
func (r *Recording) OfType(types ...policy.EventType) *Recording {
	return r.where(func(e policy.Event) bool { return slices.Contains(types, e.Type) })
}

// Named returns the part of r that is about instances of any of these names.
func (r *Recording) Named(names ...string) *Recording {
	return r.where(func(e policy.Event) bool { return slices.Contains(names, e.Name) })
}

func (r *Recording) where(filter func(policy.Event) bool) *Recording {
	return &Recording{r.tape, append(slices.Clip(r.filters), filter)}
}

// All returns the events so far. The slice is the caller's.
func (r *Recording) All() []policy.Event {
	r.tape.mu.Lock()
	defer r.tape.mu.Unlock()
	var events []policy.Event
	for _, e := range r.tape.events {
		if r.has(e) {
			events = append(events, e)
		}
	}
	return events
}

// Types returns the types of the events so far.
func (r *Recording) Types() []policy.EventType {
	var types []policy.EventType
	for _, e := range r.All() {
		types = append(types, e.Type)
	}
	return types
}

// Len returns how many events there are so far.
func (r *Recording) Len() int { return len(r.All()) }

// Clear forgets the events of r so far, also in recordings of which they are a part.
func (r *Recording) Clear() {
	r.tape.mu.Lock()
	defer r.tape.mu.Unlock()
	r.tape.events = slices.DeleteFunc(r.tape.events, r.has)
}

func (r *Recording) has(e policy.Event) bool {
	for _, filter := range r.filters {
		if !filter(e) {
			return false
		}
	}
	return true
}
