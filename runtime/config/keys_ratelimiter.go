package config

import (
	"slices"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

var rateLimiterKeys = policyKeys{
	kind:      policy.RateLimiter,
	instances: []string{"instances", "backends", "limiters"},
	order:     "rateLimiterAspectOrder",
	keys: common(slices.Concat([]Key{
		{
			Name: "limitForPeriod", Sets: "limitForPeriod", Type: Int, Default: "50", Min: "1", Max: maxInt32,
			Doc: "The number of permits in a period.",
		},
		{
			Name: "limitRefreshPeriod", Sets: "limitRefreshPeriod", Type: Duration, Default: "500ns", Min: "1ns",
			Doc: "The length of a period. With the default, which is Resilience4j's, hardly anything is limited.",
		},
		{
			Name: "timeoutDuration", Sets: "timeoutDuration", Type: Duration, Default: "5s", Min: "0",
			Doc: "How long a call waits for its permits; 0 means not at all.",
		},
	}, health(), []Key{
		{
			Name: "subscribeForEvents", Type: NoMeaning,
			Doc: "Events are delivered by Runtime.Subscribe, and kept by eventConsumerBufferSize.",
		},
		stackTrace,
		{
			Name: "algorithm", Sets: "algorithm", Type: Enum, Default: "CYCLE", Ours: true,
			Choices: []Choice{
				{"CYCLE", limiter.Cycle}, {"SLIDING", limiter.Sliding}, {"SMOOTH", limiter.Smooth},
			},
			Doc: "How permits come back: all at the start of each period, each one period after it was taken, or evenly " +
				"spaced.",
		},
		{
			Name: "burst", Sets: "burst", Type: Int, Default: "0", Min: "0", Max: maxInt32, Ours: true,
			Doc: "How many permits may be taken at once after a pause; 0 means 1. It needs algorithm: SMOOTH.",
		},
		{
			Name: "backend", Sets: "backend", Type: Text, Ours: true,
			Doc: "The name of the backend (WithLimiterBackend) that many processes share. Without it the limit is this " +
				"process's own.",
		},
		{
			Name: "rateType", Sets: "rateType", Type: Enum, Ours: true,
			Choices: []Choice{{"OVERALL", limiter.Overall}, {"PER_CLIENT", limiter.PerClient}},
			Doc:     "With a backend: whether all processes share one limit, or each has it for itself.",
		},
		{
			Name: "onUnavailable", Sets: "onUnavailable", Type: Enum, Ours: true,
			Choices: []Choice{{"DENY", limiter.Deny}, {"ALLOW", limiter.Allow}, {"LOCAL", limiter.Local}},
			Doc: "With a backend: what becomes of calls while it does not answer. They are refused, pass, or are limited " +
				"in this process alone.",
		},
		{
			Name: "onRateMismatch", Sets: "onRateMismatch", Type: Enum, Ours: true,
			Choices: []Choice{{"OVERWRITE", limiter.Overwrite}, {"ADOPT", limiter.Adopt}},
			Doc:     "With a backend: whose rate counts when it has another one for the name, this process's or its own.",
		},
		{
			Name: "keepAliveTime", Sets: "keepAliveTime", Type: Duration, Default: "0", Min: "0", Ours: true,
			Doc: "With a backend: how long it keeps an unused limit at least; 0 leaves it to the backend.",
		},
		{
			Name: "shards", Sets: "shards", Type: Int, Default: "0", Min: "0", Max: "1024", Ours: true,
			Doc: "With a backend: over how many keys it spreads the limit; 0 means 1.",
		},
		{
			Name: "lease", Sets: "lease", Type: Int, Default: "0", Min: "0", Max: "536870911", Ours: true,
			Doc: "With a backend: how many permits this process takes in advance, at most a quarter of limitForPeriod.",
		},
	}, functions("drainPermissionsOnResult"))...),
	needs: []need{
		{
			"burst", []string{"algorithm"}, func(value any) bool { return value == limiter.Smooth },
			"algorithm: SMOOTH",
		},
		healthNeeds,
	},
	elsewhere: map[string]string{
		"timeout": "timeoutDuration", "timeoutinmillis": "timeoutDuration",
		"limitrefreshperiodinnanos": "limitRefreshPeriod", "limit": "limitForPeriod", "rate": "limitForPeriod",
		"period": "limitRefreshPeriod", "permits": "limitForPeriod, or permits= in the annotation",
		"drainpermissions": "drainPermissionsOnResult",
	},
}
