package resil

import "github.com/resilgen/resilgen/runtime/policy"

// What happens to an entry of a registry: the Type of the events that [Registry.Subscribe] and
// [Runtime.SubscribeEntries] deliver.
const (
	// EntryAdded: the name has an instance.
	EntryAdded policy.EventType = "ADDED"
	// EntryRemoved: the name has no instance any more; the one that it had is closed, or about to be.
	EntryRemoved policy.EventType = "REMOVED"
	// EntryReplaced: the name has another instance; the one that it had is closed, or about to be.
	EntryReplaced policy.EventType = "REPLACED"
)

// SubscribeEntries calls receive when the runtime gets, loses or replaces an instance of any policy, until unsubscribe is
// called, which may be done more than once. The event has Time, Kind, Name and Type: [EntryAdded], [EntryRemoved] or
// [EntryReplaced]. A nil receive panics.
//
// All events of a runtime are delivered one after the other, in the order in which things happened, when they have
// happened: on the goroutine of whoever was the cause or, if another one is delivering at that moment, on that one. A
// listener may call back into the runtime. One that panics is recovered and logged, and the change stands.
//
// Who wants to know all instances subscribes first and then iterates; some may be met twice.
func (rt *Runtime) SubscribeEntries(receive func(policy.Event)) (unsubscribe func()) {
	return rt.entryListeners.Subscribe(receive)
}

func (s *store[T, C]) subscribe(receive func(policy.Event)) (unsubscribe func()) {
	if receive == nil {
		return s.runtime.SubscribeEntries(nil) // which says what is wrong
	}
	return s.runtime.SubscribeEntries(func(e policy.Event) {
		if e.Kind == s.kind {
			receive(e)
		}
	})
}

// announce notes an event for deliver. The runtime's mutex is held.
func (s *store[T, C]) announce(what policy.EventType, name string) {
	if rt := s.runtime; rt.entryListeners.Any() {
		rt.undelivered = append(rt.undelivered, policy.Event{Kind: s.kind, Name: name, Type: what})
	}
}

// deliver gives the listeners what was announced. While one goroutine is at it, others leave theirs to that one: so
// nobody hears that an instance is gone before that it was there, and a listener that changes the runtime does not wait
// for itself.
func (rt *Runtime) deliver() {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.delivering {
		return
	}
	rt.delivering = true
	defer func() { rt.delivering = false }()
	for len(rt.undelivered) > 0 {
		next := rt.undelivered[0]
		rt.undelivered = rt.undelivered[1:]
		rt.publishUnlocked(next)
	}
}

// publishUnlocked calls the listeners with the mutex released.
func (rt *Runtime) publishUnlocked(e policy.Event) {
	rt.mu.Unlock()
	defer rt.mu.Lock()
	rt.entryListeners.Publish(e)
}
