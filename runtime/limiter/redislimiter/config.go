package redislimiter

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/resilgen/resilgen/runtime/limiter"
)

// A RateType says whose a limit is.
type RateType = limiter.RateType

// The rate types.
const (
	Overall   = limiter.Overall   // all who use the name share one limit
	PerClient = limiter.PerClient // each client id has the limit for itself
)

const (
	maxRate     = math.MaxInt32
	maxInterval = 10 * 365 * 24 * time.Hour
	maxLimits   = 16
	exact       = 1024 // up to so many milliseconds, or permits, stamps are exact to the millisecond
)

// A Limit is how many permits there are in any stretch of time of one interval.
type Limit struct {
	Rate     int64         // from 1 to 2147483647
	Interval time.Duration // whole milliseconds, from 1 ms to 10 years
}

// width returns the width of the buckets in which permits are counted, or 0 where each millisecond is one.
func (l Limit) width() time.Duration {
	if l.Rate <= exact || l.Interval <= exact*time.Millisecond {
		return 0
	}
	return (l.Interval + exact*time.Microsecond - 1) / exact / time.Microsecond * time.Microsecond
}

func (l Limit) String() string { return fmt.Sprintf("%d/%v", l.Rate, l.Interval) }

// A Config is what Redis keeps of a limiter.
type Config struct {
	// RateType says whose the limit is. The zero value means Overall.
	RateType RateType
	// Rate and Interval are the limit: see [Limit].
	Rate     int64
	Interval time.Duration
	// And are further limits, up to 15: a permit is there if all of them have it.
	And []Limit
	// KeepAliveTime is how long the limiter is kept in Redis after it was used last: 0, or from the longest interval to
	// 10 years. 0 is the layout's default: two intervals and at least 24 hours, or 1 hour for a limiter that was made
	// with a rate and so makes itself anew.
	KeepAliveTime time.Duration
}

// limits returns all limits.
func (c *Config) limits() []Limit {
	return append([]Limit{{c.Rate, c.Interval}}, c.And...)
}

// least returns the smallest rate.
func (c *Config) least() int64 {
	least := c.Rate
	for _, l := range c.And {
		least = min(least, l.Rate)
	}
	return least
}

// longest returns the longest interval.
func (c *Config) longest() time.Duration {
	longest := c.Interval
	for _, l := range c.And {
		longest = max(longest, l.Interval)
	}
	return longest
}

func (c *Config) equal(other *Config) bool {
	if c.RateType != other.RateType || c.Rate != other.Rate || c.Interval != other.Interval || len(c.And) != len(other.And) {
		return false
	}
	for i, l := range c.And {
		if l != other.And[i] {
			return false
		}
	}
	return true
}

// validate reports every field that is out of range, and completes the config.
func (c *Config) validate() error {
	if c.RateType == 0 {
		c.RateType = Overall
	}
	var wrong []error
	if c.RateType != Overall && c.RateType != PerClient {
		wrong = append(wrong, fmt.Errorf("the rate type is %v; it must be OVERALL or PER_CLIENT", c.RateType))
	}
	if len(c.And) >= maxLimits {
		wrong = append(wrong, fmt.Errorf("there are %d limits; at most %d are possible", len(c.And)+1, maxLimits))
	}
	for _, l := range c.limits() {
		if l.Rate < 1 || l.Rate > maxRate {
			wrong = append(wrong, fmt.Errorf("the rate is %d; it must be from 1 to %d", l.Rate, maxRate))
		}
		if l.Interval < time.Millisecond || l.Interval > maxInterval || l.Interval%time.Millisecond != 0 {
			wrong = append(wrong, fmt.Errorf("the interval is %v; it must be whole milliseconds from 1ms to %v",
				l.Interval, maxInterval))
		}
	}
	if k := c.KeepAliveTime; k != 0 && (k < c.longest() || k > maxInterval || k%time.Millisecond != 0) {
		wrong = append(wrong, fmt.Errorf("the keep-alive time is %v; it must be 0, or whole milliseconds from the interval, "+
			"which is %v, to %v", k, c.longest(), maxInterval))
	}
	return errors.Join(wrong...)
}
