package fallback

// Metrics are the counters of a [Fallback] since it was made.
type Metrics struct {
	Handlers []HandlerMetrics // in the order in which the handlers first ran
}

// HandlerMetrics are the counters of one handler. A handler that panicked is in none.
type HandlerMetrics struct {
	Handler  string
	Answered uint64 // returned no error
	Failed   uint64 // returned an error, its own or the one that it was given
}

// Metrics returns the counters. They are read one after the other while calls go on.
func (f *Fallback) Metrics() Metrics {
	var m Metrics
	for _, a := range *f.accounts.Load() {
		m.Handlers = append(m.Handlers, HandlerMetrics{a.handler, a.answered.Load(), a.failed.Load()})
	}
	return m
}
