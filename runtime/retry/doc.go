// Package retry repeats calls that failed in a way that may pass.
//
// A [Retry] is a named setting with counters; it knows nothing of the calls, so any number of them may share it. [Do]
// makes a call with its attempts:
//
//	|-- attempt 1 --|  waitDuration  |-- attempt 2 --|  wait  |-- attempt 3 --|
//	 Begin           RETRY                            RETRY                    ERROR, and the last error itself
//
// MaxAttempts counts every attempt, the first one too. What an attempt came to is judged in this order:
//
//  1. No error, and RetryResult does not find the result bad: success.
//  2. The caller's context is cancelled: the error as it is. It counts neither way.
//  3. The error is a refusal by a policy further in: not retried unless RetryErrors matches it. It counts neither way.
//  4. IgnoreErrors matches the error, or RetryErrors is there and does not: not retried. A failure.
//  5. The context has expired, or no attempt is left: the last error itself; a bad result comes with a nil error, or
//     with an [*ExhaustedError] if failAfterMaxAttempts says so. A failure, and so are the next two.
//  6. The pause is negative, which is how an interval function says stop: as 5.
//  7. The pause would end at or after the context's deadline, or after MaxDuration: as 5, at once.
//
// Otherwise the pause is waited for, with a timer and no goroutine. An error with a method RetryAfter, as the refusals of
// this module have it, makes the pause at least that long, also beyond exponentialMaxWaitDuration; MaxDuration and the
// context's deadline bound it. If the context ends or the Retry is closed meanwhile, the call ends in an
// [*InterruptedError], which is both the last error and the reason.
//
// Nothing is retried that the caller did not ask for, but whether a call may be made twice is the caller's knowledge. A
// panic passes through and counts nowhere.
//
// # Differences from Resilience4j
//
// A number is that of a fact in the tests of this package.
//
//	fact  Resilience4j                          here                                 why
//	-     waits are cut to whole milliseconds   nanoseconds: 500 ms by 1.5 is        nothing is gained by cutting
//	                                            1687.5 ms after the fourth attempt,
//	                                            not 1687
//	-     a randomised wait is at least 1 ms    it may be 0 with factor 1            0 is a legal wait
//	-     any multiplier                        at least 1                           waits would shrink or turn
//	                                                                                 negative
//	-     a negative interval has four          one: the call ends as if the         one rule to know
//	      outcomes, by path; in two it is not   attempts had run out, counted and
//	      counted                               published once
//	-     retryOnResult is asked about void     Run does not ask                     there is no result to judge
//	      calls
//	-     failed_without_retry counts a call    failed with retry                    a retry was made
//	      that is retried and then ends in an
//	      ignored error
//	-     the event's number of attempts        Attempt counts attempts              it is what maxAttempts counts
//	      counts retries after a success
//	-     maxDuration does not exist, and a     MaxDuration, and a wait beyond the   nobody waits for such an attempt
//	      wait ignores deadlines                deadline is not begun
//	-     a listener's panic replaces the       it is logged                         listeners only watch
//	      outcome
//	62    an interval of 0 is refused           legal                                waitDuration=0 is legal in both
//	62    attempt 0 is an error                 counts as 1                          the attempt is never the user's
//	69    an interrupted wait ends in the last  an InterruptedError                  both are wanted: errors.Is finds
//	      error, or with results in                                                  either
//	      CancellationException
//	-     backoff without waitDuration is       it starts from the default of 500    a setting must do what it says
//	      ignored in files                      ms
//	-     refusals of the inner policies are    only if RetryErrors matches them     it would hammer an open breaker
//	      retried
package retry
