package resil

import (
	"maps"
	"reflect"
	"slices"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Terms are what an entry's instance is configured with, and why. They are never changed, only replaced, so that all
// entries of a store share them of which the same is said: where each tenant has an instance of its own, an entry is
// hardly more than the instance.
type terms[T, C any] struct {
	agreed agreement
	given  string // the place that has given the instance to Replace; its settings are its own then
	own    *C     // its own settings then
	config C      // what the instance should be configured with

	operations operations

	// build makes an instance with config. It is nil where the instance was there before.
	build func(name string) (*T, error)
}

// remembered is how many terms a store remembers, the latest first, for entries of which the same will be said. Names
// that are made one after the other nearly always have the same terms, or one of a few.
const remembered = 8

// termsOf returns the terms of an instance of which agreed is said. The error is validate's.
func (s *store[T, C]) termsOf(of subject, agreed agreement) (*terms[T, C], error) {
	particular := s.particular(of)
	if !particular {
		equal := func(other *terms[T, C]) bool { return other.agreed.equals(agreed) }
		if i := slices.IndexFunc(s.recent, equal); i >= 0 {
			found := s.recent[i]
			copy(s.recent[1:], s.recent[:i])
			s.recent[0] = found
			return found, nil
		}
	}
	config, operations := s.resultOf(of, agreed)
	if err := s.check(config, of, agreed); err != nil {
		return nil, err
	}
	t := &terms[T, C]{agreed: agreed, config: config, operations: operations, build: s.maker(config)}
	if !particular {
		s.recent = slices.Insert(s.recent, 0, t)
		s.recent = slices.Delete(s.recent, min(remembered, len(s.recent)), len(s.recent))
	}
	return t, nil
}

// equals reports whether b says the same as a, of the same places, so that the one can stand for the other. Of functions
// and error rules nobody can tell that: two may have the same code, and name, and behave differently.
func (a agreement) equals(b agreement) bool {
	return slices.Equal(a.wrappers, b.wrappers) && a.owner == b.owner && a.base == b.base &&
		a.configuration == b.configuration &&
		maps.Equal(a.tags, b.tags) &&
		maps.EqualFunc(a.settings, b.settings, func(x, y setting) bool {
			return x.place == y.place && !code(x.value) && !code(y.value) && same(x.value, y.value)
		})
}

// code reports whether a field's value is a function or an error rule.
func code(v reflect.Value) bool {
	_, rule := v.Interface().(policy.ErrorRule)
	return rule || v.Kind() == reflect.Func
}
