package bulkhead

import "time"

// An Option changes one field of a [Config]; the last one given wins.
type Option func(*Config)

// WithMaxConcurrentCalls sets how many calls are under way at most. From 1 to 2147483647; default 25.
func WithMaxConcurrentCalls(n int) Option { return func(c *Config) { c.MaxConcurrentCalls = n } }

// WithMaxWaitDuration sets how long a call waits for another one to end. At least 0, which means not at all; default
// 0.
func WithMaxWaitDuration(d time.Duration) Option { return func(c *Config) { c.MaxWaitDuration = d } }

// WithFairCallHandlingEnabled lets waiting calls in before those that come later. Default true.
func WithFairCallHandlingEnabled(fair bool) Option {
	return func(c *Config) { c.FairCallHandlingEnabled = fair }
}

// WithEnabled switches the bulkhead on or off. Default true.
func WithEnabled(enabled bool) Option { return func(c *Config) { c.Enabled = enabled } }

// A PoolOption changes one field of a [PoolConfig]; the last one given wins.
type PoolOption func(*PoolConfig)

// WithMaxThreadPoolSize sets how many calls run at most. From 1 to 2147483647; default GOMAXPROCS.
func WithMaxThreadPoolSize(n int) PoolOption { return func(c *PoolConfig) { c.MaxThreadPoolSize = n } }

// WithCoreThreadPoolSize sets how many goroutines stay. From 1 to MaxThreadPoolSize, or 0, the default: one less than
// GOMAXPROCS, within that range.
func WithCoreThreadPoolSize(n int) PoolOption {
	return func(c *PoolConfig) { c.CoreThreadPoolSize = n }
}

// WithQueueCapacity sets how many calls wait for a goroutine at most. From 0 to 2147483647; default 100.
func WithQueueCapacity(n int) PoolOption { return func(c *PoolConfig) { c.QueueCapacity = n } }

// WithKeepAliveDuration sets how long a goroutine beyond the core stays without work. At least 0; default 20 ms.
func WithKeepAliveDuration(d time.Duration) PoolOption {
	return func(c *PoolConfig) { c.KeepAliveDuration = d }
}

// WithPoolEnabled switches the pool on or off. Default true.
func WithPoolEnabled(enabled bool) PoolOption { return func(c *PoolConfig) { c.Enabled = enabled } }
