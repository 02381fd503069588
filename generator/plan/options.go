package plan

import (
	"slices"
	"time"

	"github.com/resilgen/resilgen/generator/directive"
)

// buildChain makes the layers of a method.
func (m *maker) buildChain(w *wrapper, method *method) {
	for _, d := range method.chain {
		key := instanceOf(w, method, d.Directive)
		layer := &Layer{
			Spec: d.Spec,
			Name: key.name,
			Pool: isPool(d.Directive),
		}
		m.values(layer, d, method)
		m.configuration(layer, w, d, method)
		if d.Spec.Name == kindRateLimiter {
			layer.Permits.Const = 1
		}
		for i := range d.Spec.Keys {
			if arg := d.Arg(d.Spec.Keys[i].Name); arg != nil {
				m.set(layer, d, arg, method)
			}
		}
		switch d.Spec.Name {
		case kindRetry:
			m.repeat(layer, method, d)
		case kindTimeLimiter:
			m.checkLimitable(method, d)
			m.keep(layer, method, d)
		}
		m.checkErrorLists(w, d)
		m.checkSettings(d.Directive, m.shared[key])
		method.plan.Chain = append(method.plan.Chain, layer)
	}
	mark(method.plan)
	if slices.ContainsFunc(method.plan.Chain, refuses) {
		method.plan.Sends = sends(method.signature())
	}
}

// set takes one argument over into the layer.
func (m *maker) set(layer *Layer, d placed, arg *directive.Arg, method *method) {
	var fn *Func
	if arg.Key.Type == directive.Function {
		if fn = m.keyFunc(d, arg, method); fn == nil {
			return
		}
	}
	switch {
	case arg.Key.Option != "":
		option := Option{Key: arg.Key, Value: arg.Value, Func: fn}
		if arg.Key.Type == directive.Errors {
			if option.Errors = setOf(arg, m.errorItems(arg)); option.Errors == nil {
				return
			}
		}
		layer.Options = append(layer.Options, option)
	case arg.Key.Name == "recordResult", arg.Key.Name == "retryResult":
		layer.Result = fn
	case arg.Key.Name == "transitionOnResult":
		layer.Transition = fn
	case arg.Key.Name == "consumeResultBeforeRetryAttempt":
		layer.Consume = fn
	case arg.Key.Name == "drainPermissionsOnResult":
		layer.Drain = fn
	case arg.Key.Name == "permits":
		layer.Permits = m.permits(d, arg, method)
	case arg.Key.Name == "detach":
		layer.Detach = arg.Value.Bool
	}
}

// checkErrorLists reports errors that stand in lists that say opposite things of them.
func (m *maker) checkErrorLists(w *wrapper, d placed) {
	list := func(key string) []errorItem {
		arg := d.Arg(key)
		if arg == nil {
			return nil
		}
		return m.errorItems(arg)
	}
	counted := "recordErrors"
	if d.Spec.Name == kindRetry {
		counted = "retryErrors"
	}
	m.contradict("ignoreErrors", list("ignoreErrors"), counted, list(counted), "keep it in one of them")
	m.contradict("expected", w.expected, counted, list(counted), "an answer is no failure, so keep it in one of them")
}

// needs lists the keys that do nothing unless another key is switched on, and what to add where that is left out; empty
// where the other key is on by default. What a named configuration says of it is not known here.
var needs = []struct{ key, needed, off string }{
	{"exponentialBackoffMultiplier", "enableExponentialBackoff", "enableExponentialBackoff=true"},
	{"exponentialMaxWaitDuration", "enableExponentialBackoff", "enableExponentialBackoff=true"},
	{"exponentialMaxWaitDurationInOpenState", "enableExponentialBackoff", "enableExponentialBackoff=true"},
	{"randomizedWaitFactor", "enableRandomizedWait", "enableRandomizedWait=true"},
	{"failAfterMaxAttempts", "retryResult", "retryResult"},
	{"consumeResultBeforeRetryAttempt", "retryResult", "retryResult"},
	{"fallbackAt", "fallback", "fallback"},
	{"transitionToStateAfterWaitDuration", "maxWaitDurationInHalfOpenState", "maxWaitDurationInHalfOpenState"},
	{"slowCallRateThreshold", "slowCallDurationThreshold", ""},
	{"burst", "algorithm", "algorithm=SMOOTH"},
	{"rateType", "backend", "backend=redis"},
	{"onUnavailable", "backend", "backend=redis"},
	{"onRateMismatch", "backend", "backend=redis"},
	{"keepAliveTime", "backend", "backend=redis"},
	{"shards", "backend", "backend=redis"},
	{"lease", "backend", "backend=redis"},
}

// waits lists the keys that a function of the wait has the place of.
var waits = []string{
	"waitDuration", "waitDurationInOpenState", "enableExponentialBackoff", "exponentialBackoffMultiplier",
	"exponentialMaxWaitDuration", "exponentialMaxWaitDurationInOpenState", "enableRandomizedWait", "randomizedWaitFactor",
}

