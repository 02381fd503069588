package config

import (
	"slices"
	"time"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

func states(which ...breaker.State) []Choice {
	var choices []Choice
	for _, s := range which {
		choices = append(choices, Choice{s.String(), s})
	}
	return choices
}

var circuitBreakerKeys = policyKeys{
	kind:      policy.CircuitBreaker,
	instances: []string{"instances", "backends"},
	order:     "circuitBreakerAspectOrder",
	keys: common(slices.Concat([]Key{
		{
			Name: "failureRateThreshold", Sets: "failureRateThreshold", Type: Float, Default: "50", Min: "0", Max: "100",
			Above: true, Doc: "The share of failures, in percent, at which the breaker opens.",
		},
		{
			Name: "slowCallRateThreshold", Sets: "slowCallRateThreshold", Type: Float, Default: "100", Min: "0",
			Max: "100", Above: true, Doc: "The share of slow calls, in percent, at which the breaker opens.",
		},
		{
			Name: "slowCallDurationThreshold", Sets: "slowCallDurationThreshold", Type: Duration, Default: "60s", Min: "0",
			Doc: "A call that takes longer is slow; 0 turns the rule off.",
		},
		{
			Name: "slidingWindowType", Sets: "slidingWindowType", Type: Enum, Default: "COUNT_BASED",
			Choices: []Choice{{"COUNT_BASED", breaker.CountBased}, {"TIME_BASED", breaker.TimeBased}},
			Doc:     "Whether the window holds the last calls or the calls of the last seconds.",
		},
		{
			Name: "slidingWindowSize", Sets: "slidingWindowSize", Type: Int, Default: "100", Min: "1", Max: maxInt32,
			Doc: "The size of the window, in calls or seconds.",
		},
		{
			Name: "minimumNumberOfCalls", Sets: "minimumNumberOfCalls", Type: Int, Default: "100", Min: "1",
			Doc: "How many calls the window must hold before it is judged; at most slidingWindowSize counts with COUNT_BASED.",
		},
		{
			Name: "permittedNumberOfCallsInHalfOpenState", Sets: "permittedNumberOfCallsInHalfOpenState", Type: Int,
			Default: "10", Min: "1", Max: maxInt32, Doc: "How many calls HALF_OPEN admits, and after how many it decides.",
		},
		{
			Name: "waitDurationInOpenState", Sets: "waitDurationInOpenState", Type: Duration, Default: "60s", Min: "1ms",
			Doc: "How long OPEN lasts.",
		},
		{
			Name: "maxWaitDurationInHalfOpenState", Sets: "maxWaitDurationInHalfOpenState", Type: Duration, Default: "0",
			Min: "0", Doc: "How long HALF_OPEN waits for its results; 0 sets no limit.",
		},
		{
			Name: "transitionToStateAfterWaitDuration", Sets: "transitionToStateAfterWaitDuration", Type: Enum,
			Default: "OPEN", Choices: states(breaker.Open, breaker.Closed),
			Doc: "The state after maxWaitDurationInHalfOpenState, which it needs.",
		},
		{
			Name: "automaticTransitionFromOpenToHalfOpenEnabled", Sets: "automaticTransitionFromOpenToHalfOpenEnabled",
			Type: Bool, Default: "false", Doc: "Whether a timer ends OPEN, and not the first call after the wait.",
		},
		{
			Name: "initialState", Sets: "initialState", Type: Enum, Default: "CLOSED",
			Choices: states(breaker.Closed, breaker.Open, breaker.HalfOpen, breaker.Disabled, breaker.ForcedOpen,
				breaker.MetricsOnly),
			Doc: "The state that an instance starts in.",
		},
		{
			Name: "enableExponentialBackoff", Sets: "enableExponentialBackoff", Type: Bool, Default: "false",
			Doc: "Whether each stay in OPEN that follows HALF_OPEN is exponentialBackoffMultiplier times the one before.",
		},
		{
			Name: "exponentialBackoffMultiplier", Sets: "exponentialBackoffMultiplier", Type: Float, Default: "1.5",
			Min: "1", Doc: "The factor of enableExponentialBackoff.",
		},
		{
			Name: "exponentialMaxWaitDurationInOpenState", Sets: "exponentialMaxWaitDurationInOpenState", Type: Duration,
			Default: "0", Min: "0",
			Doc: "The longest stay in OPEN with enableExponentialBackoff or enableRandomizedWait; 0 sets no limit.",
		},
		{
			Name: "enableRandomizedWait", Sets: "enableRandomizedWait", Type: Bool, Default: "false",
			Doc: "Whether each stay in OPEN is drawn from its neighbourhood.",
		},
		{
			Name: "randomizedWaitFactor", Sets: "randomizedWaitFactor", Type: Float, Default: "0.5", Min: "0", Max: "1",
			Doc: "The size of that neighbourhood: 0.5 draws from half the wait to one and a half.",
		},
		{
			Name: "recordExceptions", Sets: "recordErrors", Type: NameList,
			Doc: "The errors that count as failures, beside those of recordErrors.",
		},
		{
			Name: "recordFailurePredicate", Sets: "recordErrors", Type: NameList,
			Doc: "One more name for recordErrors; its target may be a func(error) bool.",
		},
		{
			Name: "ignoreExceptions", Sets: "ignoreErrors", Type: NameList,
			Doc: "The errors that count neither way, beside those of ignoreErrors.",
		},
		{
			Name: "ignoreExceptionPredicate", Sets: "ignoreErrors", Type: NameList,
			Doc: "One more name for ignoreErrors; its target may be a func(error) bool.",
		},
		{
			Name: "recordResultPredicate", Sets: "recordResult", Type: NameList,
			Doc: "A function. A file cannot hold one: write recordResult in the annotation or in code.",
		},
	}, health(), []Key{
		stackTrace,
		{Name: "ignoreClassBindingExceptions", Type: NoMeaning, Doc: "There are no classes to bind."},
		{
			Name: "ignoreExceptionsPrecedenceEnabled", Type: NoMeaning, Doc: "ignoreErrors always goes before recordErrors.",
		},
		{
			Name: "slidingWindowSynchronizationStrategy", Type: NoMeaning, Doc: "Windows are always synchronized.",
		},
		{
			Name: "recordErrors", Sets: "recordErrors", Type: NameList, Ours: true,
			Doc: "The errors that count as failures, by Go name; all others are then successes. Without it every error is one.",
		},
		{
			Name: "ignoreErrors", Sets: "ignoreErrors", Type: NameList, Ours: true,
			Doc: "The errors that count neither way, also where recordErrors has them.",
		},
		{
			Name: "forceState", Sets: "forceState", Type: Enum, Ours: true,
			Choices: states(breaker.ForcedOpen, breaker.Disabled, breaker.MetricsOnly, breaker.Closed),
			Doc: "Keeps the breaker in this state for as long as the key is there: FORCED_OPEN refuses all calls, " +
				"DISABLED admits all, METRICS_ONLY admits all and counts. When the key goes, or is CLOSED, the breaker is " +
				"reset to CLOSED.",
		},
	}, functions("waitIntervalFunctionInOpenState", "recordResult", "transitionOnResult"))...),
	needs: []need{
		{"exponentialBackoffMultiplier", []string{"enableExponentialBackoff"}, isTrue, "enableExponentialBackoff: true"},
		{
			"exponentialMaxWaitDurationInOpenState", []string{"enableExponentialBackoff", "enableRandomizedWait"}, isTrue,
			"enableExponentialBackoff: true or enableRandomizedWait: true",
		},
		{"randomizedWaitFactor", []string{"enableRandomizedWait"}, isTrue, "enableRandomizedWait: true"},
		{
			"transitionToStateAfterWaitDuration", []string{"maxWaitDurationInHalfOpenState"},
			func(value any) bool { return value != time.Duration(0) }, "maxWaitDurationInHalfOpenState",
		},
		healthNeeds,
	},
	elsewhere: map[string]string{
		"ringbuffersizeinclosedstate":           "slidingWindowSize",
		"ringbuffersizeinhalfopenstate":         "permittedNumberOfCallsInHalfOpenState",
		"waitinterval":                          "waitDurationInOpenState",
		"waitduration":                          "waitDurationInOpenState",
		"exponentialmaxwaitduration":            "exponentialMaxWaitDurationInOpenState",
		"recordexception":                       "recordErrors",
		"recordfailure":                         "recordErrors",
		"automatictransitionfromopentohalfopen": "automaticTransitionFromOpenToHalfOpenEnabled",
		"timeout":                               "slowCallDurationThreshold, or a timelimiter",
		"state":                                 "forceState",
	},
}
