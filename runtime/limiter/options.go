package limiter

import "time"

// An Option changes one field of a [Config]; the last one given wins.
type Option func(*Config)

// WithLimitForPeriod sets the number of permits in a period. From 1 to 2147483647; default 50.
func WithLimitForPeriod(n int) Option { return func(c *Config) { c.LimitForPeriod = n } }

// WithLimitRefreshPeriod sets the length of a period. At least 1 ns; default 500 ns, which is hardly what anybody
// wants.
func WithLimitRefreshPeriod(d time.Duration) Option {
	return func(c *Config) { c.LimitRefreshPeriod = d }
}

// WithTimeoutDuration sets how long a call waits for its permits at most. At least 0, which means not at all; default
// 5 s.
func WithTimeoutDuration(d time.Duration) Option { return func(c *Config) { c.TimeoutDuration = d } }

// WithAlgorithm sets how permits come back. Default Cycle.
func WithAlgorithm(a Algorithm) Option { return func(c *Config) { c.Algorithm = a } }

// WithBurst sets how many permits Smooth lets pass at once. From 0 to 2147483647; default 0, which means 1.
func WithBurst(n int) Option { return func(c *Config) { c.Burst = n } }

// WithDrainPermissionsOnResult sets what decides that the outcome of a call takes away the permits that are left.
// Default nil: never.
func WithDrainPermissionsOnResult(drains func(result any, err error) bool) Option {
	return func(c *Config) { c.DrainPermissionsOnResult = drains }
}

// WithBackend names the backend, among those that the runtime knows, which makes the decisions. Default empty: they
// are made in this process.
func WithBackend(name string) Option { return func(c *Config) { c.Backend = name } }

// WithRateType sets whose the limit is that a backend keeps. Default: as the backend has it.
func WithRateType(t RateType) Option { return func(c *Config) { c.RateType = t } }

// WithOnUnavailable sets what becomes of calls while the backend does not answer. Default: as the backend has it.
func WithOnUnavailable(u OnUnavailable) Option { return func(c *Config) { c.OnUnavailable = u } }

// WithOnRateMismatch sets whose rate counts when the backend has another one. Default: as the backend has it.
func WithOnRateMismatch(m OnRateMismatch) Option { return func(c *Config) { c.OnRateMismatch = m } }

// WithKeepAliveTime sets how long the backend keeps an unused limit at least. Default 0: as the backend has it.
func WithKeepAliveTime(d time.Duration) Option { return func(c *Config) { c.KeepAliveTime = d } }

// WithShards sets over how many keys the backend spreads the limit. From 0 to 1024; default 0, which means 1.
func WithShards(n int) Option { return func(c *Config) { c.Shards = n } }

// WithLease sets how many permits this process may take from the backend in advance. From 0 to a quarter of the limit;
// default 0: none.
func WithLease(n int) Option { return func(c *Config) { c.Lease = n } }

// WithEnabled switches the rate limiter on or off. Default true.
func WithEnabled(enabled bool) Option { return func(c *Config) { c.Enabled = enabled } }