// checkSettings reports arguments that do nothing beside the others of the same instance, wherever these are written.
func (m *maker) checkSettings(d *directive.Directive, all *sharing) {
	if m.broken(d.Pos, d.End) {
		return // what an argument needs may be the one that was wrong
	}
	replaced := m.checkWaitFunction(d, all)
	for _, rule := range needs {
		arg := d.Arg(rule.key)
		if arg == nil || replaced[rule.key] || arg.Key.Type == directive.Bool && !arg.Value.Bool {
			continue
		}
		needed := d.Spec.Key(rule.needed)
		there := d.Arg(rule.needed)
		if there == nil && (needed.Option != "" || needed.Name == "retryResult") {
			there = all.arg(rule.needed) // failAfterMaxAttempts serves whichever method has the results
		}
		switch {
		case there != nil && there.Key.Type == directive.Enum && rule.off != there.Key.Name+"="+there.Text:
			m.errorf(arg.Pos, arg.End, "%s does nothing with %s=%s; write %s, or remove %[1]s", rule.key, rule.needed,
				there.Text, rule.off)
		case there != nil && switchedOff(there):
			m.errorf(arg.Pos, arg.End, "%s does nothing with %s=%s; switch that on, or remove %[1]s", rule.key, rule.needed,
				there.Text)
		case there == nil && rule.off != "" && (needed.Option == "" || all.arg("configuration") == nil):
			m.errorf(arg.Pos, arg.End, "%s does nothing without %s; add it, or remove %[1]s", rule.key, rule.off)
		}
	}
	m.checkPeriod(d, all)
	m.checkBackend(d, all)
	m.checkPoolSizes(d, all)
	m.warnOfSettings(d, all)
}

// checkPeriod reports a limit for the period that a rate limiter has by default, which is Resilience4j's: it is so short
// that nothing is limited.
func (m *maker) checkPeriod(d *directive.Directive, all *sharing) {
	limit := d.Arg("limitForPeriod")
	if limit == nil || all.arg("limitRefreshPeriod") != nil || all.arg("configuration") != nil {
		return
	}
	m.errorf(limit.Pos, limit.End, "limitForPeriod=%s limits nothing without limitRefreshPeriod, which is %s by default; add "+
		"it, as in limitRefreshPeriod=1s", limit.Text, d.Spec.Key("limitRefreshPeriod").Default)
}

// checkBackend reports what a limit in Redis cannot be.
func (m *maker) checkBackend(d *directive.Directive, all *sharing) {
	lease, limit := d.Arg("lease"), all.arg("limitForPeriod")
	if lease != nil && limit != nil && lease.Value.Int > limit.Value.Int/4 {
		m.errorf(lease.Pos, lease.End, "lease is %s; it must be at most %d, a quarter of limitForPeriod", lease.Text,
			limit.Value.Int/4)
	}
	if text(all.arg("backend")) != "redis" {
		return
	}
	if algorithm := d.Arg("algorithm"); algorithm != nil && algorithm.Value.Choice.Text != "SLIDING" {
		m.errorf(algorithm.Pos, algorithm.End, "algorithm is %s, but a limit in Redis is always a sliding window; remove it, or "+
			"write algorithm=SLIDING", algorithm.Text)
	}
	if period := d.Arg("limitRefreshPeriod"); period != nil && period.Value.Duration%time.Millisecond != 0 {
		m.errorf(period.Pos, period.End, "limitRefreshPeriod is %s; with backend=redis it must be whole milliseconds, at least "+
			"1ms", period.Text)
	}
}

// checkPoolSizes reports a pool that is to keep more goroutines than it may have, on all machines or on small ones.
func (m *maker) checkPoolSizes(d *directive.Directive, all *sharing) {
	core, largest := d.Arg("coreThreadPoolSize"), all.arg("maxThreadPoolSize")
	switch {
	case core == nil:
	case largest != nil && core.Value.Int > largest.Value.Int:
		m.errorf(core.Pos, core.End, "coreThreadPoolSize is %s; it must be at most maxThreadPoolSize, which is %s", core.Text,
			largest.Text)
	case largest == nil && core.Value.Int > 1 && all.arg("configuration") == nil:
		m.warnf(core.Pos, core.End, "coreThreadPoolSize is %s, and maxThreadPoolSize is the number of processors by default, "+
			"so that the constructor fails on a smaller machine; add maxThreadPoolSize", core.Text)
	}
}

func switchedOff(arg *directive.Arg) bool {
	switch arg.Key.Type {
	case directive.Bool:
		return !arg.Value.Bool
	case directive.Duration:
		return arg.Value.Duration == 0
	}
	return false
}

// checkWaitFunction reports what says how long to wait beside a function that does, and returns the keys concerned.
func (m *maker) checkWaitFunction(d *directive.Directive, all *sharing) map[string]bool {
	replaced := make(map[string]bool)
	functions := []string{"intervalFunction", "intervalBiFunction", "waitIntervalFunctionInOpenState"}
	for _, function := range functions {
		if all.arg(function) == nil {
			continue
		}
		for i := range d.Args {
			arg := &d.Args[i]
			other := arg.Key.Name != function && slices.Contains(functions, arg.Key.Name)
			if replaced[arg.Key.Name] || !other && !slices.Contains(waits, arg.Key.Name) {
				continue
			}
			if other && arg.Pos < all.arg(function).Pos && d.Arg(function) != nil {
				continue // the second of the two is reported
			}
			replaced[arg.Key.Name] = true
			m.errorf(arg.Pos, arg.End, "%s does nothing beside %s, which gives the waits; remove one of them",
				arg.Key.Name, function)
		}
	}
	return replaced
}
