package resil

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A group is what the names of one policy with one base name have in common: how many instances they may have.
type group struct {
	base        string
	defaultName string // of what a function gives no name
	otherName   string // of what a function gives a name that is not valid, or for which there is no room

	defaulted, invalid, overCap, evicted atomic.Uint64

	instances int // guarded by the runtime's mutex
	counted   int // of the instances, those that count against the cap; guarded likewise
}

func newGroup(base string) *group {
	return &group{base: base, defaultName: base + "-" + defaultValue, otherName: base + "-" + otherValue}
}

// NameMetrics says how the instances of names with values are doing: those of one policy with one base name.
type NameMetrics struct {
	Kind policy.Kind
	// Base is the base name: the template without what stands in braces, as inventory of inventory-{tenant}.
	Base string
	// Instances is how many there are now.
	Instances int
	// Defaulted is how many calls lacked a value and went to an instance "default".
	Defaulted uint64
	// Invalid is how many calls had a value that is not valid, or a tenant that is not known, and went to "other".
	Invalid uint64
	// OverCap is how many calls went to "other" because there was no room for one more instance.
	OverCap uint64
	// Evicted is how many idle instances were taken out.
	Evicted uint64
}

// NameMetrics returns the figures of all base names whose instances depend on calls, by policy and name.
func (rt *Runtime) NameMetrics() []NameMetrics {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	var all []NameMetrics
	for _, s := range rt.stores() {
		all = append(all, s.nameMetrics()...)
	}
	slices.SortFunc(all, func(a, b NameMetrics) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Base, b.Base))
	})
	return all
}

func (s *store[T, C]) nameMetrics() []NameMetrics {
	var all []NameMetrics
	for base, g := range s.groups {
		all = append(all, NameMetrics{
			Kind: s.kind, Base: base, Instances: g.instances,
			Defaulted: g.defaulted.Load(), Invalid: g.invalid.Load(), OverCap: g.overCap.Load(), Evicted: g.evicted.Load(),
		})
	}
	return all
}
