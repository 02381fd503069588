package bulkhead

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Config says how many calls may be under way at once, and how long one may wait for its turn. The fields, their
// defaults and ranges are those of Resilience4j's BulkheadConfig. Start from [DefaultConfig]; the zero Config is not
// valid.
type Config struct {
	// MaxConcurrentCalls is how many calls are under way at most. From 1 to 2147483647; default 25.
	MaxConcurrentCalls int
	// MaxWaitDuration is how long a call waits for another one to end. At least 0, which means not at all; default 0.
	MaxWaitDuration time.Duration
	// FairCallHandlingEnabled lets waiting calls in before those that come later. Without it a call that comes at the
	// moment at which another one ends may overtake them, which is faster where many wait. Default true.
	FairCallHandlingEnabled bool
	// Enabled false passes calls untouched and uncounted. Default true.
	Enabled bool
}

// DefaultConfig returns the defaults that the fields of [Config] name.
func DefaultConfig() Config {
	return Config{MaxConcurrentCalls: 25, FairCallHandlingEnabled: true, Enabled: true}
}

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	return errors.Join(
		ranged("maxConcurrentCalls", c.MaxConcurrentCalls, 1),
		notNegative("maxWaitDuration", c.MaxWaitDuration),
	)
}

// ranged reports n unless it is from least to the largest number of calls that there can be.
func ranged(field string, n, least int) error {
	if n < least || n > math.MaxInt32 {
		return fmt.Errorf("%s is %d; it must be from %d to %d", field, n, least, math.MaxInt32)
	}
	return nil
}

func notNegative(field string, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("%s is %v; it must not be negative", field, d)
	}
	return nil
}
