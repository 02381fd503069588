package resil

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// reduced returns a name as it stands in the environment: in capitals, and of its letters and digits only.
func reduced(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, name)
}

// checkEnvironment returns an error for each name in the environment that fits several instances.
func (s *store[T, C]) checkEnvironment() (errs []error) {
	if s.spoken == nil || len(s.spoken.environment) == 0 {
		return nil
	}
	names := s.knownNames()
	for _, reducedName := range slices.Sorted(maps.Keys(s.spoken.environment)) {
		fits := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return reduced(name) != reducedName })
		if len(fits) > 1 {
			errs = append(errs, s.fits(s.spoken.environment[reducedName][0], "an instance", fits, names))
		}
	}
	return errs
}

// checkReduced returns an error if a name in the environment fits a base name that is about to be used, and another one.
func (s *store[T, C]) checkReduced(base string) error {
	if s.spoken == nil || len(s.spoken.environment) == 0 {
		return nil
	}
	short := reduced(base)
	entries := s.spoken.environment[short]
	if len(entries) == 0 {
		return nil
	}
	fits := slices.DeleteFunc(s.knownNames(), func(name string) bool { return name == base || reduced(name) != short })
	if len(fits) == 0 {
		return nil
	}
	return s.fits(entries[0], "an instance", append(fits, base), nil)
}

// knownNames returns the names that code, documents and wrappers give instances, in order; of names with values the base.
func (s *store[T, C]) knownNames() []string {
	names := map[string]bool{}
	for name := range s.coded {
		names[name] = true
	}
	for name := range s.spoken.directly() {
		names[name] = true
	}
	for name, e := range s.entries {
		names[e.terms.agreed.subject(name).base] = true
	}
	for base := range s.groups {
		names[base] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// fits returns the error of a section of the environment whose name fits none or several of those that are known.
func (s *store[T, C]) fits(said *section, what string, fits, known []string) error {
	if len(fits) > 1 {
		return &placed{said.Position.String(), fmt.Errorf("%s: two names of %s fit %s: %s; rename one of them",
			s.kind, what, said.Name, strings.Join(fits, ", "))}
	}
	return &placed{said.Position.String(), fmt.Errorf("%s: no name of %s fits %s; known are %s",
		s.kind, what, said.Name, strings.Join(known, ", "))}
}
