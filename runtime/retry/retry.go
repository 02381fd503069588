package retry

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Retry repeats calls. It keeps nothing of a call but counters, and may be used by several goroutines at once, for
// calls of any kind. Make one with [New]; most callers then want [Do], and generated code uses [Retry.Begin].
//
// Calls that wait in a testing/synctest bubble need a Retry that was made in it, because they wait for Close too.
type Retry struct {
	plain     atomic.Pointer[settings] // settings, where Begin has nothing else to look at; else nil
	settings  atomic.Pointer[settings]
	listeners policy.Listeners
	name      string
	mu        sync.Mutex // serialises the changes of settings and plain
	closing   sync.Once
	closed    chan struct{}
	waiting   atomic.Int64 // calls in pause
	counters  counters
}

// settings are a configuration in force. They are never changed, only replaced.
type settings struct{ Config }

// New returns a Retry with the defaults, changed by the options. It fails if the name is empty or a field is out of
// range; the error names each such field.
func New(name string, options ...Option) (*Retry, error) {
	if name == "" {
		return nil, errors.New("retry: the name is empty; an instance needs one")
	}
	config := DefaultConfig()
	for _, option := range options {
		option(&config)
	}
	t, err := NewTemplate(config)
	if err != nil {
		return nil, fmt.Errorf("retry %q: %w", name, err)
	}
	return t.New(name), nil
}

// A Template is a Config that is known to be valid. The retries that are made from one share it for as long as they are
// not reconfigured, so that a great many of them, as where each tenant has its own, take little memory. It may be used
// by several goroutines at once.
type Template struct{ settings settings }

// NewTemplate returns a template with that Config. The error is that of [Config.Validate].
func NewTemplate(config Config) (*Template, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return &Template{settings{config}}, nil
}

// New returns a Retry of that name, which is not empty.
func (t *Template) New(name string) *Retry {
	r := &Retry{name: name, closed: make(chan struct{})}
	r.put(&t.settings)
	return r
}

// Name returns the name of the instance.
func (r *Retry) Name() string { return r.name }

// Config returns the settings in force.
func (r *Retry) Config() Config { return r.settings.Load().Config }

// Reconfigure replaces the settings. Calls that have begun keep the ones they began with; counters and listeners stay.
func (r *Retry) Reconfigure(config Config) error {
	if err := config.Validate(); err != nil {
		return fmt.Errorf("retry %q: %w", r.name, err)
	}
	r.put(&settings{config})
	return nil
}

// put puts settings in force.
func (r *Retry) put(s *settings) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settings.Store(s)
	r.refresh()
}

// refresh works out what Begin goes by, when the settings or those who listen have changed. It is called under mu.
func (r *Retry) refresh() {
	s := r.settings.Load()
	if !s.Enabled || s.MaxDuration > 0 || r.listeners.Any() {
		s = nil
	}
	r.plain.Store(s)
}

// Subscribe adds a listener for the events RETRY, SUCCESS, ERROR and IGNORED_ERROR, as [policy.Listeners] describes it,
// and returns what takes it off again. A first attempt that succeeds publishes nothing. Duration counts from Begin, so
// it includes earlier attempts and waits.
func (r *Retry) Subscribe(receive func(policy.Event)) (unsubscribe func()) {
	remove := r.listeners.Subscribe(receive)
	r.listened()
	return func() {
		remove()
		r.listened()
	}
}

// listened takes note of who has begun or ceased to listen.
func (r *Retry) listened() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refresh()
}

// SetLogger sets where panics of listeners are reported; nil means slog.Default.
func (r *Retry) SetLogger(logger *slog.Logger) { r.listeners.SetLogger(logger) }

// Close wakes the calls that are waiting for their next attempt; they end in an error that is both [policy.ErrClosed]
// and their last error. Later calls are made and judged, and end the same way where they would have to wait. Close is
// idempotent and its error always nil.
func (r *Retry) Close() error {
	r.closing.Do(func() { close(r.closed) })
	return nil
}
