// Package limiter bounds how many calls are made in a time. A call takes permits, and waits for them if they come
// within timeoutDuration and before the deadline of its context; if not, it is refused at once. With
// limitForPeriod=2, limitRefreshPeriod=1s, timeoutDuration=500ms and a call every 300 ms, the three algorithms let it
// go at
//
//	call      0      300    600    900    1200   1500   1800   2100 ms
//	CYCLE     0      300    1000   1000   no     2000   2000   no      2 in each second of the limiter's clock
//	SLIDING   0      300    1000   1300   no     2000   2300   no      2 in any second
//	SMOOTH    0      500    1000   no     1500   2000   no     2500    1 each half second
//
// Cycle is Resilience4j's and the fastest: a call whose permits are free touches one word and takes no lock. Around
// the edge of a cycle up to twice the limit can pass within one period; Sliding never lets more than the limit pass
// in any window of one period; Smooth spaces calls evenly, with a burst.
//
// Calls wait in the order in which they came, with their permits reserved. A call that gives up gives them back: what
// is still to come of them goes to those behind it, who move up as if they had asked at that moment. What a call for
// more permits than the limit had saved up in cycles that are over is gone.
//
// Most callers want [Do], [Run] or [Decorate]; a call that weighs more than one permit takes them with
// [Limiter.Acquire]. A [Backend] makes the decisions where several processes share one limit. A refusal is an
// [*ExceededError], a wait that was cut short an [*InterruptedError], a backend's silence an [*UnansweredError]; none
// of them counts as a failure of the call in a circuit breaker around it.
//
// Fields, defaults, ranges and events are those of Resilience4j 2.4. Where this package differs:
//
//	fact                    Resilience4j                        here, and why
//	43 doomed call          sleeps the timeout, is refused      refused at once, also before the context's deadline
//	47 interrupted waiter   keeps what it has reserved          gives it back; error with context.Cause
//	48 higher limit         holds from the next cycle           at once: less what the running cycle has let pass
//	   lower limit          from the next cycle; who waits      at once, and for those who wait: nothing passes that
//	                        keeps its turn                      the limit in force forbids
//	   period               cannot be changed                   can; the change begins a cycle
//	50 number of permits    not checked                         negative: an error; 0 passes and takes nothing
//	53 limitRefreshPeriod   "too large" beyond 292 years        no time.Duration is; limitForPeriod has the same range
//	   listener throws      call not made, permit lost          logged; the call goes on
package limiter
