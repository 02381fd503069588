package policy

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Listeners is the list of those who listen to one instance. The zero value is an empty list, ready for use by several
// goroutines at once; it must not be copied.
//
// Listeners run one after the other, in the order of their subscription, on the goroutine of the call that published
// the event. A policy publishes outside its locks and after the change is committed, so that a listener may call back
// into it. A listener that panics is recovered and logged; one that is slow delays its own call only.
type Listeners struct {
	list   atomic.Pointer[[]*listener]
	logger atomic.Pointer[slog.Logger]
	mu     sync.Mutex // serialises changes of list
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

func (l *Listeners) change(edit func([]*listener) []*listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []*listener
	if old := l.list.Load(); old != nil {
		list = slices.Clone(*old)
	}
	if list = edit(list); len(list) == 0 {
		l.list.Store(nil)
		return
	}
	l.list.Store(&list)
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
