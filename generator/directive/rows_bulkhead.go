package directive

var bulkheadSpec = Spec{
	Name:    "bulkhead",
	On:      OnInterface | OnMethod,
	Policy:  true,
	Package: "bulkhead",
	Doc: "Lets a limited number of calls run at the same time. Further calls wait for maxWaitDuration and are refused " +
		"then.",
	Refused:   "this version of resilgen has no bulkhead yet",
	Elsewhere: []string{"threadPoolBulkhead", "semaphore", "concurrency"},
	Keys: common(
		Key{
			Name: "type", Type: Enum, Default: "semaphore", Choices: []Choice{{Text: "semaphore"}, {Text: "pool"}},
			Doc: "How calls are limited: on the caller's goroutine (semaphore), or on a fixed number of workers with a " +
				"queue before them (pool).",
		},
		Key{
			Name: "maxConcurrentCalls", Type: Int, Default: "25", Min: "1", Max: maxInt32,
			Option: "WithMaxConcurrentCalls",
			Doc:    "The number of calls that may run at the same time. At least 1.",
		},
		Key{
			Name: "maxWaitDuration", Type: Duration, Default: "0s", Min: "0", Option: "WithMaxWaitDuration",
			Doc: "How long a call waits for its turn at most. 0 means that it never waits.",
		},
		Key{
			Name: "fairCallHandlingStrategyEnabled", Type: Bool, Default: "true",
			Option: "WithFairCallHandlingStrategyEnabled",
			Doc:    "Whether waiting calls get their turn in the order in which they came.",
		},
		Key{
			Name: "maxThreadPoolSize", Type: Int, Min: "1", Max: maxInt32, Option: "WithMaxThreadPoolSize",
			Doc: "With type=pool, the largest number of workers. At least 1; without it the number of processors.",
		},
		Key{
			Name: "coreThreadPoolSize", Type: Int, Min: "1", Max: maxInt32, Option: "WithCoreThreadPoolSize",
			Doc: "With type=pool, the number of workers that are kept. At least 1 and at most maxThreadPoolSize.",
		},
		Key{
			Name: "queueCapacity", Type: Int, Default: "100", Min: "0", Max: maxInt32, Option: "WithQueueCapacity",
			Doc: "With type=pool, the number of calls that may wait for a worker. 0 means that none does.",
		},
		Key{
			Name: "keepAliveDuration", Type: Duration, Default: "20ms", Min: "0", Option: "WithKeepAliveDuration",
			Doc: "With type=pool, how long a worker beyond coreThreadPoolSize is kept without work.",
		},
	),
	Foreign: foreignToAll(
		Foreign{Name: "maxConcurrent", Use: "maxConcurrentCalls"},
		Foreign{Name: "maxWaitTime", Use: "maxWaitDuration"},
		Foreign{Name: "contextPropagators", Note: "the context of a call goes with it"},
	),
}
