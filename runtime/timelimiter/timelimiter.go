package timelimiter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A TimeLimiter limits how long calls take. It may be used by several goroutines at once, for calls of any kind. Make
// one with [New]; most callers then want [Do], and generated code uses [TimeLimiter.Begin] or [Detach].
type TimeLimiter struct {
	name      string
	settings  atomic.Pointer[settings]
	listeners policy.Listeners
	logger    atomic.Pointer[slog.Logger]
	counters  counters
}

// settings never change once they are stored.
type settings struct {
	Config
	// cause is what context.Cause returns for a context whose limit ran out, so that the call can say which one.
	cause *TimeoutError
}

// New returns a TimeLimiter with the defaults, changed by the options. It fails if the name is empty or a field is out
// of range.
func New(name string, options ...Option) (*TimeLimiter, error) {
	if name == "" {
		return nil, errors.New("timelimiter: the name is empty; an instance needs one")
	}
	config := DefaultConfig()
	for _, option := range options {
		option(&config)
	}
	l := &TimeLimiter{name: name}
	if err := l.Reconfigure(config); err != nil {
		return nil, err
	}
	return l, nil
}

// Name returns the name of the instance.
func (l *TimeLimiter) Name() string { return l.name }

// Config returns the settings in force.
func (l *TimeLimiter) Config() Config { return l.settings.Load().Config }

// Reconfigure replaces the settings. Calls that have begun keep their limit; counters and listeners stay.
func (l *TimeLimiter) Reconfigure(config Config) error {
	if err := config.Validate(); err != nil {
		return fmt.Errorf("timelimiter %q: %w", l.name, err)
	}
	l.settings.Store(&settings{config, l.timeout(config, context.DeadlineExceeded)})
	return nil
}

func (l *TimeLimiter) timeout(c Config, err error) *TimeoutError {
	return &TimeoutError{name: l.name, limit: c.TimeoutDuration, err: err}
}

// Subscribe adds a listener, as [policy.Listeners] describes it, and returns what takes it off again. The events are
// SUCCESS; ERROR; TIMEOUT; IGNORED_ERROR for errors that count neither way; and PANIC for a detached call that panicked
// when its caller had left.
func (l *TimeLimiter) Subscribe(receive func(policy.Event)) (unsubscribe func()) {
	return l.listeners.Subscribe(receive)
}

// SetLogger sets where panics of listeners and of abandoned calls are reported; nil means slog.Default.
func (l *TimeLimiter) SetLogger(logger *slog.Logger) {
	l.logger.Store(logger)
	l.listeners.SetLogger(logger)
}

// Close does nothing, and is there because every policy has it: calls in flight and later ones keep their limit, and a
// TimeLimiter has no goroutine or timer beyond those of its calls. Its error is always nil.
func (l *TimeLimiter) Close() error { return nil }
