package policy

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
)

// Listeners is the list of those who listen to one instance. The zero value is an empty list, ready for use by several
// goroutines at once; it must not be copied.
//
// Listeners run one after the other, in the order of their subscription, on the goroutine of the call that published
// the event. A policy publishes outside its locks and after the change is committed, so that a listener may call back
// into it. A listener that panics is recovered and logged; one that is slow delays its own call only.
//
// It takes two words as long as nobody listens: there is one in each instance, and there may be very many instances.
type Listeners struct {
	list   atomic.Pointer[[]*listener] // never changed, only replaced
	logger atomic.Pointer[slog.Logger]
}

type listener struct{ receive func(Event) }

// Any reports whether somebody listens. It is one atomic load, so that a call without listeners builds no event.
func (l *Listeners) Any() bool { return l.list.Load() != nil }

// Subscribe adds a listener and returns what takes it off again; calling that twice is harmless. Events that are being
// delivered at that moment may still arrive afterwards. A nil receive panics.
func (l *Listeners) Subscribe(receive func(Event)) (unsubscribe func()) {
	if receive == nil {
		panic("policy: Subscribe needs a function, not nil")
	}
	added := &listener{receive}
	l.change(func(list []*listener) []*listener { return append(list, added) })
	return func() {
		l.change(func(list []*listener) []*listener {
			return slices.DeleteFunc(list, func(other *listener) bool { return other == added })
		})
	}
}

// change replaces the list by what edit makes of a copy, which it may be asked to do more than once.
func (l *Listeners) change(edit func([]*listener) []*listener) {
	for {
		old := l.list.Load()
		var list []*listener
		if old != nil {
			list = slices.Clone(*old)
		}
		changed := &list
		if list = edit(list); len(list) == 0 {
			changed = nil
		}
		if l.list.CompareAndSwap(old, changed) {
			return
		}
	}
}

// SetLogger sets where panics of listeners are reported; nil means slog.Default.
func (l *Listeners) SetLogger(logger *slog.Logger) { l.logger.Store(logger) }

// Publish gives e to every listener, stamped with the current wall clock time unless it has its time already, as one
// that is passed on from another list does.
func (l *Listeners) Publish(e Event) {
	list := l.list.Load()
	if list == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	for _, to := range *list {
		l.deliver(to, e)
	}
}

func (l *Listeners) deliver(to *listener, e Event) {
	defer func() {
		if p := recover(); p != nil {
			logger := l.logger.Load()
			if logger == nil {
				logger = slog.Default()
			}
			logger.Error("resil: a listener panicked", "event", e.String(), "panic", p, "stack", string(debug.Stack()))
		}
	}()
	to.receive(e)
}
