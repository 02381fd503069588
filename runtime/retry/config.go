package retry

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Config says which calls are repeated, how often and after which wait. The fields, defaults and ranges are those of
// Resilience4j's RetryConfig where it has one. Start from [DefaultConfig]; the zero Config is not valid.
type Config struct {
	// MaxAttempts is how often a call is made at most, the first time included. At least 1; default 3.
	MaxAttempts int
	// WaitDuration is the pause before an attempt, and the first one where waits grow. At least 0; default 500 ms.
	WaitDuration time.Duration
	// IntervalFunction gives the pause after the given attempt, which starts at 1; a negative one means stop. It takes
	// the place of WaitDuration and cannot be combined with the growing and randomised waits. Default nil.
	IntervalFunction func(attempt int) time.Duration
	// IntervalBiFunction is IntervalFunction with a view of what the attempt came to: an error, or a result that
	// RetryResult finds bad, beside a nil error. The result is nil beside an error, and always nil in generated code,
	// which keeps results in their own types. It cannot be combined with IntervalFunction. Default nil.
	IntervalBiFunction func(attempt int, result any, err error) time.Duration
	// EnableExponentialBackoff makes the n-th pause WaitDuration * ExponentialBackoffMultiplier^(n-1). Default false.
	EnableExponentialBackoff bool
	// ExponentialBackoffMultiplier is at least 1; default 1.5.
	ExponentialBackoffMultiplier float64
	// ExponentialMaxWaitDuration is the longest pause with EnableExponentialBackoff, applied last. At least 0; default
	// 0, which means none.
	ExponentialMaxWaitDuration time.Duration
	// EnableRandomizedWait draws each pause evenly from its neighbourhood. Default false.
	EnableRandomizedWait bool
	// RandomizedWaitFactor is the size of that neighbourhood: 0.5 draws from half the pause to one and a half. From 0
	// to 1; default 0.5.
	RandomizedWaitFactor float64
	// MaxDuration bounds the time from Begin, just before the first attempt, to the start of the last one: a pause that
	// would end later is not begun. It never cuts an attempt short. At least 0; default 0, which means none.
	MaxDuration time.Duration
	// RetryErrors are the errors that are worth another attempt. Default absent: every error, but no refusal by a policy
	// further in. A refusal is retried only if RetryErrors matches it.
	RetryErrors policy.ErrorRule
	// IgnoreErrors are errors that are not, also where RetryErrors matches them. Default absent.
	IgnoreErrors policy.ErrorRule
	// RetryResult reports whether a result that came without an error is bad and worth another attempt. Do and Decorate
	// ask it; generated code calls the function that its annotation names. Default nil: no result is bad.
	RetryResult func(result any) bool
	// ConsumeResultBeforeRetryAttempt is given each bad result that another attempt is about to replace, after the
	// pause; attempt starts at 1. The last result goes to the caller instead. Used by Do and Decorate. Default nil.
	ConsumeResultBeforeRetryAttempt func(attempt int, result any)
	// FailAfterMaxAttempts makes a bad result that is left in the end come with an [*ExhaustedError], where it otherwise
	// comes with a nil error. Default false.
	FailAfterMaxAttempts bool
	// Enabled false passes calls untouched and uncounted. Default true.
	Enabled bool
}

// DefaultConfig returns the defaults that the fields of [Config] name.
func DefaultConfig() Config {
	return Config{
		MaxAttempts:                  3,
		WaitDuration:                 500 * time.Millisecond,
		ExponentialBackoffMultiplier: 1.5,
		RandomizedWaitFactor:         0.5,
		Enabled:                      true,
	}
}

// Validate reports every field that is out of range, and intervals that exclude each other.
func (c Config) Validate() error {
	var wrong []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	check(c.MaxAttempts >= 1, "maxAttempts is %d; it must be at least 1, which is the first call", c.MaxAttempts)
	check(c.WaitDuration >= 0, "waitDuration is %v; it must not be negative", c.WaitDuration)
	check(c.ExponentialBackoffMultiplier >= 1 && !math.IsInf(c.ExponentialBackoffMultiplier, 1),
		"exponentialBackoffMultiplier is %v; it must be at least 1", c.ExponentialBackoffMultiplier)
	check(c.ExponentialMaxWaitDuration >= 0,
		"exponentialMaxWaitDuration is %v; it must not be negative, and 0 means none", c.ExponentialMaxWaitDuration)
	check(c.RandomizedWaitFactor >= 0 && c.RandomizedWaitFactor <= 1,
		"randomizedWaitFactor is %v; it must be from 0 to 1", c.RandomizedWaitFactor)
	check(c.MaxDuration >= 0, "maxDuration is %v; it must not be negative, and 0 means none", c.MaxDuration)
	check(c.IntervalFunction == nil || c.IntervalBiFunction == nil,
		"intervalFunction is set beside intervalBiFunction; one of them must be left out")
	own := "intervalFunction"
	if c.IntervalBiFunction != nil {
		own = "intervalBiFunction"
	}
	custom := c.IntervalFunction != nil || c.IntervalBiFunction != nil
	check(!custom || !c.EnableExponentialBackoff,
		"enableExponentialBackoff is set beside %s; one of them must be left out", own)
	check(!custom || !c.EnableRandomizedWait,
		"enableRandomizedWait is set beside %s; one of them must be left out", own)
	return errors.Join(wrong...)
}

