package plan

import (
	"github.com/resilgen/resilgen/generator/directive"
)

// ordered returns the policies from the outside in: those that order lists, as it lists them, then the others in the
// order of the table. Without one, the config file takes its place. Fallbacks are around all of them and have no place in
// the order. An order of the interface may list what a method has not; a method's own may not.
func (m *maker) ordered(
	method *method, policies map[string]placed, order *placed, reached map[*directive.Directive]bool,
) []placed {
	var chain []placed
	listed := make(map[string]bool)
	if order != nil && order.Arg("kinds") != nil {
		for _, item := range order.Arg("kinds").Value.Items {
			kind := item.Text
			listed[kind] = true
			policy, has := policies[kind]
			switch {
			case has:
				chain = append(chain, policy)
				reached[order.Directive] = true
			case order.level == onMethod && !m.brokenFile(order.Pos):
				m.errorf(item.Pos, itemEnd(item), "order lists %s, but %s has no %s; add one, or leave it out",
					kind, method.name(), kind)
			}
		}
	}
	if order == nil {
		for _, kind := range m.pkg.Order {
			if policy, has := policies[kind]; has {
				chain = append(chain, policy)
				listed[kind] = true
			}
		}
	}
	for i := range directive.Table {
		kind := directive.Table[i].Name
		if policy, has := policies[kind]; has && !listed[kind] {
			chain = append(chain, policy)
		}
	}
	return chain
}

// refuses reports whether a layer may end a call without making it.
func refuses(layer *Layer) bool {
	return layer.Spec.Name == kindBreaker || layer.Spec.Name == kindRateLimiter || layer.Spec.Name == kindBulkhead
}

// mark notes which layers refuse inside of one that counts or retries.
func mark(method *Method) {
	counted := false
	for _, layer := range method.Chain {
		layer.Mark = counted && refuses(layer)
		method.Unmark = method.Unmark || layer.Mark
		counted = counted || layer.Spec.Name == kindRetry || layer.Spec.Name == kindBreaker
	}
}
