package directive

var rateLimiterSpec = Spec{
	Name:    "ratelimiter",
	On:      OnInterface | OnMethod,
	Policy:  true,
	Package: "limiter",
	Doc: "Lets through at most limitForPeriod calls in each limitRefreshPeriod. Further calls wait for the next period, " +
		"or are refused at once if their time would be up before.",
	Refused:   "this version of resilgen has no rate limiter yet",
	Elsewhere: []string{"limiter", "throttle", "rate"},
	Keys: common(
		Key{
			Name: "limitForPeriod", Type: Int, Default: "50", Min: "1", Max: maxInt32, Option: "WithLimitForPeriod",
			Doc: "The number of permits in one period. At least 1.",
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
			Name: "permits", Type: Text, Default: "1",
			Doc: "The number of permits that a call takes: a number, or where to find it, as in {qty}. A call that takes " +
				"0 passes.",
		},
		Key{
			Name: "backend", Type: Text,
			Doc: "The name of the limiter backend, as in redis, that keeps the permits of many processes. Without it the " +
				"limit is this process's own.",
		},
		Key{
			Name: "drainPermissionsOnResult", Type: Function, Func: "func(results..., error) bool",
			Doc: "A function that reports whether what a call returned takes away the permits that are left in the period.",
		},
	),
	Foreign: foreignToAll(
		Foreign{Name: "timeout", Use: "timeoutDuration"},
		Foreign{Name: "subscribeForEvents", Note: "events are not buffered; subscribe to the instance instead"},
	),
}
