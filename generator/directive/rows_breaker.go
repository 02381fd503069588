package directive

var circuitBreakerSpec = Spec{
	Name:    "circuitbreaker",
	On:      OnInterface | OnMethod,
	Policy:  true,
	Package: "breaker",
	Doc: "Refuses calls for a while when too many of the last ones have failed or were slow. An open breaker answers at " +
		"once with an error that is breaker.ErrOpen; after a wait, a few calls find out whether it may close again.",
	Elsewhere: []string{"breaker", "cb", "circuit"},
	Keys: common(
		Key{
			Name: "failureRateThreshold", Type: Percent, Default: "50", Min: "0", Max: "100", Above: true,
			Option: "WithFailureRateThreshold",
			Doc:    "The share of failed calls, in percent, at which the breaker opens. Above 0 and at most 100.",
		},
		Key{
			Name: "slowCallRateThreshold", Type: Percent, Default: "100", Min: "0", Max: "100", Above: true,
			Option: "WithSlowCallRateThreshold",
			Doc:    "The share of slow calls, in percent, at which the breaker opens. Above 0 and at most 100.",
		},
		Key{
			Name: "slowCallDurationThreshold", Type: Duration, Default: "60s", Min: "0",
			Option: "WithSlowCallDurationThreshold",
			Doc:    "A call that takes longer is slow. 0 switches the rule off.",
		},
		Key{
			Name: "slidingWindowType", Type: Enum, Default: "COUNT_BASED", Option: "WithSlidingWindowType",
			Choices: []Choice{{Text: "COUNT_BASED", Go: "CountBased"}, {Text: "TIME_BASED", Go: "TimeBased"}},
			Doc: "What the rates are taken over: the last slidingWindowSize calls (COUNT_BASED), or the calls of the last " +
				"slidingWindowSize seconds (TIME_BASED).",
		},
		Key{
			Name: "slidingWindowSize", Type: Int, Default: "100", Min: "1", Max: maxInt32, Option: "WithSlidingWindowSize",
			Doc: "The size of the sliding window, in calls or in seconds as slidingWindowType says. At least 1.",
		},
		Key{
			Name: "minimumNumberOfCalls", Type: Int, Default: "100", Min: "1", Max: maxInt32,
			Option: "WithMinimumNumberOfCalls",
			Doc: "The number of calls in the window before the rates are judged at all. At least 1. In a COUNT_BASED " +
				"window more than slidingWindowSize means slidingWindowSize.",
		},
		Key{
			Name: "permittedNumberOfCallsInHalfOpenState", Type: Int, Default: "10", Min: "1", Max: maxInt32,
			Option: "WithPermittedNumberOfCallsInHalfOpenState",
			Doc:    "The number of calls that are let through in state HALF_OPEN to decide what comes next. At least 1.",
		},
		Key{
			Name: "waitDurationInOpenState", Type: Duration, Default: "60s", Min: "1ms",
			Option: "WithWaitDurationInOpenState",
			Doc:    "How long the breaker stays OPEN before calls are tried again. At least 1ms.",
		},
		Key{
			Name: "waitIntervalFunctionInOpenState", Type: Function, Func: "func(attempt int) time.Duration",
			Option: "WithWaitIntervalFunctionInOpenState",
			Doc: "A function that gives the wait in state OPEN in place of waitDurationInOpenState. Its argument counts " +
				"from 1 how often the breaker has opened since it was last closed. It can't be combined with growing or " +
				"randomized waits.",
		},
		Key{
			Name: "enableExponentialBackoff", Type: Bool, Default: "false", Option: "WithEnableExponentialBackoff",
			Doc: "Whether the wait in state OPEN grows, by exponentialBackoffMultiplier, each time that the breaker opens " +
				"again without having closed.",
		},
		Key{
			Name: "exponentialBackoffMultiplier", Type: Float, Default: "1.5", Min: "1",
			Option: "WithExponentialBackoffMultiplier",
			Doc:    "The factor of the growth with enableExponentialBackoff. At least 1.",
		},
		Key{
			Name: "exponentialMaxWaitDurationInOpenState", Type: Duration, Default: "0s", Min: "0",
			Option: "WithExponentialMaxWaitDurationInOpenState",
			Doc:    "The longest wait with enableExponentialBackoff or enableRandomizedWait. 0 sets no limit.",
		},
		Key{
			Name: "enableRandomizedWait", Type: Bool, Default: "false", Option: "WithEnableRandomizedWait",
			Doc: "Whether the wait in state OPEN is spread at random, by randomizedWaitFactor, so that many breakers do not " +
				"try again at the same moment.",
		},
		Key{
			Name: "randomizedWaitFactor", Type: Float, Default: "0.5", Min: "0", Max: "1",
			Option: "WithRandomizedWaitFactor",
			Doc: "How far a wait may lie to both sides with enableRandomizedWait, as a part of it: 0.5 turns 10s into " +
				"5s to 15s. From 0 to 1.",
		},
		Key{
			Name: "maxWaitDurationInHalfOpenState", Type: Duration, Default: "0s", Min: "0",
			Option: "WithMaxWaitDurationInHalfOpenState",
			Doc: "How long the breaker stays HALF_OPEN at most before it goes to transitionToStateAfterWaitDuration. " +
				"0 sets no limit, but a call admitted there that takes longer than waitDurationInOpenState gives its place " +
				"to another.",
		},
		Key{
			Name: "transitionToStateAfterWaitDuration", Type: Enum, Default: "OPEN",
			Option:  "WithTransitionToStateAfterWaitDuration",
			Choices: []Choice{{Text: "OPEN", Go: "Open"}, {Text: "CLOSED", Go: "Closed"}},
			Doc:     "The state after maxWaitDurationInHalfOpenState: OPEN or CLOSED.",
		},
		Key{
			Name: "automaticTransitionFromOpenToHalfOpenEnabled", Type: Bool, Default: "false",
			Option: "WithAutomaticTransitionFromOpenToHalfOpenEnabled",
			Doc: "Whether the breaker becomes HALF_OPEN by itself when the wait is over. With false the next call makes " +
				"it so.",
		},
		Key{
			Name: "initialState", Type: Enum, Default: "CLOSED", Option: "WithInitialState",
			Choices: []Choice{
				{Text: "CLOSED", Go: "Closed"}, {Text: "OPEN", Go: "Open"}, {Text: "HALF_OPEN", Go: "HalfOpen"},
				{Text: "DISABLED", Go: "Disabled"}, {Text: "FORCED_OPEN", Go: "ForcedOpen"},
				{Text: "METRICS_ONLY", Go: "MetricsOnly"},
			},
			Doc: "The state that the breaker starts in.",
		},
		Key{
			Name: "recordErrors", Type: Errors, Option: "WithRecordErrorsRule",
			Doc: "The errors that count as failures: error types, variables or constants, or func(error) bool. Without " +
				"it every error does; with it all others count as successes.",
		},
		Key{
			Name: "ignoreErrors", Type: Errors, Option: "WithIgnoreErrorsRule",
			Doc: "The errors that count neither as failures nor as successes. They are ignored even where recordErrors " +
				"lists them.",
		},
		Key{
			Name: "recordResult", Type: Function, Func: "func(results...) bool",
			Doc: "A function that reports whether results returned without an error count as a failure. The caller gets " +
				"them all the same.",
		},
		Key{
			Name: "transitionOnResult", Type: Function, Func: "func(results..., error) breaker.Transition",
			Doc: "A function that may open the breaker at once because of what a call returned, as when the server says " +
				"when it will be back. It is asked in state CLOSED only.",
		},
	),
	Foreign: foreignToAll(
		Foreign{Name: "recordExceptions", Use: "recordErrors"},
		Foreign{Name: "recordException", Use: "recordErrors"},
		Foreign{Name: "recordExceptionPredicate", Use: "recordErrors", Note: "it takes a func(error) bool too"},
		Foreign{Name: "recordFailurePredicate", Use: "recordErrors", Note: "it takes a func(error) bool too"},
		Foreign{Name: "recordFailure", Use: "recordErrors", Note: "it takes a func(error) bool too"},
		Foreign{Name: "ignoreExceptions", Use: "ignoreErrors"},
		Foreign{Name: "ignoreException", Use: "ignoreErrors"},
		Foreign{Name: "ignoreExceptionPredicate", Use: "ignoreErrors", Note: "it takes a func(error) bool too"},
		Foreign{Name: "recordResultPredicate", Use: "recordResult"},
		Foreign{Name: "ringBufferSizeInClosedState", Use: "slidingWindowSize"},
		Foreign{Name: "ringBufferSizeInHalfOpenState", Use: "permittedNumberOfCallsInHalfOpenState"},
		Foreign{Name: "waitInterval", Use: "waitDurationInOpenState"},
		Foreign{Name: "exponentialMaxWaitDuration", Use: "exponentialMaxWaitDurationInOpenState"},
		Foreign{Name: "automaticTransitionFromOpenToHalfOpen", Use: "automaticTransitionFromOpenToHalfOpenEnabled"},
		Foreign{Name: "slidingWindowSynchronizationStrategy", Note: "it has no meaning in Go"},
		Foreign{Name: "ignoreExceptionsPrecedenceEnabled", Note: "ignoreErrors always goes before recordErrors"},
		Foreign{Name: "ignoreClassBindingExceptions", Note: "it has no meaning in Go"},
		Foreign{Name: "currentTimestampFunction", Note: "time is always monotonic"},
		Foreign{Name: "clock", Note: "time is always monotonic"},
	),
}
