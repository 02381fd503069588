package directive

var bulkheadSpec = Spec{
	Name:    "bulkhead",
	On:      OnInterface | OnMethod,
	Policy:  true,
	Package: "bulkhead",
	Doc: "Lets a limited number of calls be under way at the same time. With type=semaphore, further calls wait for " +
		"maxWaitDuration at most and are refused then; with type=pool they wait in a queue and are refused when that is " +
		"full.",
	Elsewhere: []string{"threadPoolBulkhead", "semaphore", "concurrency"},
	Keys:      bulkheadKeys(),
	Foreign: foreignToAll(
		Foreign{Name: "maxConcurrent", Use: "maxConcurrentCalls"},
		Foreign{Name: "maxWaitTime", Use: "maxWaitDuration"},
		Foreign{Name: "contextPropagators", Note: "the context of a call goes with it"},
		Foreign{Name: "rejectedExecutionHandler", Use: "fallback"},
	),
}

// The types of bulkheads.
const (
	semaphore = "semaphore"
	pool      = "pool"
)

func bulkheadKeys() []Key {
	keys := common(
		Key{
			Name: "type", Type: Enum, Default: semaphore, Choices: []Choice{{Text: semaphore}, {Text: pool}},
			Doc: "How calls are limited: on the goroutine of their caller (semaphore), or on a limited number of other " +
				"goroutines with a queue before them (pool), so that the caller gets away in time even when the call does not " +
				"heed its context. Instances of the two types do not share their names.",
		},
		Key{
			Name: "maxConcurrentCalls", Type: Int, Default: "25", Min: "1", Max: maxInt32,
			Option: "WithMaxConcurrentCalls", Of: semaphore,
			Doc: "With type=semaphore, the number of calls that may be under way at the same time. At least 1.",
		},
		Key{
			Name: "maxWaitDuration", Type: Duration, Default: "0s", Min: "0", Option: "WithMaxWaitDuration", Of: semaphore,
			Doc: "With type=semaphore, how long a call waits for its turn at most. 0 means that it never waits.",
		},
		Key{
			Name: "fairCallHandlingEnabled", Aliases: []string{"fairCallHandlingStrategyEnabled"}, Type: Bool,
			Default: "true", Option: "WithFairCallHandlingEnabled", Of: semaphore,
			Doc: "With type=semaphore, whether calls that wait get their turn before those that come later. Resilience4j calls " +
				"it fairCallHandlingStrategyEnabled, which is taken too.",
		},
		Key{
			Name: "maxThreadPoolSize", Type: Int, Min: "1", Max: maxInt32, Option: "WithMaxThreadPoolSize", Of: pool,
			Doc: "With type=pool, the number of calls that may run at the same time, each on a goroutine of the pool. At " +
				"least 1; without it the number of processors.",
		},
		Key{
			Name: "coreThreadPoolSize", Type: Int, Default: "0", Min: "0", Max: maxInt32, Option: "WithCoreThreadPoolSize",
			Of: pool,
			Doc: "With type=pool, the number of goroutines that are kept without work. At most maxThreadPoolSize; 0 means " +
				"one less than the number of processors, within that range.",
		},
		Key{
			Name: "queueCapacity", Type: Int, Default: "100", Min: "0", Max: maxInt32, Option: "WithQueueCapacity", Of: pool,
			Doc: "With type=pool, the number of calls that may wait for a goroutine. 0 means that none does.",
		},
		Key{
			Name: "keepAliveDuration", Type: Duration, Default: "20ms", Min: "0", Option: "WithKeepAliveDuration", Of: pool,
			Doc: "With type=pool, how long a goroutine beyond coreThreadPoolSize is kept without work.",
		},
	)
	for i := range keys { // the one key that both types have as an option
		if keys[i].Name == "enabled" {
			keys[i].PoolOption = "WithPoolEnabled"
		}
	}
	return keys
}
