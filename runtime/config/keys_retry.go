package config

import (
	"slices"

	"github.com/resilgen/resilgen/runtime/policy"
)

const maxInt32 = "2147483647"

var retryKeys = policyKeys{
	kind:      policy.Retry,
	instances: []string{"instances", "backends"},
	order:     "retryAspectOrder",
	keys: common(slices.Concat([]Key{
		{
			Name: "maxAttempts", Sets: "maxAttempts", Type: Int, Default: "3", Min: "1",
			Doc: "How often a call is made at most, the first time included.",
		},
		{
			Name: "waitDuration", Sets: "waitDuration", Type: Duration, Default: "500ms", Min: "0",
			Doc: "The pause before an attempt, and the first one where pauses grow.",
		},
		{
			Name: "enableExponentialBackoff", Sets: "enableExponentialBackoff", Type: Bool, Default: "false",
			Doc: "Whether each pause is exponentialBackoffMultiplier times the one before.",
		},
		{
			Name: "exponentialBackoffMultiplier", Sets: "exponentialBackoffMultiplier", Type: Float, Default: "1.5",
			Min: "1", Doc: "The factor of enableExponentialBackoff.",
		},
		{
			Name: "exponentialMaxWaitDuration", Sets: "exponentialMaxWaitDuration", Type: Duration, Default: "0",
			Min: "0", Doc: "The longest pause with enableExponentialBackoff; 0 sets no limit.",
		},
		{
			Name: "enableRandomizedWait", Sets: "enableRandomizedWait", Type: Bool, Default: "false",
			Doc: "Whether each pause is drawn from its neighbourhood.",
		},
		{
			Name: "randomizedWaitFactor", Sets: "randomizedWaitFactor", Type: Float, Default: "0.5", Min: "0", Max: "1",
			Doc: "The size of that neighbourhood: 0.5 draws from half the pause to one and a half.",
		},
		{
			Name: "failAfterMaxAttempts", Sets: "failAfterMaxAttempts", Type: Bool, Default: "false",
			Doc: "Whether a bad result that is left in the end comes with an error.",
		},
		{
			Name: "retryExceptions", Sets: "retryErrors", Type: NameList,
			Doc: "The errors that are worth another attempt, beside those of retryErrors.",
		},
		{
			Name: "retryExceptionPredicate", Sets: "retryErrors", Type: NameList,
			Doc: "One more name for retryErrors; its target may be a func(error) bool.",
		},
		{
			Name: "ignoreExceptions", Sets: "ignoreErrors", Type: NameList,
			Doc: "The errors that are not, beside those of ignoreErrors.",
		},
		{
			Name: "ignoreExceptionPredicate", Sets: "ignoreErrors", Type: NameList,
			Doc: "One more name for ignoreErrors; its target may be a func(error) bool.",
		},
		{
			Name: "resultPredicate", Sets: "retryResult", Type: NameList,
			Doc: "A function. A file cannot hold one: write retryResult in the annotation or in code.",
		},
		{
			Name: "intervalBiFunction", Sets: "intervalBiFunction", Type: NameList,
			Doc: "A function. A file cannot hold one: write it in an annotation or in code.",
		},
		{
			Name: "consumeResultBeforeRetryAttempt", Sets: "consumeResultBeforeRetryAttempt", Type: NameList,
			Doc: "A function. A file cannot hold one: write it in an annotation or in code.",
		},
		stackTrace,
		{
			Name: "maxDuration", Sets: "maxDuration", Type: Duration, Default: "0", Min: "0", Ours: true,
			Doc: "The longest time from the call to the start of the last attempt; 0 sets no limit.",
		},
		{
			Name: "retryErrors", Sets: "retryErrors", Type: NameList, Ours: true,
			Doc: "The errors that are worth another attempt, by Go name. Without it, all but refusals by policies further in.",
		},
		{
			Name: "ignoreErrors", Sets: "ignoreErrors", Type: NameList, Ours: true,
			Doc: "The errors that are not, also where retryErrors has them.",
		},
	}, functions("intervalFunction", "retryResult"))...),
	needs: []need{
		{"exponentialBackoffMultiplier", []string{"enableExponentialBackoff"}, isTrue, "enableExponentialBackoff: true"},
		{"exponentialMaxWaitDuration", []string{"enableExponentialBackoff"}, isTrue, "enableExponentialBackoff: true"},
		{"randomizedWaitFactor", []string{"enableRandomizedWait"}, isTrue, "enableRandomizedWait: true"},
	},
	elsewhere: map[string]string{
		"maxretryattempts": "maxAttempts", "maxretries": "maxAttempts, which counts the first call too",
		"attempts": "maxAttempts", "delay": "waitDuration", "backoff": "waitDuration", "interval": "waitDuration",
		"intervalfunction": "waitDuration", "retryonexception": "retryErrors", "retryonresult": "retryResult",
		"multiplier": "exponentialBackoffMultiplier", "maxdelay": "exponentialMaxWaitDuration",
		"exponentialmaxwaitdurationinopenstate": "exponentialMaxWaitDuration", "timeout": "maxDuration",
	},
}
