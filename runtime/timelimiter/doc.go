// Package timelimiter limits how long calls take.
//
// A [TimeLimiter] is a named limit with counters. [Do] gives the call a context that ends at the limit, and relies on
// the call to heed it:
//
//	caller   |--- Do -------------------------------| *TimeoutError around the call's error
//	call     |--- fn(ctx) ------------------x-------|
//	                                   limit, ctx ends
//
// [Detach] needs no such help. It makes the call on a goroutine of its own and comes back at the limit, while the work
// goes on until it ends:
//
//	caller   |--- Detach -------------------| *TimeoutError
//	work     |--- fn(ctx) ------------------x--------------------| its result is dropped
//	                                   limit, ctx ends with cancelRunningFuture
//
// An error is a [*TimeoutError] exactly if the limit of this TimeLimiter ran out while the caller's context was alive.
// It wraps the error that the call returned, and is context.DeadlineExceeded to errors.Is. A deadline of the caller's
// that is not later than the limit is left to do its work: the caller's context is passed on, no timer is started, and
// the error stays as it is. A result without an error is a success, however late.
//
// The context of a call ends when the layer returns, and with it what is read through it later, as sql.Rows are: that
// has to be read inside the call. A body such as an http.Response's keeps the context by [Call.KeepUntilClose] or
// [DetachUntilClose], until it is closed or the limit runs out. The call itself is over, and counted, when it returns.
//
// # Differences from Resilience4j
//
// A number is that of a fact in the tests of this package.
//
//	fact  Resilience4j                          here                                 why
//	-     timeoutDuration may be 0 or negative  above 0                              no call could succeed
//	      in code
//	-     any TimeoutException of the call is   only the limit's own end is          a timeout of the call's own is
//	      TIMEOUT                                                                    its answer
//	-     the stage variant ignores             Detach cancels the context           work nobody waits for goes on
//	      cancelRunningFuture and never                                              holding connections
//	      cancels
//	-     a plain call cannot be limited        it can, by its context               every Go call has one
//	79    the text does not name the limit      timed out after 1s                   it is the first question asked
//	-     a cancelled caller counts as an       counts neither way                   the call is not to blame
//	      error
package timelimiter