// An Option changes one field of a [Config]; the last one given wins.
type Option func(*Config)

// WithMaxAttempts sets how often a call is made at most, the first time included. At least 1; default 3.
func WithMaxAttempts(n int) Option { return func(c *Config) { c.MaxAttempts = n } }

// WithWaitDuration sets the pause before an attempt, and the first one where waits grow. At least 0; default 500 ms.
func WithWaitDuration(d time.Duration) Option { return func(c *Config) { c.WaitDuration = d } }

// WithIntervalFunction sets what gives the pause after an attempt, the first being 1; a negative one means stop.
func WithIntervalFunction(interval func(attempt int) time.Duration) Option {
	return func(c *Config) { c.IntervalFunction = interval }
}

// WithIntervalBiFunction sets what gives the pause after an attempt from its bad result or error; a negative one means
// stop. Generated code passes no result: there it is always nil.
func WithIntervalBiFunction(interval func(attempt int, result any, err error) time.Duration) Option {
	return func(c *Config) { c.IntervalBiFunction = interval }
}

// WithEnableExponentialBackoff makes each pause a multiple of the one before. Default false.
func WithEnableExponentialBackoff(enable bool) Option {
	return func(c *Config) { c.EnableExponentialBackoff = enable }
}

// WithExponentialBackoffMultiplier sets that multiple. At least 1; default 1.5.
func WithExponentialBackoffMultiplier(multiplier float64) Option {
	return func(c *Config) { c.ExponentialBackoffMultiplier = multiplier }
}

// WithExponentialMaxWaitDuration sets the longest growing pause. At least 0; default 0, which means none.
func WithExponentialMaxWaitDuration(d time.Duration) Option {
	return func(c *Config) { c.ExponentialMaxWaitDuration = d }
}

// WithEnableRandomizedWait draws each pause from its neighbourhood. Default false.
func WithEnableRandomizedWait(enable bool) Option {
	return func(c *Config) { c.EnableRandomizedWait = enable }
}

// WithRandomizedWaitFactor sets the size of that neighbourhood as a share of the pause. From 0 to 1; default 0.5.
func WithRandomizedWaitFactor(factor float64) Option {
	return func(c *Config) { c.RandomizedWaitFactor = factor }
}

// WithMaxDuration bounds the time from Begin to the start of the last attempt. At least 0; default 0, which means none.
func WithMaxDuration(d time.Duration) Option { return func(c *Config) { c.MaxDuration = d } }

// WithRetryErrors sets which errors are worth another attempt; nil means every one. Default nil.
func WithRetryErrors(match func(error) bool) Option { return WithRetryErrorsRule(policy.RuleOf(match)) }

// WithRetryErrorsRule is [WithRetryErrors] with a text of its own.
func WithRetryErrorsRule(rule policy.ErrorRule) Option {
	return func(c *Config) { c.RetryErrors = rule }
}

// WithIgnoreErrors sets which errors are not, also where the errors to retry include them. Default nil: none.
func WithIgnoreErrors(match func(error) bool) Option {
	return WithIgnoreErrorsRule(policy.RuleOf(match))
}

// WithIgnoreErrorsRule is [WithIgnoreErrors] with a text of its own.
func WithIgnoreErrorsRule(rule policy.ErrorRule) Option {
	return func(c *Config) { c.IgnoreErrors = rule }
}

// WithRetryResult sets which results are worth another attempt. Default nil: none.
func WithRetryResult(bad func(result any) bool) Option {
	return func(c *Config) { c.RetryResult = bad }
}

// WithConsumeResultBeforeRetryAttempt sets who is given a bad result before another attempt replaces it. Default nil.
func WithConsumeResultBeforeRetryAttempt(consume func(attempt int, result any)) Option {
	return func(c *Config) { c.ConsumeResultBeforeRetryAttempt = consume }
}

// WithFailAfterMaxAttempts makes a bad result that is left in the end an [*ExhaustedError]. Default false.
func WithFailAfterMaxAttempts(fail bool) Option {
	return func(c *Config) { c.FailAfterMaxAttempts = fail }
}

// WithEnabled switches the retry on or off. Default true.
func WithEnabled(enabled bool) Option { return func(c *Config) { c.Enabled = enabled } }

// backoff returns the arithmetic of the waits where no function gives them.
func (c *Config) backoff() policy.Backoff {
	b := policy.Backoff{
		Initial:     c.WaitDuration,
		Exponential: c.EnableExponentialBackoff,
		Multiplier:  c.ExponentialBackoffMultiplier,
		Randomized:  c.EnableRandomizedWait,
		Factor:      c.RandomizedWaitFactor,
	}
	if c.EnableExponentialBackoff {
		b.Max = c.ExponentialMaxWaitDuration
	}
	return b
}

// retries reports whether err is worth another attempt; refused says that a policy further in made it.
func (c *Config) retries(err error, refused bool) bool {
	if c.IgnoreErrors.Matches(err) {
		return false
	}
	if c.RetryErrors.IsZero() {
		return !refused
	}
	return c.RetryErrors.Matches(err)
}
