package timelimiter

import (
	"fmt"
	"time"
)

// Config says how long a call may take. The fields and defaults are those of Resilience4j's TimeLimiterConfig. Start
// from [DefaultConfig]; the zero Config is not valid.
type Config struct {
	// TimeoutDuration is the limit of a call. Above 0; default 1 s.
	TimeoutDuration time.Duration
	// CancelRunningFuture makes [Detach] cancel the context of work whose caller has left; false leaves the work alone,
	// with a context that never ends. It means nothing to calls that are not detached. Default true.
	CancelRunningFuture bool
	// Enabled false passes calls untouched, unlimited and uncounted. Default true.
	Enabled bool
}

// DefaultConfig returns the defaults that the fields of [Config] name.
func DefaultConfig() Config {
	return Config{TimeoutDuration: time.Second, CancelRunningFuture: true, Enabled: true}
}

// Validate reports the field that is out of range.
func (c Config) Validate() error {
	if c.TimeoutDuration <= 0 {
		return fmt.Errorf("timeoutDuration is %v; it must be above 0", c.TimeoutDuration)
	}
	return nil
}

// An Option changes one field of a [Config]; the last one given wins.
type Option func(*Config)

// WithTimeoutDuration sets the limit of a call. Above 0; default 1 s.
func WithTimeoutDuration(d time.Duration) Option { return func(c *Config) { c.TimeoutDuration = d } }

// WithCancelRunningFuture sets whether [Detach] cancels work whose caller has left. Default true.
func WithCancelRunningFuture(cancel bool) Option {
	return func(c *Config) { c.CancelRunningFuture = cancel }
}

// WithEnabled switches the time limiter on or off. Default true.
func WithEnabled(enabled bool) Option { return func(c *Config) { c.Enabled = enabled } }
