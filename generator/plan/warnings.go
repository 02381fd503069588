package plan

import (
	"go/types"
	"strconv"
	"strings"
	"time"

	"github.com/resilgen/resilgen/generator/directive"
)

// warnOfSettings warns of arguments of one instance that are right and mean less than they seem to.
func (m *maker) warnOfSettings(d *directive.Directive, all *sharing) {
	if arg := d.Arg("minimumNumberOfCalls"); arg != nil {
		window, size := all.arg("slidingWindowType"), all.arg("slidingWindowSize")
		counted := window == nil || window.Value.Choice.Text == "COUNT_BASED"
		known := all.arg("configuration") == nil || size != nil
		limit, _ := strconv.ParseInt(d.Spec.Key("slidingWindowSize").Default, 10, 64)
		if size != nil {
			limit = size.Value.Int
		}
		if counted && known && arg.Value.Int > limit {
			m.warnf(arg.Pos, arg.End, "minimumNumberOfCalls is %s, but a COUNT_BASED window holds %d calls, so it means %d; "+
				"write at most slidingWindowSize", arg.Text, limit, limit)
		}
	}
	if attempts, wait := d.Arg("maxAttempts"), d.Arg("waitDuration"); attempts != nil && wait != nil &&
		attempts.Value.Int == 1 {
		m.warnf(wait.Pos, wait.End, "waitDuration does nothing with maxAttempts=1, which counts the first call; write "+
			"maxAttempts=2 for one retry, or remove waitDuration")
	}
}

// warnOfChain warns of layers and fallbacks of one method that work against each other.
func (m *maker) warnOfChain(w *wrapper, method *method) {
	for i, d := range method.chain {
		if at := d.Arg("fallbackAt"); at != nil && d.Arg("fallback") != nil {
			m.warnOfHiding(at, method.chain[:i])
		}
		switch d.Spec.Name {
		case kindBreaker:
			m.warnOfSlowCalls(w, method, i)
		case kindTimeLimiter:
			m.warnOfWaits(w, method, i)
		}
	}
	for _, d := range method.fallbacks {
		if on := d.Arg("on"); on != nil {
			m.warnOfCounting(w, method, on)
		}
	}
}

// warnOfHiding warns of a fallback at a layer that keeps failures from a layer further out.
func (m *maker) warnOfHiding(at *directive.Arg, outer []placed) {
	var hidden []string // the layers that ask what has become of a call
	for _, o := range outer {
		if o.Spec.Name == kindRetry || o.Spec.Name == kindBreaker || o.Arg("drainPermissionsOnResult") != nil {
			hidden = append(hidden, "the "+o.Spec.Name)
		}
	}
	if len(hidden) > 0 {
		m.warnf(at.Pos, at.End, "fallbackAt=layer hides failures from %s further out, where the answer looks like a success; "+
			"remove it to answer once, after the whole chain", joinAnd(hidden))
	}
}

// warnOfSlowCalls warns of a threshold for slow calls that the layers inside of the breaker reach always or never.
func (m *maker) warnOfSlowCalls(w *wrapper, method *method, at int) {
	slow := method.chain[at].Arg("slowCallDurationThreshold")
	if slow == nil || slow.Value.Duration == 0 {
		return
	}
	threshold := slow.Value.Duration
	for _, inner := range method.chain[at+1:] {
		all := m.shared[instanceOf(w, method, inner.Directive)]
		switch inner.Spec.Name {
		case kindRetry:
			wait, known := durationOf(inner.Directive, all, "waitDuration")
			if known && all.arg("intervalFunction") == nil && all.arg("intervalBiFunction") == nil && wait >= threshold {
				m.warnf(slow.Pos, slow.End, "slowCallDurationThreshold is %s, and the retry inside of it waits %s between two "+
					"attempts, so that every retried call is slow; write a longer one", slow.Text, wait)
			}
		case kindTimeLimiter:
			timeout, known := durationOf(inner.Directive, all, "timeoutDuration")
			if known && threshold >= timeout {
				m.warnf(slow.Pos, slow.End, "slowCallDurationThreshold is %s, and the timelimiter inside of it ends calls after "+
					"%s, so that no call is slow; write a shorter one", slow.Text, timeout)
			}
		case kindRateLimiter, kindBulkhead:
			if key, wait, known := longestWait(inner.Directive, all); known && wait >= threshold {
				m.warnf(slow.Pos, slow.End, "slowCallDurationThreshold is %s, and the %s inside of it waits up to %s, so that calls "+
					"are slow that only waited; write a longer one, or a shorter %s of the %[2]s", slow.Text, inner.Spec.Name,
					wait, key)
			}
		}
	}
}

