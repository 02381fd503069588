// Package breaker is a circuit breaker: it refuses calls to a service that fails or is slow, gives it time to recover,
// and lets a few probes through to see whether it has. It keeps Resilience4j's states, fields, defaults and events.
//
//	              a rate reaches its threshold
//	  CLOSED ------------------------------------> OPEN <-----------------+
//	    ^                                           |  the wait elapses,  | a rate of exactly N probes
//	    |                                           |  then a call comes  | reaches its threshold, or
//	    |   neither rate of exactly N probes        v  (or a timer fires) | the longest wait elapses
//	    +------------------------------------- HALF_OPEN -----------------+
//
//	by hand only: DISABLED (admits all, counts none), FORCED_OPEN (refuses all), METRICS_ONLY (admits all, counts all)
//
// [Do] and [Run] call a function, [Decorate] wraps one; [Breaker.Begin] and [Call.End] are their halves. A refused call
// gets an [*OpenError], which is [ErrOpen] to errors.Is.
//
// # Rules
//
//   - Rates are compared after each outcome that may raise them, once the window holds the minimum, as
//     failed*100 >= threshold*total (Resilience4j: its CircuitBreakerMetrics). So a success can open, by reaching the minimum.
//     A call is slow if it took longer than the threshold.
//   - A call belongs to the stay in a state that admitted it. Its outcome counts there or, if that is over, in
//     [Lifetime] only (Resilience4j issue 1432, Polly issues 218 and 223).
//   - HALF_OPEN decides after exactly PermittedNumberOfCallsInHalfOpenState results, and never has more probes out. What
//     counts neither way gives its permit back (issue 544); a call that panics has failed; a probe that hangs for longer
//     than WaitDurationInOpenState yields its permit to another one (issues 935 and 2028).
//   - What counts is said at [Call.End]. A call whose caller has gone counts neither way (issue 682, gobreaker issue 105).
//   - A transition has one winner; those who come too late find it made (issues 646 and 674). A timer leaves only the
//     stay that it was started for (issue 991).
//   - attempt, by which OPEN lasts longer each time, grows with each stay in OPEN or FORCED_OPEN, and starts anew in
//     CLOSED, DISABLED and METRICS_ONLY. OpenFor does not count.
//   - Time is monotonic. The clock is read once on each side of a call, and only if a duration is asked for.
//   - Events: SUCCESS or ERROR of the deciding call, then FAILURE_RATE_EXCEEDED, SLOW_CALL_RATE_EXCEEDED,
//     STATE_TRANSITION; all after the change is made.
//
// # Differences from Resilience4j
//
// By fact: theirs; ours; why. The test TestDifferences holds each of them.
//
//	thresholds       NaN passes, below 1 in code only; NaN is wrong, 0.5 is right everywhere; one range
//	slow threshold   at least 1 ns; 0 turns the rule off; then no clock is needed
//	rates            float32 quotients; float64 products; a rate equal to its threshold is equal
//	minimum          clipped in the config or when running; when running only; Config returns what was set
//	wait functions   excludes waitDuration, exponential excludes randomized; excludes the two flags, which go together
//	end of OPEN      after the deadline; at the deadline; a wait of 5 s is 5 s
//	half-open size   min(minimum, N) results decide; N do; the maintainers' word in issue 1869
//	hung probe       holds HALF_OPEN for ever; yields its permit; issue 935
//	half-open wait   below 1 ms is off; every wait above 0 counts; no surprise by unit
//	stale result     counts in the current state; in Lifetime only; it tells of another time
//	OPEN's metrics   change by late results; stand still; they are the reason for OPEN
//	stale permit     an old ignored error adds one; a permit has one owner; never more than N probes
//	panic            an Error keeps its permit; is a failure; nothing leaks
//	panicking rule   keeps the permit; is a failure, the panic goes on; nothing leaks
//	cancelled call   is a failure; counts neither way; the service has done nothing wrong
//	inner refusal    is a failure; counts neither way unless recorded; the service was not asked
//	on-result        not asked after a failed or nil result; asked after each call; a ban may come with any answer
//	plain open       leaves a broken CLOSED; opens for the usual wait; it is what was asked for
//	forced open      refuses silently, hides late results; publishes NOT_PERMITTED and them; counters agree with events
//	transition race  illegal OPEN to OPEN; no-op; whoever loses has got what it wanted
//	time window      wall clock, epoch seconds; monotonic, seconds since creation; a clock step is no traffic
//	durations        totals in the window; none; durations live in histograms
//	counters         not permitted only of the state; of the state and of the lifetime; monitoring wants no resets
//	precedence flag  a flag for the exposed predicate; none, ignoring always goes first; it changes no call
//	texts            CircuitBreaker 'x'; circuitbreaker "x"; one spelling in all policies of this module
package breaker
