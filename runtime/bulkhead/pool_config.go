package bulkhead

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// PoolConfig says how many goroutines a [Pool] has and how many calls may wait for one. The fields, their defaults
// and ranges are those of Resilience4j's ThreadPoolBulkheadConfig, whose threads are goroutines here. Start from
// [DefaultPoolConfig]; the zero PoolConfig is not valid.
type PoolConfig struct {
	// MaxThreadPoolSize is how many calls run at most. From 1 to 2147483647; default runtime.GOMAXPROCS.
	MaxThreadPoolSize int
	// CoreThreadPoolSize is how many goroutines stay when they have nothing to do. From 1 to MaxThreadPoolSize, or 0,
	// the default, which stands for one less than runtime.GOMAXPROCS, within that range: so a setting of
	// MaxThreadPoolSize alone is right on every machine.
	CoreThreadPoolSize int
	// QueueCapacity is how many calls wait for a goroutine at most while all of the core are busy. Only if so many
	// wait, goroutines beyond the core are started. From 0 to 2147483647; default 100.
	QueueCapacity int
	// KeepAliveDuration is how long a goroutine beyond the core stays when it has nothing to do. At least 0; default
	// 20 ms.
	KeepAliveDuration time.Duration
	// Enabled false runs calls on the goroutine of their caller, untouched and uncounted. Default true.
	Enabled bool
}

// DefaultPoolConfig returns the defaults that the fields of [PoolConfig] name.
func DefaultPoolConfig() PoolConfig {
	return PoolConfig{
		MaxThreadPoolSize: runtime.GOMAXPROCS(0),
		QueueCapacity:     100,
		KeepAliveDuration: 20 * time.Millisecond,
		Enabled:           true,
	}
}

// Validate reports every field that is out of range.
func (c PoolConfig) Validate() error {
	var core error
	if c.CoreThreadPoolSize < 0 || c.CoreThreadPoolSize > max(c.MaxThreadPoolSize, 0) {
		core = fmt.Errorf("coreThreadPoolSize is %d; it must be from 1 to maxThreadPoolSize, %d, "+
			"or 0 for one less than the processors", c.CoreThreadPoolSize, c.MaxThreadPoolSize)
	}
	return errors.Join(
		ranged("maxThreadPoolSize", c.MaxThreadPoolSize, 1),
		core,
		ranged("queueCapacity", c.QueueCapacity, 0),
		notNegative("keepAliveDuration", c.KeepAliveDuration),
	)
}

// core returns how many goroutines stay.
func (c *PoolConfig) core() int {
	if c.CoreThreadPoolSize > 0 {
		return c.CoreThreadPoolSize
	}
	return min(max(runtime.GOMAXPROCS(0)-1, 1), c.MaxThreadPoolSize)
}