// longestWait returns how long a rate limiter or bulkhead has a call wait at most, and the key that says so, if this
// package says it. How long a call waits in the queue of a pool nobody can say.
func longestWait(d *directive.Directive, all *sharing) (key string, wait time.Duration, known bool) {
	switch {
	case d.Spec.Name == kindRateLimiter:
		key = "timeoutDuration"
	case d.Spec.Name == kindBulkhead && !isPool(d):
		key = "maxWaitDuration"
	default:
		return "", 0, false
	}
	wait, known = durationOf(d, all, key)
	return key, wait, known
}

// warnOfWaits warns of layers inside of a time limiter that may wait until its limit is over.
func (m *maker) warnOfWaits(w *wrapper, method *method, at int) {
	limiter := method.chain[at].Directive
	timeout, known := durationOf(limiter, m.shared[instanceOf(w, method, limiter)], "timeoutDuration")
	if !known {
		return
	}
	for _, inner := range method.chain[at+1:] {
		key, wait, known := longestWait(inner.Directive, m.shared[instanceOf(w, method, inner.Directive)])
		if !known || wait < timeout {
			continue
		}
		pos, end, says := inner.Pos, inner.End, "is by default"
		if arg := inner.Arg(key); arg != nil {
			pos, end, says = arg.Pos, arg.End, "is"
		}
		m.warnf(pos, end, "%s of the %s %s %s, and the timelimiter around it ends calls after %s, so that a call may wait for "+
			"nothing; write a shorter one", key, inner.Spec.Name, says, wait, timeout)
	}
}

// durationOf returns what an instance's duration is, if this package says so.
func durationOf(d *directive.Directive, all *sharing, key string) (time.Duration, bool) {
	if arg := all.arg(key); arg != nil {
		return arg.Value.Duration, true
	}
	value, err := time.ParseDuration(d.Spec.Key(key).Default)
	return value, err == nil && all.arg("configuration") == nil
}

// warnOfCounting warns of an error that a fallback answers by name, which speaks of an answer, while the policies treat
// it as a failure first. Who lists it in retryErrors or recordErrors wants that.
func (m *maker) warnOfCounting(w *wrapper, method *method, on *directive.Arg) {
	for _, item := range m.errorItems(on) {
		var counted []string
		for _, match := range item.matches {
			if match.Any || match.Predicate != nil || ofPolicy(match) || anyCovers(w.expected, match) {
				continue
			}
			counted = counted[:0]
			for _, d := range method.chain {
				if m.treatsAsFailure(w, method, d, match) {
					counted = append(counted, map[string]string{
						kindRetry:   "retried",
						kindBreaker: "counted as a failure by the circuitbreaker",
					}[d.Spec.Name])
				}
			}
			if len(counted) > 0 {
				break
			}
		}
		if len(counted) > 0 {
			m.warnf(item.Pos, itemEnd(item.Item), "%s is answered by a fallback, but %s first; if it is an answer rather than "+
				"a failure, list it in //resil:wrapper expected= or in their ignoreErrors", item.Text, joinAnd(counted))
		}
	}
}

// treatsAsFailure reports whether a policy retries or counts what match matches, without having been told to.
func (m *maker) treatsAsFailure(w *wrapper, method *method, d placed, match Match) bool {
	listed := "retryErrors"
	switch d.Spec.Name {
	case kindRetry:
	case kindBreaker:
		listed = "recordErrors"
	default:
		return false
	}
	all := m.shared[instanceOf(w, method, d.Directive)]
	if all.arg(listed) != nil || all.arg("configuration") != nil {
		return false
	}
	ignored := all.arg("ignoreErrors")
	return ignored == nil || !anyCovers(m.errorItems(ignored), match)
}

// anyCovers reports whether an item covers match, or is a predicate that may.
func anyCovers(items []errorItem, match Match) bool {
	for _, item := range items {
		for _, m := range item.matches {
			if m.Predicate != nil || covers(m, match) {
				return true
			}
		}
	}
	return false
}

// ofPolicy reports whether match is an error that only the policies and the context make: what it means is known.
func ofPolicy(match Match) bool {
	var pkg *types.Package
	if match.Value != nil {
		pkg = match.Value.Pkg()
	} else {
		t := types.Unalias(match.Type)
		if pointer, ok := t.(*types.Pointer); ok {
			t = types.Unalias(pointer.Elem())
		}
		if named, ok := t.(*types.Named); ok {
			pkg = named.Obj().Pkg()
		}
	}
	return pkg != nil && (pkg.Path() == "context" || strings.HasPrefix(pkg.Path(), runtimePath))
}
