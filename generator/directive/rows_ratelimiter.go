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
