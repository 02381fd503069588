package breaker

import (
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// An Option changes one thing of a [Config]. Of two options for the same field the later one wins. [New] checks the
// result as a whole, so that the order of options does not matter otherwise.
type Option func(*Config)

// WithEnabled sets the off switch: false lets calls pass untouched and uncounted. Default true.
func WithEnabled(enabled bool) Option {
	return func(c *Config) { c.Enabled = enabled }
}

// WithFailureRateThreshold sets the failure rate that opens the circuit breaker, in percent: above 0, at most 100.
// Default 50.
func WithFailureRateThreshold(percent float64) Option {
	return func(c *Config) { c.FailureRateThreshold = percent }
}

// WithSlowCallRateThreshold sets the rate of slow calls that opens the circuit breaker, in percent: above 0, at most
// 100. Default 100.
func WithSlowCallRateThreshold(percent float64) Option {
	return func(c *Config) { c.SlowCallRateThreshold = percent }
}

// WithSlowCallDurationThreshold sets the longest duration of a call that is not slow; 0 turns the rule off.
// Default 60 s.
func WithSlowCallDurationThreshold(d time.Duration) Option {
	return func(c *Config) { c.SlowCallDurationThreshold = d }
}

// WithSlidingWindowType sets whether the window holds calls or seconds. Default CountBased.
func WithSlidingWindowType(t SlidingWindowType) Option {
	return func(c *Config) { c.SlidingWindowType = t }
}

// WithSlidingWindowSize sets the size of the window in calls or seconds, at least 1. Default 100.
func WithSlidingWindowSize(n int) Option {
	return func(c *Config) { c.SlidingWindowSize = n }
}

// WithMinimumNumberOfCalls sets how many outcomes the window must hold before it is judged, at least 1. Default 100.
func WithMinimumNumberOfCalls(n int) Option {
	return func(c *Config) { c.MinimumNumberOfCalls = n }
}

// WithPermittedNumberOfCallsInHalfOpenState sets the number of probes in HALF_OPEN, at least 1. Default 10.
func WithPermittedNumberOfCallsInHalfOpenState(n int) Option {
	return func(c *Config) { c.PermittedNumberOfCallsInHalfOpenState = n }
}

// WithWaitDurationInOpenState sets how long OPEN lasts, at least 1 ms. Default 60 s.
func WithWaitDurationInOpenState(d time.Duration) Option {
	return func(c *Config) { c.WaitDurationInOpenState = d }
}

// WithWaitIntervalFunctionInOpenState sets a function that says how long OPEN lasts for the attempt, counted from 1. It
// excludes WithEnableExponentialBackoff and WithEnableRandomizedWait. Default nil.
func WithWaitIntervalFunctionInOpenState(wait func(attempt int) time.Duration) Option {
	return func(c *Config) { c.WaitIntervalFunctionInOpenState = wait }
}

// WithEnableExponentialBackoff sets whether each further stay in OPEN lasts longer. Default false.
func WithEnableExponentialBackoff(enable bool) Option {
	return func(c *Config) { c.EnableExponentialBackoff = enable }
}

// WithExponentialBackoffMultiplier sets the factor of WithEnableExponentialBackoff, at least 1. Default 1.5.
func WithExponentialBackoffMultiplier(factor float64) Option {
	return func(c *Config) { c.ExponentialBackoffMultiplier = factor }
}

// WithExponentialMaxWaitDurationInOpenState sets the longest stay in OPEN with WithEnableExponentialBackoff or
// WithEnableRandomizedWait; 0 is no limit. Default 0.
func WithExponentialMaxWaitDurationInOpenState(d time.Duration) Option {
	return func(c *Config) { c.ExponentialMaxWaitDurationInOpenState = d }
}

// WithEnableRandomizedWait sets whether the wait in OPEN is drawn from its neighbourhood. Default false.
func WithEnableRandomizedWait(enable bool) Option {
	return func(c *Config) { c.EnableRandomizedWait = enable }
}

// WithRandomizedWaitFactor sets the width of WithEnableRandomizedWait as a share of the wait, 0 to 1. Default 0.5.
func WithRandomizedWaitFactor(share float64) Option {
	return func(c *Config) { c.RandomizedWaitFactor = share }
}

// WithMaxWaitDurationInHalfOpenState sets how long HALF_OPEN may wait for its results; 0 is without end. Default 0.
func WithMaxWaitDurationInHalfOpenState(d time.Duration) Option {
	return func(c *Config) { c.MaxWaitDurationInHalfOpenState = d }
}

// WithTransitionToStateAfterWaitDuration sets where HALF_OPEN goes after WithMaxWaitDurationInHalfOpenState: Open or
// Closed. Default Open.
func WithTransitionToStateAfterWaitDuration(s State) Option {
	return func(c *Config) { c.TransitionToStateAfterWaitDuration = s }
}

// WithAutomaticTransitionFromOpenToHalfOpenEnabled sets whether a timer ends OPEN rather than the next call.
// Default false.
func WithAutomaticTransitionFromOpenToHalfOpenEnabled(enable bool) Option {
	return func(c *Config) { c.AutomaticTransitionFromOpenToHalfOpenEnabled = enable }
}

// WithInitialState sets the state to start in. Default Closed.
func WithInitialState(s State) Option {
	return func(c *Config) { c.InitialState = s }
}

// WithRecordErrors sets which errors count as failures, while all others count as successes; nil is every error that is
// not ignored. The name of the function becomes the rule's text. Default nil.
func WithRecordErrors(match func(error) bool) Option {
	return WithRecordErrorsRule(policy.RuleOf(match))
}

// WithRecordErrorsRule is WithRecordErrors with a text of one's own, as generated code sets it.
func WithRecordErrorsRule(rule policy.ErrorRule) Option {
	return func(c *Config) { c.RecordErrors = rule }
}

// WithIgnoreErrors sets which errors count neither way; nil is none. It goes before WithRecordErrors. The name of the
// function becomes the rule's text. Default nil.
func WithIgnoreErrors(match func(error) bool) Option {
	return WithIgnoreErrorsRule(policy.RuleOf(match))
}

// WithIgnoreErrorsRule is WithIgnoreErrors with a text of one's own, as generated code sets it.
func WithIgnoreErrorsRule(rule policy.ErrorRule) Option {
	return func(c *Config) { c.IgnoreErrors = rule }
}

// WithRecordResult sets which results of Do count as failures. Default nil.
func WithRecordResult(failed func(result any) bool) Option {
	return func(c *Config) { c.RecordResult = failed }
}

// WithTransitionOnResult sets a function that may open the circuit breaker by the outcome of one call of Do, Run or
// Decorate. Default nil.
func WithTransitionOnResult(decide func(result any, err error) Transition) Option {
	return func(c *Config) { c.TransitionOnResult = decide }
}
