package directive

var timeLimiterSpec = Spec{
	Name:    "timelimiter",
	On:      OnInterface | OnMethod,
	Policy:  true,
	Package: "timelimiter",
	Doc: "Gives each call a context that ends after timeoutDuration. A call that fails because of it returns an error " +
		"that is timelimiter.ErrTimeout and context.DeadlineExceeded.",
	Elsewhere: []string{"timeout", "deadline", "timer"},
	Keys: common(
		Key{
			Name: "timeoutDuration", Type: Duration, Default: "1s", Min: "0", Above: true, Option: "WithTimeoutDuration",
			Doc: "The time that a call may take. More than 0.",
		},
		Key{
			Name: "cancelRunningFuture", Type: Bool, Default: "true", Option: "WithCancelRunningFuture",
			Doc: "Whether the context of a detached call is cancelled when its time is up. With false the call goes on " +
				"and its result is dropped.",
		},
		Key{
			Name: "detach", Type: Bool, Default: "false",
			Doc: "Whether the call runs on its own goroutine, so that the caller gets away in time even when the call " +
				"does not heed its context.",
		},
	),
	Foreign: foreignToAll(
		Foreign{Name: "timeout", Use: "timeoutDuration"},
		Foreign{Name: "duration", Use: "timeoutDuration"},
		Foreign{Name: "cancel", Use: "cancelRunningFuture"},
	),
}
