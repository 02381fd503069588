package resil

import (
	"maps"
	"slices"
)

// A section is a [Section] in a store's terms.
type section struct {
	*Section
	base       *Named
	settings   settings
	operations operations
}

// spoken is what documents say to one store. It is never changed, only replaced; nil says nothing.
type spoken struct {
	configurations map[string][]*section
	instances      map[string][]*section
	tenants        map[string]map[string][]*section // by id and name
	environment    map[string][]*section            // of instances, by names that are reduced
}

func newSpoken() *spoken {
	return &spoken{
		configurations: map[string][]*section{},
		instances:      map[string][]*section{},
		tenants:        map[string]map[string][]*section{},
		environment:    map[string][]*section{},
	}
}

// named returns what is said of named configurations.
func (s *spoken) named() map[string][]*section {
	if s == nil {
		return nil
	}
	return s.configurations
}

// of returns what is said of an instance, the weakest first.
func (s *spoken) of(of subject) []*section {
	if s == nil {
		return nil
	}
	said := slices.Clip(s.instances[of.base])
	if of.name != of.base {
		said = append(said, s.instances[of.name]...)
	}
	if tenant := s.tenants[of.tenant]; tenant != nil {
		said = append(said, tenant[of.base]...)
		if of.name != of.base {
			said = append(said, tenant[of.name]...)
		}
	}
	if len(s.environment) > 0 {
		said = append(said, s.environment[reduced(of.base)]...)
		if name := reduced(of.name); name != reduced(of.base) {
			said = append(said, s.environment[name]...)
		}
	}
	return said
}

// particular reports whether something is said of this very instance, beside what is said of all with its base name.
func (s *spoken) particular(of subject) bool {
	if s == nil {
		return false
	}
	if len(s.instances[of.name]) > 0 {
		return true
	}
	if tenant := s.tenants[of.tenant]; len(tenant[of.base]) > 0 || len(tenant[of.name]) > 0 {
		return true
	}
	return len(s.environment) > 0 && len(s.environment[reduced(of.name)]) > 0
}

// directly returns what is said of instances by their names, outside tenants and the environment.
func (s *spoken) directly() map[string][]*section {
	if s == nil {
		return nil
	}
	return s.instances
}

// all returns the sections of instances, in the order of their names.
func (s *spoken) all() (sections []*section) {
	if s == nil {
		return nil
	}
	add := func(named map[string][]*section) {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			sections = append(sections, named[name]...)
		}
	}
	add(s.instances)
	for _, id := range slices.Sorted(maps.Keys(s.tenants)) {
		add(s.tenants[id])
	}
	add(s.environment)
	return sections
}
