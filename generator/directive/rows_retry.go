package directive

var retrySpec = Spec{
	Name:    "retry",
	On:      OnInterface | OnMethod,
	Policy:  true,
	Package: "retry",
	Doc: "Calls again after an error or a result that is not wanted, with a wait before each further attempt. The last " +
		"error is returned as it is when the attempts run out.",
	Elsewhere: []string{"retryable", "retries"},
	Keys: common(
		Key{
			Name: "maxAttempts", Type: Int, Default: "3", Min: "1", Max: maxInt32, Option: "WithMaxAttempts",
			Doc: "The number of attempts, the first call included. At least 1.",
		},
		Key{
			Name: "waitDuration", Type: Duration, Default: "500ms", Min: "0", Option: "WithWaitDuration",
			Doc: "The wait before a further attempt, and the first of the growing waits with enableExponentialBackoff. " +
				"0 or more.",
		},
		Key{
			Name: "intervalFunction", Type: Function, Func: "func(attempt int) time.Duration",
			Option: "WithIntervalFunction",
			Doc: "A function that gives the wait in place of waitDuration. Its argument is the number of attempts made, " +
				"1 after the first; a negative wait ends the attempts. It can't be combined with growing or randomized waits.",
		},
		Key{
			Name: "intervalBiFunction", Type: Function,
			Func:   "func(attempt int, result any, err error) time.Duration",
			Option: "WithIntervalBiFunction",
			Doc: "A function that gives the wait by what the attempt returned, as when the server says how long to wait. " +
				"A negative wait ends the attempts. Generated code passes nil for the result. It can't be combined with " +
				"growing or randomized waits, nor with intervalFunction.",
		},
		Key{
			Name: "enableExponentialBackoff", Type: Bool, Default: "false", Option: "WithEnableExponentialBackoff",
			Doc: "Whether the waits grow by exponentialBackoffMultiplier from one attempt to the next.",
		},
		Key{
			Name: "exponentialBackoffMultiplier", Type: Float, Default: "1.5", Min: "1",
			Option: "WithExponentialBackoffMultiplier",
			Doc:    "The factor of the growth with enableExponentialBackoff. At least 1.",
		},
		Key{
			Name: "exponentialMaxWaitDuration", Type: Duration, Default: "0s", Min: "0",
			Option: "WithExponentialMaxWaitDuration",
			Doc:    "The longest wait with enableExponentialBackoff. 0 sets no limit.",
		},
		Key{
			Name: "enableRandomizedWait", Type: Bool, Default: "false", Option: "WithEnableRandomizedWait",
			Doc: "Whether the waits are spread at random, by randomizedWaitFactor, so that many callers do not call again " +
				"at the same moment.",
		},
		Key{
			Name: "randomizedWaitFactor", Type: Float, Default: "0.5", Min: "0", Max: "1",
			Option: "WithRandomizedWaitFactor",
			Doc: "How far a wait may lie to both sides with enableRandomizedWait, as a part of it: 0.5 turns 1s into " +
				"500ms to 1.5s. From 0 to 1.",
		},
		Key{
			Name: "maxDuration", Type: Duration, Default: "0s", Min: "0", Option: "WithMaxDuration",
			Doc: "The longest time from the beginning of the call to the start of its last attempt. It never cuts an attempt " +
				"short. 0 sets no limit.",
		},
		Key{
			Name: "retryErrors", Type: Errors, Option: "WithRetryErrorsRule",
			Doc: "The errors after which a call is tried again: error types, variables or constants, or func(error) " +
				"bool. Without it every error is, except a refusal by a policy further in.",
		},
		Key{
			Name: "ignoreErrors", Type: Errors, Option: "WithIgnoreErrorsRule",
			Doc: "The errors after which a call is not tried again, even where retryErrors lists them.",
		},
		Key{
			Name: "retryResult", Type: Function, Func: "func(results...) bool",
			Doc: "A function that reports whether results returned without an error are to be tried again. Results that are " +
				"dropped for a further attempt are closed, if they or their Body can be.",
		},
		Key{
			Name: "consumeResultBeforeRetryAttempt", Type: Function, Func: "func(attempt int, results...)",
			Doc: "A function that is given results that retryResult rejected before they are dropped for a further " +
				"attempt, to read or count them. They are closed after it.",
		},
		Key{
			Name: "failAfterMaxAttempts", Type: Bool, Default: "false", Option: "WithFailAfterMaxAttempts",
			Doc: "Whether the call fails with retry.ErrExhausted when the last attempt's results are rejected by " +
				"retryResult too. With false they are returned.",
		},
		Key{
			Name: "replayable", Type: Bool, Default: "false",
			Doc: "Whether an attempt can be repeated with the same arguments although one of them is of a type that a call " +
				"uses up: anything with io.Reader's method, an iterator of package iter, or a channel that can be received " +
				"from. Without it a retry of such a method is an error. An *http.Request needs no word of it: each further " +
				"attempt gets one with a fresh body from GetBody, and where there is none the first attempt is the last; with " +
				"replayable=true further attempts are made with the body as it is.",
		},
	),
	Foreign: foreignToAll(
		Foreign{Name: "maxRetryAttempts", Use: "maxAttempts", Note: "the first call is counted"},
		Foreign{Name: "maxRetries", Use: "maxAttempts", Note: "the first call is counted too"},
		Foreign{Name: "attempts", Use: "maxAttempts", Note: "the first call is counted"},
		Foreign{Name: "retryExceptions", Use: "retryErrors"},
		Foreign{Name: "retryOnException", Use: "retryErrors"},
		Foreign{Name: "retryExceptionPredicate", Use: "retryErrors", Note: "it takes a func(error) bool too"},
		Foreign{Name: "retryOnExceptionPredicate", Use: "retryErrors", Note: "it takes a func(error) bool too"},
		Foreign{Name: "ignoreExceptions", Use: "ignoreErrors"},
		Foreign{Name: "retryOnResult", Use: "retryResult"},
		Foreign{Name: "resultPredicate", Use: "retryResult"},
		Foreign{Name: "retryOnResultPredicate", Use: "retryResult"},
		Foreign{Name: "delay", Use: "waitDuration"},
		Foreign{Name: "backoff", Use: "waitDuration"},
		Foreign{Name: "exponentialMaxWaitDurationInOpenState", Use: "exponentialMaxWaitDuration"},
	),
}
