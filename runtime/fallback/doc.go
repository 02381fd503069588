// Package fallback answers calls that failed.
//
// A handler answers the errors that it names: a type, a value, or all. [Do] makes a call, picks at most one handler for
// its error, and returns what that one returns:
//
//	call fails --> the caller has cancelled? --yes--> a handler that names context.Canceled, or the error as it is
//	                      | no
//	                      v
//	               concrete types, values and predicates, in the order given
//	               interface types, narrower before wider
//	               every error                                                   none: the error as it is
//
// So it reads like the switch that an engineer would write with errors.AsType and errors.Is, the catch-all last. An
// error is looked for in the whole tree of what it wraps, and a concrete type that stands deep in it goes before an
// interface that its outermost error has. A nil pointer in an error is found by no type; it goes to [Otherwise].
//
// The handler's error is returned as it is, and the error of the call only if no handler fits. A panic passes by. The
// fallback belongs around the whole chain of policies: further in it hides failures from those outside it.
//
// A [Fallback] is the account: it counts which handler answered, and publishes it. Generated code, in which the picking
// is a few lines of Go, uses nothing else of this package.
//
// # Differences from Resilience4j
//
// A number is that of a fact in the tests of this package. What the facts 75 to 78 say of signatures is checked when code
// is generated, or by the Go compiler.
//
//	fact  Resilience4j                          here                                 why
//	74    the nearest superclass of the         the first that fits, interfaces      Go has no classes; the order is
//	      error's own class                     last                                 the author's
//	74    causes are not looked at              the whole tree is, as by errors.As   wrapping with %w is the rule in
//	                                                                                 Go
//	76    two handlers of one type fail every   the first one is picked; the         picking cannot fail
//	      call                                  generator reports it
//	-     each annotation's fallback at its     once, around the chain               an inner one hides failures from
//	      layer                                                                      the retry
//	-     errors are handed over too            panics are not                       a defect is no outage
//	      (Throwable)
//	-     a caller that was interrupted is      only where context.Canceled is       nobody reads the answer
//	      answered                              named
//	-     which handler answered is not known   counted, and published               degraded answers must be seen
package fallback
