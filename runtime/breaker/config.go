package breaker

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Config is how a circuit breaker behaves. Names, defaults and ranges are Resilience4j's, except where the package
// comment says otherwise. Start from [DefaultConfig]: the zero value is not valid.
type Config struct {
	// Enabled is the off switch: if false, calls pass untouched and uncounted, and the state stands still. Default true.
	Enabled bool

	// SlidingWindowType says whether the window holds calls or seconds. Default CountBased.
	SlidingWindowType SlidingWindowType

	// EnableExponentialBackoff makes each stay in OPEN that follows a failed HALF_OPEN longer than the one before, by
	// ExponentialBackoffMultiplier. Default false.
	EnableExponentialBackoff bool

	// EnableRandomizedWait draws each wait in OPEN from its neighbourhood, so that many clients do not probe at the same
	// moment. It may be combined with EnableExponentialBackoff. Default false.
	EnableRandomizedWait bool

	// AutomaticTransitionFromOpenToHalfOpenEnabled lets a timer end OPEN. Otherwise the first call after the wait does.
	// Default false.
	AutomaticTransitionFromOpenToHalfOpenEnabled bool

	// TransitionToStateAfterWaitDuration is where HALF_OPEN goes when MaxWaitDurationInHalfOpenState has elapsed without
	// a decision: Open or Closed. Default Open.
	TransitionToStateAfterWaitDuration State

	// InitialState is the state that New starts in; any of the six. Default Closed.
	InitialState State

	// FailureRateThreshold is the share of failures, in percent of the window, that opens the circuit breaker: above 0
	// and at most 100. A rate that equals it opens. Default 50.
	FailureRateThreshold float64

	// SlowCallRateThreshold is the share of slow calls, in percent of the window, that opens the circuit breaker: above 0
	// and at most 100. A rate that equals it opens. Default 100.
	SlowCallRateThreshold float64

	// SlowCallDurationThreshold is the longest duration of a call that is not slow. 0 turns the rule off: no call is
	// slow, and the clock is not read for it. Default 60 s.
	SlowCallDurationThreshold time.Duration

	// SlidingWindowSize is the size of the window, in calls or in seconds: 1 to 2147483647. Default 100.
	SlidingWindowSize int

	// MinimumNumberOfCalls is how many outcomes the window must hold before its rates mean anything: at least 1. A window
	// of calls takes its own size instead where that is smaller; a window of seconds does not. HALF_OPEN does not ask
	// for it. Default 100.
	MinimumNumberOfCalls int

	// PermittedNumberOfCallsInHalfOpenState is how many probes HALF_OPEN admits, and after how many results it decides:
	// 1 to 2147483647. Default 10.
	PermittedNumberOfCallsInHalfOpenState int

	// WaitDurationInOpenState is how long OPEN lasts, at least 1 ms. It is also how long a probe may keep its permit
	// where MaxWaitDurationInHalfOpenState is 0, and how long OPEN lasts where WaitIntervalFunctionInOpenState panics.
	// Default 60 s.
	WaitDurationInOpenState time.Duration

	// WaitIntervalFunctionInOpenState, if set, says how long OPEN lasts instead of WaitDurationInOpenState. attempt is 1
	// for the first time, and grows until the circuit breaker closes. A negative answer is taken as 0. It excludes
	// EnableExponentialBackoff and EnableRandomizedWait. Default nil.
	WaitIntervalFunctionInOpenState func(attempt int) time.Duration

	// ExponentialBackoffMultiplier is the factor of EnableExponentialBackoff, at least 1. Default 1.5.
	ExponentialBackoffMultiplier float64

	// ExponentialMaxWaitDurationInOpenState is the longest that OPEN lasts with EnableExponentialBackoff or
	// EnableRandomizedWait; 0 means that there is no limit. Default 0.
	ExponentialMaxWaitDurationInOpenState time.Duration

	// RandomizedWaitFactor is the width of EnableRandomizedWait as a share of the wait, 0 to 1: 0.5 draws from half to one
	// and a half of it. Default 0.5.
	RandomizedWaitFactor float64

	// MaxWaitDurationInHalfOpenState is how long HALF_OPEN may wait for its results before it goes to
	// TransitionToStateAfterWaitDuration. 0 means that it waits, while a probe older than WaitDurationInOpenState yields
	// its permit to the next call. Default 0.
	MaxWaitDurationInHalfOpenState time.Duration

	// RecordErrors are the errors that count as failures; all other errors then count as successes. Absent, every error
	// that is not ignored is a failure.
	RecordErrors policy.ErrorRule

	// IgnoreErrors are the errors that count neither way. They go before RecordErrors.
	IgnoreErrors policy.ErrorRule

	// RecordResult reports whether the result of a call without an error counts as a failure nevertheless. It serves Do,
	// and is given a T; generated code has a typed function instead. Default nil.
	RecordResult func(result any) bool

	// TransitionOnResult may open the circuit breaker, if it is CLOSED, by what one call came back with, as when a server
	// says for how long it bans its client. It serves Do, Run and Decorate, and is given a T (Run: nil) and the error;
	// generated code has a typed function instead. Default nil.
	TransitionOnResult func(result any, err error) Transition
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{
		Enabled:                               true,
		FailureRateThreshold:                  50,
		SlowCallRateThreshold:                 100,
		SlowCallDurationThreshold:             60 * time.Second,
		SlidingWindowType:                     CountBased,
		SlidingWindowSize:                     100,
		MinimumNumberOfCalls:                  100,
		PermittedNumberOfCallsInHalfOpenState: 10,
		WaitDurationInOpenState:               60 * time.Second,
		ExponentialBackoffMultiplier:          1.5,
		RandomizedWaitFactor:                  0.5,
		TransitionToStateAfterWaitDuration:    Open,
		InitialState:                          Closed,
	}
}

