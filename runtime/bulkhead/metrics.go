package bulkhead

// Metrics are the state of a [Bulkhead] and its counters since it was made.
type Metrics struct {
	MaxAllowedConcurrentCalls int // the limit in force
	AvailableConcurrentCalls  int // free slots; 0 also while more calls are under way than a lowered limit allows
	ConcurrentCalls           int // under way
	WaitingCalls              int

	AdmittedCalls    uint64
	RejectedCalls    uint64 // there was no slot in the time that they had
	InterruptedCalls uint64 // stopped waiting: their context ended, or the bulkhead was closed
}

// Metrics returns the state and the counters. The counters are read one after the other while calls go on.
func (b *Bulkhead) Metrics() Metrics {
	m := Metrics{
		RejectedCalls:    b.rejected.Load(),
		InterruptedCalls: b.interrupted.Load(),
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	m.AdmittedCalls = b.slots.admitted()
	m.MaxAllowedConcurrentCalls, m.ConcurrentCalls = b.slots.limit, b.slots.underWay()
	m.AvailableConcurrentCalls = max(m.MaxAllowedConcurrentCalls-m.ConcurrentCalls, 0)
	m.WaitingCalls = b.queue.length
	return m
}

// PoolMetrics are the state of a [Pool] and its counters since it was made. The goroutines are called threads, as in
// Resilience4j.
type PoolMetrics struct {
	CoreThreadPoolSize     int // goroutines that stay
	MaximumThreadPoolSize  int
	ThreadPoolSize         int // goroutines that there are
	ActiveThreadCount      int // those of them that run a call
	AvailableThreadCount   int // how many more calls could run: MaximumThreadPoolSize - ActiveThreadCount
	QueueDepth             int // calls that wait for a goroutine
	QueueCapacity          int
	RemainingQueueCapacity int

	AdmittedCalls    uint64 // given to a goroutine or to the queue
	RejectedCalls    uint64 // there was room in neither
	InterruptedCalls uint64 // left by their caller, whose context ended, or dismissed from the queue by Close
	PanickedCalls    uint64 // panicked when their caller had left
}

// Metrics returns the state and the counters. The counters are read one after the other while calls go on.
func (p *Pool) Metrics() PoolMetrics {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &p.config
	active := p.workers - len(p.idle)
	return PoolMetrics{
		CoreThreadPoolSize:     c.core(),
		MaximumThreadPoolSize:  c.MaxThreadPoolSize,
		ThreadPoolSize:         p.workers,
		ActiveThreadCount:      active,
		AvailableThreadCount:   max(c.MaxThreadPoolSize-active, 0),
		QueueDepth:             p.queue.length,
		QueueCapacity:          c.QueueCapacity,
		RemainingQueueCapacity: max(c.QueueCapacity-p.queue.length, 0),
		AdmittedCalls:          p.admitted.Load(),
		RejectedCalls:          p.rejected.Load(),
		InterruptedCalls:       p.interrupted.Load(),
		PanickedCalls:          p.panicked.Load(),
	}
}
