// Package measure times functions beside one another on a machine that has other work to do.
//
// A measurement is a window: one or two goroutines call a function for some tens of milliseconds. A window in which the
// process did not get its cores is thrown away and repeated. Every round runs each function once, in a new order, so
// that what changes slowly, such as the clock rate of a core or a neighbour's load, touches all of them alike. Two
// functions are compared round by round, and the median of these ratios is the result; see [Result.Ratio].
package measure
