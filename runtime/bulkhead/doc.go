// Package bulkhead bounds how many calls are under way at once, so that one slow dependency cannot take up everything
// that a program has. A [Bulkhead] lets a call run where it is, if a slot is free:
//
//	maxConcurrentCalls=2, maxWaitDuration=300ms
//
//	          0     100    200    300    400    500 ms
//	call 1    |------ slot 1 ------|
//	call 2           |----------- slot 2 --------------
//	call 3                  |.wait.|----- slot 1 ------
//	call 4                     |......... waits ....X   FullError, 300 ms after it came
//
// A [Pool] runs calls on goroutines of its own, with a queue before them, for work that does not stop when its
// context ends: the caller gets away, and the place is free when the work has ended. The order is Resilience4j's:
// goroutines of the core, then the queue, then goroutines beyond the core, then refusal.
//
// Most callers want [Do], [Run] or [Decorate] and, for a pool, [Submit], [RunPool] or [DecoratePool]. A refusal is a
// [*FullError], a wait that was cut short an [*InterruptedError]. Waiting calls go in the order in which they came.
// Settings may change while calls are under way: Reconfigure never blocks, and a call is let in only while fewer are
// under way than the limit in force allows.
//
// Fields, defaults, ranges and events are those of Resilience4j 2.4. Where this package differs:
//
//	fact                     Resilience4j                       here, and why
//	56 interrupted waiter    flag and exception                 error with context.Cause; who has gone never waits
//	57 maxConcurrentCalls=0  rejects all; an error in files     an error: mostly a Config without its defaults
//	58 lower limit           blocks the changer, holds then     holds at once; who is under way finishes
//	59 fair handling         fixed when it is made              changes with the other settings
//	60 release               each onComplete frees a slot       a Call settles once; also on panic and Goexit
//	   listener throws       call not made, slot lost           logged; the call goes on
//	61 coreThreadPoolSize    CPUs-1, error above the maximum    0: CPUs-1, at most the maximum, on any machine
//	   idle core threads     one more is started all the same   an idle goroutine takes the call
//	   caller leaves         place freed early or never         freed when the work has ended; PANIC if it panics
//	   close of a pool       waits 5 s, then interrupts         does not wait; work that runs finishes
package bulkhead