// Validate returns every field that is out of its range, joined by errors.Join, or nil.
func (c Config) Validate() error {
	var wrong []error
	demand := func(ok bool, field string, value any, right string) {
		if !ok {
			wrong = append(wrong, fmt.Errorf("%s is %v; it must be %s", field, value, right))
		}
	}
	percent := func(field string, v float64) {
		demand(v > 0 && v <= 100, field, v, "above 0 and at most 100") // false for NaN
	}
	count := func(field string, v int) {
		demand(v >= 1 && v <= math.MaxInt32, field, v, "from 1 to 2147483647")
	}
	percent("failureRateThreshold", c.FailureRateThreshold)
	percent("slowCallRateThreshold", c.SlowCallRateThreshold)
	demand(c.SlowCallDurationThreshold >= 0, "slowCallDurationThreshold", c.SlowCallDurationThreshold,
		"positive, or 0 to turn the rule off")
	demand(c.SlidingWindowType == CountBased || c.SlidingWindowType == TimeBased, "slidingWindowType",
		c.SlidingWindowType, "COUNT_BASED or TIME_BASED")
	count("slidingWindowSize", c.SlidingWindowSize)
	demand(c.MinimumNumberOfCalls >= 1, "minimumNumberOfCalls", c.MinimumNumberOfCalls, "at least 1")
	count("permittedNumberOfCallsInHalfOpenState", c.PermittedNumberOfCallsInHalfOpenState)
	demand(c.WaitDurationInOpenState >= time.Millisecond, "waitDurationInOpenState", c.WaitDurationInOpenState,
		"at least 1ms")
	demand(c.WaitIntervalFunctionInOpenState == nil || !c.EnableExponentialBackoff && !c.EnableRandomizedWait,
		"waitIntervalFunctionInOpenState", "set together with enableExponentialBackoff or enableRandomizedWait",
		"the only one of them")
	demand(!c.EnableExponentialBackoff || c.ExponentialBackoffMultiplier >= 1 &&
		c.ExponentialBackoffMultiplier <= math.MaxFloat64, "exponentialBackoffMultiplier", c.ExponentialBackoffMultiplier,
		"at least 1")
	demand(c.ExponentialMaxWaitDurationInOpenState >= 0, "exponentialMaxWaitDurationInOpenState",
		c.ExponentialMaxWaitDurationInOpenState, "positive, or 0 for no limit")
	demand(!c.EnableRandomizedWait || c.RandomizedWaitFactor >= 0 && c.RandomizedWaitFactor <= 1, "randomizedWaitFactor",
		c.RandomizedWaitFactor, "from 0 to 1")
	demand(c.MaxWaitDurationInHalfOpenState >= 0, "maxWaitDurationInHalfOpenState", c.MaxWaitDurationInHalfOpenState,
		"positive, or 0 to wait for the probes")
	demand(c.TransitionToStateAfterWaitDuration == Open || c.TransitionToStateAfterWaitDuration == Closed,
		"transitionToStateAfterWaitDuration", c.TransitionToStateAfterWaitDuration, "OPEN or CLOSED")
	demand(c.InitialState.valid(), "initialState", c.InitialState,
		"CLOSED, OPEN, HALF_OPEN, DISABLED, FORCED_OPEN or METRICS_ONLY")
	return errors.Join(wrong...)
}

// longestWait bounds every wait, so that no sum of an instant and a wait overflows.
const longestWait = 100 * 365 * 24 * time.Hour

// waitInOpen returns how long the given stay in OPEN lasts. It may call the user's function.
func (c *Config) waitInOpen(attempt int) time.Duration {
	if c.WaitIntervalFunctionInOpenState != nil {
		return c.WaitIntervalFunctionInOpenState(attempt)
	}
	return policy.Backoff{
		Initial:     c.WaitDurationInOpenState,
		Exponential: c.EnableExponentialBackoff,
		Multiplier:  c.ExponentialBackoffMultiplier,
		Max:         c.longestWaitInOpen(),
		Randomized:  c.EnableRandomizedWait,
		Factor:      c.RandomizedWaitFactor,
	}.Wait(attempt)
}

// longestWaitInOpen returns the limit of waits that are not simply WaitDurationInOpenState, or 0.
func (c *Config) longestWaitInOpen() time.Duration {
	if c.EnableExponentialBackoff || c.EnableRandomizedWait {
		return c.ExponentialMaxWaitDurationInOpenState
	}
	return 0
}

// minimum returns how many outcomes a window must hold before it is judged.
func (c *Config) minimum() uint64 {
	if c.SlidingWindowType == CountBased {
		return uint64(min(c.MinimumNumberOfCalls, c.SlidingWindowSize))
	}
	return uint64(c.MinimumNumberOfCalls)
}

// settings are a configuration in force. They are never changed, only replaced, and belong to no circuit breaker alone.
type settings struct {
	Config
	minimum uint64 // of Config, worked out once
}

// slow reports whether a call that took so long is a slow one.
func (s *settings) slow(took time.Duration) bool {
	return s.SlowCallDurationThreshold > 0 && took > s.SlowCallDurationThreshold
}
