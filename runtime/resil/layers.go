package resil

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/runtime/breaker"
)

// A layer is what one place says of an instance.
type layer[C any] struct {
	options    []func(*C) // of code
	settings   settings   // of annotations and documents
	stated     bool       // it is of a document
	operations operations // of documents
}

// eachLayer calls each with what is said of an instance, from the weakest to the strongest, but for what is built in. It is
// the one place that knows their order.
func (s *store[T, C]) eachLayer(of subject, agreed agreement, each func(layer[C])) {
	s.configurationLayers(defaultConfiguration, each)
	if named := agreed.configuration.value; named != "" && named != defaultConfiguration {
		s.configurationLayers(named, each)
	}
	each(layer[C]{settings: agreed.settings})
	for _, said := range s.spoken.of(of) {
		s.sectionLayers(said, each)
	}
	if of.base != of.name {
		each(layer[C]{options: s.coded[of.base]})
	}
	each(layer[C]{options: s.coded[of.name]})
}

// configurationLayers calls each with what is said of a named configuration: by code, then by documents.
func (s *store[T, C]) configurationLayers(name string, each func(layer[C])) {
	each(layer[C]{options: s.configurations[name]})
	for _, said := range s.spoken.named()[name] {
		s.sectionLayers(said, each)
	}
}

// sectionLayers calls each with a section's base and then with what it says itself.
func (s *store[T, C]) sectionLayers(said *section, each func(layer[C])) {
	if said.base != nil {
		s.configurationLayers(said.base.Text, each)
	}
	each(layer[C]{settings: said.settings, stated: true, operations: said.operations})
}

// configOf returns what the layers come to for an instance.
func (s *store[T, C]) configOf(of subject, agreed agreement) C {
	config, _ := s.resultOf(of, agreed)
	return config
}

// resultOf returns what the layers come to for an instance.
func (s *store[T, C]) resultOf(of subject, agreed agreement) (config C, operations operations) {
	config = s.builtin()
	if s.runtime.passthrough {
		s.disable(&config)
		return config, operations
	}
	s.eachLayer(of, agreed, func(l layer[C]) {
		apply(&config, l.options)
		l.settings.apply(&config)
		operations.add(l.operations)
	})
	if state := operations.forcing(); state != breaker.Closed {
		s.begin(&config, state) // of instances that are yet to be made
	}
	if s.off {
		s.disable(&config)
	}
	return config, operations
}

// origin returns the place in a document from which an instance has a field, or "" where it comes from elsewhere.
func (s *store[T, C]) origin(of subject, agreed agreement, field int) (place string) {
	sets := func(said setting) bool { return said.field == field }
	s.eachLayer(of, agreed, func(l layer[C]) {
		if said, ok := l.settings[field]; ok {
			place = ""
			if l.stated {
				place = said.place
			}
		} else if slices.ContainsFunc(settingsOf(l.options, ""), sets) {
			place = ""
		}
	})
	return place
}

// check validates an instance's Config. Errors of fields that stand in a document say where.
func (s *store[T, C]) check(config C, of subject, agreed agreement) error {
	err := s.validate(config)
	if err == nil || s.spoken == nil {
		return err
	}
	errs := flat(err)
	for i, err := range errs {
		key, _, _ := strings.Cut(err.Error(), " ")
		if field, ok := fieldsOf[C]()[key]; ok {
			if place := s.origin(of, agreed, field); place != "" {
				errs[i] = &placed{place, err}
			}
		}
	}
	return errors.Join(errs...)
}

// fieldsOf returns the fields of the Config C by their keys.
func fieldsOf[C any]() map[string]int {
	fields := map[string]int{}
	for field := range reflect.TypeFor[C]().NumField() {
		fields[keyOf[C](field)] = field
	}
	return fields
}

// particular reports whether a layer says something of this very instance, beside what it says of all that have its base
// name.
func (s *store[T, C]) particular(of subject) bool {
	_, coded := s.coded[of.name]
	return coded || s.spoken.particular(of)
}

func apply[C any](config *C, options []func(*C)) {
	for _, option := range options {
		option(config)
	}
}

// configurationNames returns the names of all configurations, in order.
func (s *store[T, C]) configurationNames() []string {
	names := slices.Collect(maps.Keys(s.configurations))
	for name := range s.spoken.named() {
		if _, ok := s.configurations[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkConfigurations validates each named configuration on top of the defaults.
func (s *store[T, C]) checkConfigurations() []error {
	var errs []error
	for _, name := range s.configurationNames() {
		of, agreed := subject{}, agreement{configuration: statement{value: name}}
		err := s.check(s.configOf(of, agreed), of, agreed)
		errs = append(errs, prefixed(err, "%s configuration %q", s.kind, name)...)
	}
	return errs
}
