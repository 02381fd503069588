package resil

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/internal/spelling"
	"github.com/resilgen/resilgen/runtime/policy"
)

// translate brings a section into the store's terms.
func (s *store[T, C]) translate(from *Section, r *reading) (*section, []error) {
	to := &section{Section: from, base: from.Base, settings: settings{}}
	var errs []error
	for _, set := range joinedLists(from.Settings) {
		if err := s.set(to, set, r); err != nil {
			errs = append(errs, &placed{set.Position.String(), fmt.Errorf("%s %q: %w", s.kind, from.Name, err)})
		}
	}
	return to, errs
}

// joinedLists returns the settings with one list for each key that has several: keys with other names in Resilience4j
// that mean the same here.
func joinedLists(all []Setting) []Setting {
	var joined []Setting
	for _, set := range all {
		names, ok := set.Value.(Names)
		i := slices.IndexFunc(joined, func(other Setting) bool { return other.Key == set.Key })
		if !ok || i < 0 {
			joined = append(joined, set)
			continue
		}
		if others, ok := joined[i].Value.(Names); ok {
			joined[i].Value = append(slices.Clip(others), names...)
		} else {
			joined = append(joined, set)
		}
	}
	return joined
}

// set brings one setting into the store's terms.
func (s *store[T, C]) set(to *section, set Setting, r *reading) error {
	field, ok := s.fields[set.Key]
	if !ok {
		return s.operate(&to.operations, set)
	}
	want := reflect.TypeFor[C]().Field(field).Type
	value := reflect.ValueOf(set.Value)
	names, named := set.Value.(Names)
	switch {
	case named && want == reflect.TypeFor[policy.ErrorRule]():
		rule, unknown := r.runtime.rule(names)
		for _, name := range unknown {
			r.warn(r.runtime.unknownError(name))
		}
		value = reflect.ValueOf(rule)
	case named && want.Kind() == reflect.Func:
		for _, name := range names {
			r.warn(Warning{name.Position, fmt.Sprintf("%s has no effect: %s is a function, which a document cannot name; "+
				"set it by an annotation or in code", set.Key, name.Text)})
		}
		return nil
	case !value.IsValid() || value.Type() != want:
		return fmt.Errorf("%s is %v, which is a %[2]T; it must be a %s", set.Key, set.Value, want)
	}
	to.settings[field] = setting{field, value, set.Position.String()}
	return nil
}

// operate takes a setting that is no field of a Config.
func (s *store[T, C]) operate(to *operations, set Setting) error {
	switch {
	case set.Key == keyForceState && s.kind == policy.CircuitBreaker:
		return s.force(to, set)
	case set.Key == keyRegisterHealthIndicator && s.healthy != nil:
		return assign(&to.health, set)
	case set.Key == keyAllowHealthIndicatorToFail && s.healthy != nil:
		return assign(&to.mayFail, set)
	case set.Key == keyEventConsumerBufferSize && s.kind != policy.Fallback:
		if err := assign(&to.remembers, set); err != nil {
			return err
		}
		if *to.remembers < 1 || *to.remembers > longestMemory {
			return fmt.Errorf("%s is %d; it must be from 1 to %d", set.Key, *to.remembers, longestMemory)
		}
		return nil
	}
	hint := ""
	if near := spelling.Nearest(set.Key, slices.Sorted(maps.Keys(s.fields))); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("there is no setting %q%s", set.Key, hint)
}

func (s *store[T, C]) force(to *operations, set Setting) error {
	if err := assign(&to.force, set); err != nil {
		return err
	}
	switch *to.force {
	case breaker.Closed, breaker.ForcedOpen, breaker.Disabled, breaker.MetricsOnly:
		return nil
	}
	err := fmt.Errorf("%s is %s; it must be FORCED_OPEN, DISABLED, METRICS_ONLY or, where nothing is forced, CLOSED",
		set.Key, *to.force)
	to.force = nil
	return err
}

// assign takes a value that must be a V.
func assign[V any](to **V, set Setting) error {
	value, ok := set.Value.(V)
	if !ok {
		return fmt.Errorf("%s is %v, which is a %[2]T; it must be a %T", set.Key, set.Value, value)
	}
	*to = &value
	return nil
}
