package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// A kind is how the layers of one policy are written. A further policy is a further kind, in a file of its own, and a
// line in kinds.
type kind struct {
	field  string // of the method's struct; with a capital it ends the name of the layer's method
	typ    string // the policy's type
	bind   string // the method of resil.Bind's result that binds an instance
	policy string // what the policy is called in package policy
	named  bool   // the layer returns zero values, so its results need names
	body   func(m *method, i int) []jen.Code
}

// kinds holds the kinds by directive.
func kinds() map[string]kind {
	return map[string]kind{
		"retry": {field: "retry", typ: "Retry", policy: "Retry", bind: "Retry", body: (*method).retryLayer},
		"circuitbreaker": {
			field: "breaker", typ: "Breaker", policy: "CircuitBreaker", bind: "Breaker", named: true, body: (*method).breakerLayer,
		},
		"ratelimiter": {
			field: "limiter", typ: "Limiter", policy: "RateLimiter", bind: "Limiter", named: true, body: (*method).limiterLayer,
		},
		"timelimiter": {
			field: "timeLimiter", typ: "TimeLimiter", policy: "TimeLimiter", bind: "TimeLimiter", body: (*method).timeLimiterLayer,
		},
		"bulkhead": {
			field: "bulkhead", typ: "Bulkhead", policy: "Bulkhead", bind: "Bulkhead", named: true, body: (*method).bulkheadLayer,
		},
		poolKind: {field: "bulkhead", typ: "Pool", policy: "ThreadPoolBulkhead", bind: "PoolBulkhead", body: (*method).poolLayer},
	}
}

// poolKind is the kind of bulkheads of type=pool.
const poolKind = "bulkhead type=pool"

// A layer is one layer of a method while it is written.
type layer struct {
	plan     *plan.Layer
	kind     kind
	instance string     // where its instance is, from the wrapper
	fallback string     // where the instance of its own fallback is
	method   string     // its method; empty where it is the public one
	key      *keyMethod // that works out the values of its name; nil where it is not needed
	answered string     // the method with its own fallback around it; empty where it has none
}

func (m *method) newLayer(p *plan.Layer) (*layer, error) {
	name := p.Spec.Name
	if p.Pool {
		name = poolKind
	}
	k, ok := kinds()[name]
	if !ok {
		return nil, fmt.Errorf("there is no code for a layer %s", name)
	}
	instance := m.field + "." + k.field
	return &layer{plan: p, kind: k, instance: instance, fallback: instance + "Fallback"}, nil
}

// refusal returns an error of the layer itself as it is returned, by the layer that it is for.
func (m *method) refusal(l *layer, err string) string {
	if l.plan.Mark {
		return m.body.runtime("policy", "MarkInner") + "(" + err + ")"
	}
	return err
}

// refuse writes the end of a call that the layer has refused. A request that is not sent has its body closed here, as
// http.RoundTripper promises.
func (m *method) refuse(l *layer) []jen.Code {
	return append(m.closeBodies(), m.returns(m.refusal(l, m.err)))
}

func (m *method) closeBodies() []jen.Code {
	var code []jen.Code
	for _, param := range m.plan.Sends {
		code = append(code, jen.Id(m.body.runtime("httpcall", "CloseBody")).Call(jen.Id(m.params[param])))
	}
	return code
}

// entry returns the method through which the layer is called.
func (l *layer) entry() string {
	if l.answered != "" {
		return l.answered
	}
	return l.method
}
