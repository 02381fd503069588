package directive

var rateLimiterSpec = Spec{
	Name:    "ratelimiter",
	On:      OnInterface | OnMethod,
	Policy:  true,
	Package: "limiter",
	Doc: "Lets at most limitForPeriod permits be taken in each limitRefreshPeriod. Further calls wait for theirs, or are " +
		"refused at once if they do not come within timeoutDuration or before the call's deadline.",
	Elsewhere: []string{"limiter", "throttle", "rate"},
	Keys: common(
		Key{
			Name: "limitForPeriod", Type: Int, Default: "50", Min: "1", Max: maxInt32, Option: "WithLimitForPeriod",
			Doc: "The number of permits in one period. At least 1. It goes with a limitRefreshPeriod.",
		},
		Key{
			Name: "limitRefreshPeriod", Type: Duration, Default: "500ns", Min: "1ns", Option: "WithLimitRefreshPeriod",
			Doc: "The length of a period. At least 1ns; the default, which is Resilience4j's, limits nothing in practice.",
		},
		Key{
			Name: "timeoutDuration", Type: Duration, Default: "5s", Min: "0", Option: "WithTimeoutDuration",
			Doc: "How long a call waits for permits at most. 0 means that it never waits.",
		},
		Key{
			Name: "algorithm", Type: Enum, Default: "CYCLE", Option: "WithAlgorithm",
			Choices: []Choice{
				{Text: "CYCLE", Go: "Cycle"}, {Text: "SLIDING", Go: "Sliding"}, {Text: "SMOOTH", Go: "Smooth"},
			},
			Doc: "How permits come back: all at once at the start of each period (CYCLE, as in Resilience4j), each one " +
				"period after it was taken, so that no window of one period has more than the limit (SLIDING), or one after " +
				"the other, evenly spaced (SMOOTH).",
		},
		Key{
			Name: "burst", Type: Int, Default: "0", Min: "0", Max: maxInt32, Option: "WithBurst",
			Doc: "With algorithm=SMOOTH, the number of permits that may be taken at once after a pause. 0 means 1.",
		},
		Key{
			Name: "permits", Type: Count, Default: "1", Min: "1", Max: maxInt32,
			Doc: "The number of permits that a call takes. A number of at least 1, or in braces where each call has it: " +
				"{qty} or {0}, a parameter; {req.Qty} or {req.Qty()}, a path from one; {len(items)} or {weight(req)}, a " +
				"function of such paths. It is of an integer type; a call that gives 0 passes, and a negative number is an " +
				"error. A path is evaluated as Go would, so that a nil pointer on it panics in the caller.",
		},
		Key{
			Name: "backend", Type: Text, Option: "WithBackend",
			Doc: "The name of the limiter backend, as in redis, that keeps the permits of many processes. Without it the " +
				"limit is this process's own.",
		},
		Key{
			Name: "rateType", Type: Enum, Option: "WithRateType", Choices: []Choice{{Text: "OVERALL", Go: "Overall"}, {Text: "PER_CLIENT", Go: "PerClient"}},
			Doc: "With backend=, whether all processes share one limit (OVERALL, which Redis has by default) or each has it for itself (PER_CLIENT).",
		},
		Key{
			Name: "onUnavailable", Type: Enum, Option: "WithOnUnavailable", Choices: []Choice{{Text: "DENY", Go: "Deny"}, {Text: "ALLOW", Go: "Allow"}, {Text: "LOCAL", Go: "Local"}},
			Doc: "With backend=, what becomes of calls while the backend does not answer: refuse them (DENY, which Redis has by default), " +
				"let them pass (ALLOW), or limit this process alone with the same settings (LOCAL).",
		},
		Key{
			Name: "onRateMismatch", Type: Enum, Option: "WithOnRateMismatch", Choices: []Choice{{Text: "OVERWRITE", Go: "Overwrite"}, {Text: "ADOPT", Go: "Adopt"}},
			Doc: "With backend=, whose rate counts when the backend has another one for the name: this process's (OVERWRITE, which Redis has by " +
				"default), or the backend's (ADOPT).",
		},
		Key{
			Name: "keepAliveTime", Type: Duration, Min: "0", Option: "WithKeepAliveTime",
			Doc: "With backend=, how long the backend keeps an unused limit at least. 0 leaves it to the backend.",
		},
		Key{
			Name: "shards", Type: Int, Min: "0", Max: "1024", Option: "WithShards",
			Doc: "With backend=, over how many keys the backend spreads the limit, for a fleet that is too large for one. 0 means 1.",
		},
		Key{
			Name: "lease", Type: Int, Min: "0", Max: "536870911", Option: "WithLease",
			Doc: "With backend=, how many permits this process may take from the backend in advance, at most a quarter of " +
				"limitForPeriod. 0 means none.",
		},
		Key{
			Name: "drainPermissionsOnResult", Type: Function, Func: "func(results..., error) bool",
			Doc: "A function that reports whether what a call returned, as when the server says that it has had enough, " +
				"takes away the permits that are left.",
		},
	),
	Foreign: foreignToAll(
		Foreign{Name: "timeout", Use: "timeoutDuration"},
		Foreign{Name: "timeoutInMillis", Use: "timeoutDuration"},
		Foreign{Name: "limitRefreshPeriodInNanos", Use: "limitRefreshPeriod"},
		Foreign{Name: "subscribeForEvents", Note: "events are not buffered; subscribe to the instance instead"},
	),
}
