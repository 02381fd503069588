package config

import "github.com/resilgen/resilgen/runtime/policy"

var bulkheadKeys = policyKeys{
	kind:      policy.Bulkhead,
	instances: []string{"instances", "backends"},
	order:     "bulkheadAspectOrder",
	keys: common(
		Key{
			Name: "maxConcurrentCalls", Sets: "maxConcurrentCalls", Type: Int, Default: "25", Min: "1", Max: maxInt32,
			Doc: "How many calls are under way at most.",
		},
		Key{
			Name: "maxWaitDuration", Sets: "maxWaitDuration", Type: Duration, Default: "0", Min: "0",
			Doc: "How long a call waits for another one to end; 0 means not at all.",
		},
		stackTrace,
		Key{
			Name: "fairCallHandlingEnabled", Sets: "fairCallHandlingEnabled", Type: Bool, Default: "true", Ours: true,
			Doc: "Whether calls get in in the order in which they came.",
		},
	),
	elsewhere: map[string]string{
		"faircallhandlingstrategyenabled": "fairCallHandlingEnabled", "maxwaittime": "maxWaitDuration",
		"maxconcurrentcall": "maxConcurrentCalls", "maxconcurrency": "maxConcurrentCalls",
		"timeout": "maxWaitDuration", "timeoutduration": "maxWaitDuration",
	},
}

var poolKeys = policyKeys{
	kind:      policy.ThreadPoolBulkhead,
	instances: []string{"instances", "backends"},
	keys: common(
		Key{
			Name: "maxThreadPoolSize", Sets: "maxThreadPoolSize", Type: Int, Min: "1", Max: maxInt32,
			Doc: "How many calls run at most. The default is GOMAXPROCS.",
		},
		Key{
			Name: "coreThreadPoolSize", Sets: "coreThreadPoolSize", Type: Int, Default: "0", Min: "0", Max: maxInt32,
			Doc: "How many goroutines stay when they have nothing to do: at most maxThreadPoolSize; 0 means one less than " +
				"GOMAXPROCS.",
		},
		Key{
			Name: "queueCapacity", Sets: "queueCapacity", Type: Int, Default: "100", Min: "0", Max: maxInt32,
			Doc: "How many calls wait for a goroutine at most.",
		},
		Key{
			Name: "keepAliveDuration", Sets: "keepAliveDuration", Type: Duration, Default: "20ms", Min: "0",
			Doc: "How long a goroutine beyond the core stays when it has nothing to do.",
		},
		stackTrace,
		Key{Name: "contextPropagators", Type: NoMeaning, Doc: "Goroutines get the context of the call."},
	),
	elsewhere: map[string]string{
		"keepalivetime": "keepAliveDuration", "threadpoolsize": "maxThreadPoolSize", "queuesize": "queueCapacity",
		"maxconcurrentcalls": "maxThreadPoolSize",
	},
}
