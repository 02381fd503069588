package config

import "github.com/resilgen/resilgen/runtime/policy"

var timeLimiterKeys = policyKeys{
	kind:      policy.TimeLimiter,
	instances: []string{"instances", "backends"},
	order:     "timeLimiterAspectOrder",
	keys: common(
		Key{
			Name: "timeoutDuration", Sets: "timeoutDuration", Type: Duration, Default: "1s", Min: "0", Above: true,
			Doc: "How long a call may take.",
		},
		Key{
			Name: "cancelRunningFuture", Sets: "cancelRunningFuture", Type: Bool, Default: "true",
			Doc: "Whether detached work whose caller has left is cancelled.",
		},
		stackTrace,
	),
	elsewhere: map[string]string{"timeout": "timeoutDuration", "duration": "timeoutDuration"},
}
