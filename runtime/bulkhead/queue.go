package bulkhead

// enqueue puts a call into the queue, and serves it at once if it can be.
func (b *Bulkhead) enqueue() *waiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := &waiter{done: make(chan struct{})}
	b.queue.add(w)
	b.serve()
	if b.closed && w.fate == queued {
		b.dismiss(w, withdrawn)
	}
	return w
}

// withdraw takes w out of the queue, unless it has been served.
func (b *Bulkhead) withdraw(w *waiter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w.fate == queued {
		b.dismiss(w, withdrawn)
	}
}

func (b *Bulkhead) dismiss(w *waiter, why fate) {
	b.queue.remove(w)
	w.end(why)
	b.flag()
}

// serveUnlocked is serve for those who do not hold the mutex. It is kept out of End, which is short without it.
//
//go:noinline
func (b *Bulkhead) serveUnlocked() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.serve()
}

// serve lets in those at the head of the queue for whom there are slots. The mutex is held.
func (b *Bulkhead) serve() {
	b.flag() // first: a call that ends from now on looks at the queue, and what ended before is seen below
	enabled := b.config.Load().Enabled
	for w := b.queue.first; w != nil; w = b.queue.first {
		fate := passed
		if enabled {
			if !b.slots.enterQueued() {
				return
			}
			fate = admitted
		}
		b.queue.remove(w)
		w.end(fate)
	}
	b.flag()
}

// flag sets the flags of the slots to what the settings and the queue say.
func (b *Bulkhead) flag() {
	var flags uint64
	config := b.config.Load()
	if b.queue.first != nil {
		flags = waiting
		if config.FairCallHandlingEnabled {
			flags |= barred
		}
	}
	if !config.Enabled {
		flags |= barred
	}
	b.slots.flag(flags)
}

// A waiter is a call in the queue. The bulkhead's mutex guards it until done is closed; then it does not change any
// more.
type waiter struct {
	links[waiter]
	fate fate
	done chan struct{}
}

// A fate is what has become of a waiter.
type fate int

const (
	queued    fate = iota
	admitted       // it has a slot
	passed         // it needs none: the bulkhead was switched off
	withdrawn      // it gave up
	closed
)

func (w *waiter) end(fate fate) {
	w.fate = fate
	close(w.done)
}
