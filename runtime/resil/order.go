package resil

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/runtime/policy"
)

// defaultOrder is the order of layers from outside in where nobody says another one.
var defaultOrder = []policy.Kind{
	policy.Retry, policy.CircuitBreaker, policy.RateLimiter, policy.TimeLimiter, policy.Bulkhead,
}

// layered is a method whose layers the generator has put in order.
type layered struct {
	site   site
	method string
	layers []policy.Kind // from outside in
}

// Order says in which order, from outside in, the wrapper's method has its layers, where no annotation says that they
// have to be in this one. Documents can have another order, which is for the generator: it is an error then, in
// [Binder.Err], for the code has to be generated again.
func (b *Binder) Order(method string, layers ...policy.Kind) {
	b.ordered = append(b.ordered, layered{b.site, method, layers})
}

// place returns where a layer's kind stands in an order.
func place(order []policy.Kind, kind policy.Kind) int {
	if kind == policy.ThreadPoolBulkhead {
		kind = policy.Bulkhead
	}
	if i := slices.Index(order, kind); i >= 0 {
		return i
	}
	return len(order) + slices.Index(defaultOrder, kind)
}

// inOrder returns the kinds as an order has them: those that it names, then the others, in their default order.
func inOrder(order, kinds []policy.Kind) []policy.Kind {
	return slices.SortedStableFunc(slices.Values(kinds), func(a, b policy.Kind) int {
		return place(order, a) - place(order, b)
	})
}

// check returns an error if the method's layers are in another order than the document says.
func (l *layered) check(order []policy.Kind, document string) error {
	layers := slices.DeleteFunc(slices.Clone(l.layers), func(kind policy.Kind) bool { return kind == policy.Fallback })
	right := inOrder(order, layers)
	if len(order) == 0 || slices.Equal(layers, right) {
		return nil
	}
	return fmt.Errorf("the layers of %s.%s are %s, from outside in, but in %s their order is %s; run resilgen -config %[4]s",
		l.site.place, l.method, listed(layers), document, listed(right))
}

func listed(kinds []policy.Kind) string {
	texts := make([]string, len(kinds))
	for i, kind := range kinds {
		texts[i] = string(kind)
	}
	return strings.Join(texts, ", ")
}

// ordering is what a constructor says of its methods' layers.
type ordering struct {
	runtime *Runtime
	ordered []layered
}

func (o *ordering) merge() (errs []error) {
	if o.runtime.passthrough {
		return nil
	}
	for _, l := range o.ordered {
		if err := l.check(o.runtime.stand.order, o.runtime.stand.document); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (o *ordering) prepare() []error { return nil }
func (o *ordering) abandon()         {}

func (o *ordering) commit() []func() error {
	rt := o.runtime
	for _, l := range o.ordered {
		same := func(other layered) bool {
			return other.site == l.site && other.method == l.method && slices.Equal(other.layers, l.layers)
		}
		if !slices.ContainsFunc(rt.ordered, same) {
			rt.ordered = append(rt.ordered, l)
		}
	}
	o.ordered = nil
	return nil
}

// checkOrder returns an error for each wrapper that is in use and whose layers have another order than the documents say,
// and one where the order is not what documents said before: wrappers are generated, and cannot follow.
func (v *revision) checkOrder() (errs []error) {
	order, document := (*closing)(v).order()
	for _, l := range v.runtime.ordered {
		if err := l.check(order, document); err != nil {
			errs = append(errs, err)
		}
	}
	before, after := inOrder(v.before.order, defaultOrder), inOrder(order, defaultOrder)
	if v.before.order != nil && !slices.Equal(before, after) && errs == nil {
		if document == "" {
			document = v.before.document
		}
		errs = append(errs, fmt.Errorf("%s: the order of layers is %s, and was %s; wrappers that are in use cannot follow, "+
			"so run resilgen -config %[1]s and start the program again", document, listed(after), listed(before)))
	}
	return errs
}
