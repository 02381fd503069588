package limiter

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// An Algorithm says how permits come back.
type Algorithm int

// The algorithms.
const (
	// Cycle is Resilience4j's: time is cut into cycles of one period, counted from when the limiter was made, and
	// each begins with the whole limit. Around the start of a cycle up to twice the limit can pass within one period.
	Cycle Algorithm = iota
	// Sliding never lets more than the limit pass in any window of one period: each permit comes back one period
	// after it was taken. It remembers each acquisition for one period, in 16 bytes.
	Sliding
	// Smooth spaces permits evenly, one every period/limit, and lets up to a burst of them pass at once after a
	// pause.
	Smooth
)

// String returns CYCLE, SLIDING or SMOOTH.
func (a Algorithm) String() string {
	switch a {
	case Cycle:
		return "CYCLE"
	case Sliding:
		return "SLIDING"
	case Smooth:
		return "SMOOTH"
	}
	return fmt.Sprintf("Algorithm(%d)", int(a))
}

// A RateType says whose a limit is that a backend keeps.
type RateType int

// The rate types, which are Redisson's.
const (
	Overall   RateType = iota + 1 // all processes that use the name share one limit
	PerClient                     // each process has the limit for itself, told apart by a client id that it gives the backend
)

// String returns OVERALL or PER_CLIENT.
func (t RateType) String() string {
	return named("RateType", int(t), "OVERALL", "PER_CLIENT")
}

// OnUnavailable says what becomes of calls while a backend does not answer.
type OnUnavailable int

// What a limiter can do without its backend.
const (
	Deny  OnUnavailable = iota + 1 // refuse each call with an [*UnansweredError]
	Allow                          // let each call pass
	Local                          // limit this process alone, with the same settings
)

// String returns DENY, ALLOW or LOCAL.
func (u OnUnavailable) String() string {
	return named("OnUnavailable", int(u), "DENY", "ALLOW", "LOCAL")
}

// OnRateMismatch says whose rate counts when a backend has another one for a name than a process that begins to use it.
type OnRateMismatch int

// Whose rate counts.
const (
	Overwrite OnRateMismatch = iota + 1 // the process's own, which the backend gets once; permits that are in use stay so
	Adopt                               // the backend's
)

// String returns OVERWRITE or ADOPT.
func (m OnRateMismatch) String() string {
	return named("OnRateMismatch", int(m), "OVERWRITE", "ADOPT")
}

// named returns the name of a value that counts from 1; 0 is left to the backend.
func named(kind string, value int, names ...string) string {
	switch {
	case value == 0:
		return "DEFAULT"
	case value > 0 && value <= len(names):
		return names[value-1]
	}
	return fmt.Sprintf("%s(%d)", kind, value)
}

// Config says how many permits there are and how long a call may wait for its own. The first three fields, their
// defaults and ranges are those of Resilience4j's RateLimiterConfig. Start from [DefaultConfig]; the zero Config is
// not valid.
type Config struct {
	// LimitForPeriod is the number of permits in a period. From 1 to 2147483647; default 50.
	LimitForPeriod int
	// LimitRefreshPeriod is the length of a period. At least 1 ns; default 500 ns, as in Resilience4j. Beware: with
	// the default no limit that is meant for a second limits anything. Whoever sets LimitForPeriod should set this
	// too.
	LimitRefreshPeriod time.Duration
	// TimeoutDuration is how long a call waits for its permits at most. At least 0, which means not at all; default 5
	// s. A call that cannot get them in this time, or before its context's deadline, is refused at once.
	TimeoutDuration time.Duration
	// Algorithm says how permits come back. Default Cycle.
	Algorithm Algorithm
	// Burst is how many permits Smooth lets pass at once; other algorithms do not use it. From 0 to 2147483647, and
	// not more than come back in 146 years; default 0, which means 1: strictly even spacing.
	Burst int
	// DrainPermissionsOnResult reports whether what a call came to, such as the answer that the far side has had
	// enough, should take away the permits that are left. Do, Run and Decorate ask it; generated code calls the
	// function that its annotation names. The result is nil beside Run. Default nil: never.
	DrainPermissionsOnResult func(result any, err error) bool
	// Backend names the backend, among those that the runtime knows, which makes the decisions. Default empty: they
	// are made in this process. [New] takes no other; [NewWithBackend] is given the backend itself.
	Backend string
	// RateType says whose the limit is, where a backend decides. Default 0, which is what the backend takes as its
	// default: that of package redislimiter is Overall. This field and the ones up to Lease are for a backend and mean
	// nothing without one, so that New refuses them.
	RateType RateType
	// OnUnavailable says what becomes of calls while the backend does not answer. Default 0: as the backend has it;
	// package redislimiter denies.
	OnUnavailable OnUnavailable
	// OnRateMismatch says what happens when the backend has another rate for this name than this Config. Default 0: as
	// the backend has it; package redislimiter overwrites, except in its interop mode.
	OnRateMismatch OnRateMismatch
	// KeepAliveTime is how long the backend keeps an unused limit at least. Default 0: as the backend has it.
	KeepAliveTime time.Duration
	// Shards is over how many keys the backend spreads the limit, for a fleet that is too large for one. From 0 to 1024;
	// default 0, which means 1.
	Shards int
	// Lease is how many permits this process may take from the backend in advance, to hand them out without asking.
	// From 0 to a quarter of LimitForPeriod; default 0: none.
	Lease int
	// Enabled false passes calls untouched and uncounted. Default true.
	Enabled bool
}

