package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// A kind is how the layers of one policy are written. A further policy is a further kind, in a file of its own, and a
// line in kinds.
type kind struct {
	field string // of the method's struct; with a capital it ends the name of the layer's method
	bind  string // the policy's type, and the method of resil.Bind's result that binds it
	named bool   // the layer returns zero values, so its results need names
	body  func(m *method, i int) []jen.Code
}

// kinds holds the kinds by directive.
func kinds() map[string]kind {
	return map[string]kind{
		"retry":          {field: "retry", bind: "Retry", body: (*method).retryLayer},
		"circuitbreaker": {field: "breaker", bind: "Breaker", named: true, body: (*method).breakerLayer},
		"timelimiter":    {field: "timeLimiter", bind: "TimeLimiter", body: (*method).timeLimiterLayer},
	}
}

// A layer is one layer of a method while it is written.
type layer struct {
	plan     *plan.Layer
	kind     kind
	instance string // where its instance is, from the wrapper
	fallback string // where the instance of its own fallback is
	method   string // its method; empty where it is the public one
	answered string // the method with its own fallback around it; empty where it has none
}

func (m *method) newLayer(p *plan.Layer) (*layer, error) {
	k, ok := kinds()[p.Spec.Name]
	if !ok {
		return nil, fmt.Errorf("there is no code for a layer %s", p.Spec.Name)
	}
	instance := m.field + "." + k.field
	return &layer{plan: p, kind: k, instance: instance, fallback: instance + "Fallback"}, nil
}

// entry returns the method through which the layer is called.
func (l *layer) entry() string {
	if l.answered != "" {
		return l.answered
	}
	return l.method
}
