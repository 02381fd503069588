package resil

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A reading is documents on their way to the stores.
type reading struct {
	runtime   *Runtime
	documents []*Document
	warnings  []Warning // about what the documents say
}

func (r *reading) warn(w Warning) { r.warnings = append(r.warnings, w) }

// read takes what documents say to the store, in place of what they said before. The runtime's mutex is held.
func (s *store[T, C]) read(r *reading) (errs []error) {
	s.spoken, s.off = nil, false
	for _, d := range r.documents {
		if d.Enabled != nil {
			s.off = !*d.Enabled
		}
		for _, stated := range [...]struct {
			sections []Section
			place    func(*section) error
		}{{d.Configurations, s.placeConfiguration}, {d.Instances, s.placeInstance}} {
			for i := range stated.sections {
				if stated.sections[i].Kind != s.kind {
					continue
				}
				if s.spoken == nil {
					s.spoken, s.fields = newSpoken(), fieldsOf[C]()
				}
				said, wrong := s.translate(&stated.sections[i], r)
				errs = append(errs, wrong...)
				if err := stated.place(said); err != nil {
					errs = append(errs, err)
				}
			}
		}
	}
	return append(errs, s.checkBases()...)
}

// placeConfiguration files a section of a named configuration.
func (s *store[T, C]) placeConfiguration(said *section) error {
	name := said.Name
	if said.Environment {
		fits := slices.DeleteFunc(s.configurationNames(), func(known string) bool { return reduced(known) != name })
		if len(fits) != 1 {
			return s.fits(said, "a configuration", fits, s.configurationNames())
		}
		name = fits[0]
	}
	s.spoken.configurations[name] = append(s.spoken.configurations[name], said)
	return nil
}

// placeInstance files a section of an instance.
func (s *store[T, C]) placeInstance(said *section) error {
	switch {
	case said.Environment:
		s.spoken.environment[said.Name] = append(s.spoken.environment[said.Name], said)
	case said.Tenant != "":
		tenant := s.spoken.tenants[said.Tenant]
		if tenant == nil {
			tenant = map[string][]*section{}
			s.spoken.tenants[said.Tenant] = tenant
		}
		tenant[said.Name] = append(tenant[said.Name], said)
	default:
		s.spoken.instances[said.Name] = append(s.spoken.instances[said.Name], said)
	}
	return nil
}

// checkBases returns an error for each base that does not exist, and for each base that leads back to itself.
func (s *store[T, C]) checkBases() (errs []error) {
	if s.spoken == nil {
		return nil
	}
	wrong := func(base *Named, format string, args ...any) {
		errs = append(errs, &placed{base.Position.String(), fmt.Errorf(format, args...)})
	}
	check := func(what string, said *section) {
		if base := said.base; base != nil && !s.knows(base.Text) {
			wrong(base, "%s %s%q: baseConfig: %s", s.kind, what, said.Name, s.unknown(base.Text))
			said.base = nil
		}
	}
	names := slices.Sorted(maps.Keys(s.spoken.configurations))
	for _, name := range names {
		for _, said := range s.spoken.configurations[name] {
			check("configuration ", said)
		}
	}
	for _, said := range s.spoken.all() {
		check("", said)
	}
	for _, name := range names {
		if path := s.circle([]string{name}); path != nil {
			for _, said := range s.spoken.configurations[name] {
				if said.base != nil && said.base.Text == path[1] {
					wrong(said.base, "%s configuration %q is based on itself: %s; take one baseConfig away",
						s.kind, name, strings.Join(path, " -> "))
					said.base = nil // one error a circle
				}
			}
		}
	}
	return errs
}

// circle returns the way from the first name of path back to it, over bases; nil where there is none.
func (s *store[T, C]) circle(path []string) []string {
	for _, said := range s.spoken.configurations[path[len(path)-1]] {
		if said.base == nil {
			continue
		}
		next := append(slices.Clip(path), said.base.Text)
		if said.base.Text == path[0] {
			return next
		}
		if !slices.Contains(path, said.base.Text) {
			if found := s.circle(next); found != nil {
				return found
			}
		}
	}
	return nil
}