// DefaultConfig returns the defaults that the fields of [Config] name.
func DefaultConfig() Config {
	return Config{
		LimitForPeriod:     50,
		LimitRefreshPeriod: 500 * time.Nanosecond,
		TimeoutDuration:    5 * time.Second,
		Enabled:            true,
	}
}

// limitsLike reports whether two settings come to the same limit, so that those who wait need not be planned anew.
func (c *Config) limitsLike(other *Config) bool {
	return c.LimitForPeriod == other.LimitForPeriod && c.LimitRefreshPeriod == other.LimitRefreshPeriod &&
		c.Algorithm == other.Algorithm && c.Burst == other.Burst && c.Enabled == other.Enabled
}

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var wrong []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	check(c.LimitForPeriod >= 1 && c.LimitForPeriod <= math.MaxInt32,
		"limitForPeriod is %d; it must be from 1 to %d", c.LimitForPeriod, math.MaxInt32)
	check(c.LimitRefreshPeriod >= 1, "limitRefreshPeriod is %v; it must be at least 1ns", c.LimitRefreshPeriod)
	check(c.TimeoutDuration >= 0, "timeoutDuration is %v; it must not be negative, and 0 means no wait", c.TimeoutDuration)
	check(c.Algorithm >= Cycle && c.Algorithm <= Smooth,
		"algorithm is %v; it must be CYCLE, SLIDING or SMOOTH", c.Algorithm)
	check(c.Burst >= 0 && c.Burst <= math.MaxInt32,
		"burst is %d; it must be from 0 to %d, and 0 means 1", c.Burst, math.MaxInt32)
	check(c.RateType >= 0 && c.RateType <= PerClient, "rateType is %v; it must be OVERALL or PER_CLIENT", c.RateType)
	check(c.OnUnavailable >= 0 && c.OnUnavailable <= Local,
		"onUnavailable is %v; it must be DENY, ALLOW or LOCAL", c.OnUnavailable)
	check(c.OnRateMismatch >= 0 && c.OnRateMismatch <= Adopt,
		"onRateMismatch is %v; it must be OVERWRITE or ADOPT", c.OnRateMismatch)
	check(c.KeepAliveTime >= 0, "keepAliveTime is %v; it must not be negative, and 0 leaves it to the backend", c.KeepAliveTime)
	check(c.Shards >= 0 && c.Shards <= 1024, "shards is %d; it must be from 0 to 1024, and 0 means 1", c.Shards)
	check(c.Lease >= 0 && c.Lease <= max(c.LimitForPeriod, 0)/4,
		"lease is %d; it must be from 0 to a quarter of limitForPeriod, which is %d", c.Lease, max(c.LimitForPeriod, 0)/4)
	if wrong == nil && c.Algorithm == Smooth {
		// Beyond that, instants would overflow.
		back := float64(max(c.Burst, 1)) * float64(c.LimitRefreshPeriod) / float64(c.LimitForPeriod)
		check(back <= math.MaxInt64/2, "burst is %d; the time in which it comes back with SMOOTH, "+
			"burst * limitRefreshPeriod / limitForPeriod, must be at most %v", c.Burst, time.Duration(math.MaxInt64/2))
	}
	return errors.Join(wrong...)
}

// CheckBackend reports the fields that only a backend can serve, where none is named.
func (c Config) CheckBackend() error {
	if c.Backend != "" {
		return nil
	}
	var wrong []error
	for _, field := range []struct {
		key string
		set bool
	}{
		{"rateType", c.RateType != 0}, {"onUnavailable", c.OnUnavailable != 0},
		{"onRateMismatch", c.OnRateMismatch != 0}, {"keepAliveTime", c.KeepAliveTime != 0},
		{"shards", c.Shards != 0}, {"lease", c.Lease != 0},
	} {
		if field.set {
			wrong = append(wrong, fmt.Errorf("%s has no effect without a backend; name one, as in backend=redis, or leave it out", field.key))
		}
	}
	return errors.Join(wrong...)
}
