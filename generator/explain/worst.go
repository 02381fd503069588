package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A limit is the longest time of a part of a chain.
type limit struct {
	bounded bool
	longest time.Duration
	formula string
	sum     bool // the formula has several terms
	strict  bool // the caller gets away when its context ends, whatever the call does
	notes   []string
}

const (
	noLimit = "nothing bounds the call itself: a timelimiter would, or a deadline of the caller's context"
	noQueue = "nothing bounds the wait in the queue of the pool: a timelimiter around the bulkhead would, or a deadline of " +
		"the caller's context"
	heeds = "the call has to heed its context; timelimiter detach=true does not rely on it"
)

// worst returns the longest time of a call through the chain. Fallbacks, and the errors that ask the retry to come back
// later than it would (RetryAfter), are not counted.
func worst(chain []*resolved) limit {
	l := limit{formula: "call", notes: []string{noLimit}}
	for i := len(chain) - 1; i >= 0; i-- {
		l = l.within(chain[i])
	}
	for _, r := range chain {
		if r.unknown {
			l.notes = append(l.notes, fmt.Sprintf("what %s configuration %q says is not counted: it is not known here",
				r.kind, r.configuration))
		}
	}
	return l
}

// within returns the longest time with one more layer around.
func (l limit) within(r *resolved) limit {
	if !r.on("enabled") {
		l.notes = append(l.notes, fmt.Sprintf("the %s is switched off", r.kind))
		return l
	}
	switch {
	case r.kind == "retry":
		return l.retried(r)
	case r.kind == "timelimiter":
		return l.limited(r.duration("timeoutDuration"), r.on("detach"))
	case r.kind == "ratelimiter":
		return l.after(r.duration("timeoutDuration"))
	case r.kind == "bulkhead" && r.pool:
		l.strict = true
		if r.number("queueCapacity") > 0 {
			l = limit{formula: "queue + " + l.formula, sum: true, strict: true, notes: append([]string{noQueue}, l.notes...)}
		}
	case r.kind == "bulkhead":
		return l.after(r.duration("maxWaitDuration"))
	}
	return l
}

// after puts a wait before.
func (l limit) after(wait time.Duration) limit {
	if wait <= 0 {
		return l
	}
	l.formula, l.sum = wait.String()+" + "+l.formula, true
	return l.at(add(l.longest, wait))
}

// at sets the longest time, if there is one. What a Duration can't tell has no limit.
func (l limit) at(longest time.Duration) limit {
	l.longest = longest
	if l.bounded && longest == math.MaxInt64 {
		l.bounded = false
		l.notes = append(l.notes, "it comes to more than 292 years")
	}
	return l
}

// limited puts a time limit around. Waits end with it as the call does.
func (l limit) limited(timeout time.Duration, detached bool) limit {
	if l.bounded && l.longest <= timeout {
		return l
	}
	within := limit{bounded: true, longest: timeout, formula: timeout.String(), strict: l.strict || detached}
	if !within.strict {
		within.notes = []string{heeds}
	}
	return within
}

// retried puts a retry around.
func (l limit) retried(r *resolved) limit {
	attempts, once := r.number("maxAttempts"), l
	if attempts <= 1 {
		return l
	}
	waits := waits(r, attempts-1)
	of := l.formula
	if l.sum {
		of = "(" + of + ")"
	}
	l.formula, l.sum = fmt.Sprintf("%d x %s", attempts, of), true
	total := add(times(l.longest, attempts), waits)
	function := r.function()
	switch {
	case function != "":
		l.formula += " + " + function
	case waits > 0:
		l.formula += " + " + waits.String()
	default:
		l.sum = true
	}
	last := r.duration("maxDuration")
	switch {
	case last > 0 && (function != "" || add(last, once.longest) < total || !once.bounded):
		once.formula, once.sum = last.String()+" + "+once.formula, true
		return once.at(add(last, once.longest))
	case function != "":
		l.bounded = false
		l.notes = append(l.notes, "nothing bounds the waits that "+function+" gives: maxDuration would")
		return l
	}
	return l.at(total)
}

// waits returns the sum of the longest waits of a retry.
func waits(r *resolved, n int64) time.Duration {
	initial := float64(r.duration("waitDuration"))
	grows, spread := r.on("enableExponentialBackoff"), 0.0
	if r.on("enableRandomizedWait") {
		spread = r.float("randomizedWaitFactor")
	}
	longest := math.MaxFloat64
	if most := r.duration("exponentialMaxWaitDuration"); grows && most > 0 {
		longest = float64(most)
	}
	var sum time.Duration
	for i := int64(0); i < n && sum < math.MaxInt64; i++ {
		wait := initial
		factor := r.float("exponentialBackoffMultiplier")
		if grows {
			wait *= math.Pow(factor, float64(i))
		}
		most := rounded(min(wait*(1+spread), longest))
		if !grows || factor <= 1 || wait*(1+spread) >= longest || most == 0 { // the others are as long
			return add(sum, times(most, n-i))
		}
		sum = add(sum, most)
	}
	return sum
}

func rounded(wait float64) time.Duration {
	if wait >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(wait)
}

// add and times stay at the longest Duration where the result would be longer. Nothing here is negative.
func add(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func times(d time.Duration, n int64) time.Duration {
	if d > 0 && n > math.MaxInt64/int64(d) {
		return math.MaxInt64
	}
	return d * time.Duration(n)
}

// told returns the limit in the report's words.
func (l limit) told() *WorstCase {
	w := &WorstCase{Bounded: l.bounded, Formula: l.formula, Notes: l.notes}
	if l.bounded {
		w.Duration, w.Nanoseconds = l.longest.String(), int64(l.longest)
	}
	return w
}

// on, duration, number and float read settings, whose texts are known to be right. What nobody says is false or 0.
func (r *resolved) on(key string) bool { return r.values[key].Value == "true" }

func (r *resolved) duration(key string) time.Duration {
	d, _ := time.ParseDuration(r.values[key].Value)
	return d
}

func (r *resolved) number(key string) int64 {
	n, _ := strconv.ParseInt(r.values[key].Value, 10, 64)
	return n
}

func (r *resolved) float(key string) float64 {
	f, _ := strconv.ParseFloat(r.values[key].Value, 64)
	return f
}

// function returns which function gives the waits; "" where none does.
func (r *resolved) function() string {
	for _, key := range []string{"intervalBiFunction", "intervalFunction"} {
		if name := strings.TrimSpace(r.values[key].Value); name != "" {
			return key
		}
	}
	return ""
}
