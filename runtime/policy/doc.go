// Package policy holds what the policies of resilgen share: the monotonic [Instant], the [Event] that every policy
// publishes and the [Listeners] that receive it, the [ErrorRule] that decides what an error means, and what a [Refusal]
// is. It imports the standard library only, and every policy imports it and nothing else of this module.
//
// Most programs meet it in two places: a listener receives an [Event], and code that handles errors of several policies
// alike asks for a [Refusal]:
//
//	if r, ok := errors.AsType[policy.Refusal](err); ok {
//		if wait, known := r.RetryAfter(); known {
//			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
//		}
//		w.WriteHeader(http.StatusServiceUnavailable)
//	}
package policy
