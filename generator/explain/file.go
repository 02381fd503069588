package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// A File is what a config file says, in plain terms: the generator knows nothing of the packages that run.
type File struct {
	Name           string
	Configurations []Section
	Instances      []Section // also those of tenants
	Order          []string  // directives that have a place in the chain, the outermost first
	Enabled        *bool     // the switch of everything
	Problems       []Problem // what the file's reader has to say
}

// A Section is what a file says of one configuration or of one instance.
type Section struct {
	Kind     string // as a directive: retry, circuitbreaker, ratelimiter, timelimiter, bulkhead
	Pool     bool   // of a bulkhead with type=pool
	Name     string
	Tenant   string
	Position string
	Base     string // the configuration that it starts from; empty where it says none
	BaseAt   string // where it says so
	Settings []FileSetting
}

// A FileSetting is one key of a file.
type FileSetting struct {
	Key      string
	Value    string // as it would be written in an annotation
	Position string
}

// what names the section in messages.
func (s *Section) what() string {
	text := kindText(s.Kind, s.Pool) + fmt.Sprintf(" %q", s.Name)
	if s.Tenant != "" {
		text += " of tenant " + s.Tenant
	}
	return text
}

func kindText(kind string, pool bool) string {
	if pool {
		return kind + " (pool)"
	}
	return kind
}

// defaultConfiguration is the one that every instance starts from.
const defaultConfiguration = "default"

// configuration returns the section of a named configuration, or nil.
func (f *File) configuration(kind string, pool bool, name string) *Section {
	if f == nil {
		return nil
	}
	for i := range f.Configurations {
		if s := &f.Configurations[i]; s.Kind == kind && s.Pool == pool && s.Name == name {
			return s
		}
	}
	return nil
}

// bases calls each with the configurations that a section starts from, the weakest first. The one called default comes in
// only where it is named: instances start from it in any case.
func (f *File) bases(s *Section, each func(*Section)) {
	var chain []*Section
	for s.Base != "" {
		s = f.configuration(s.Kind, s.Pool, s.Base)
		if s == nil || slices.Contains(chain, s) {
			break
		}
		chain = append(chain, s)
	}
	for _, s := range slices.Backward(chain) {
		each(s)
	}
}

// check returns what is wrong with what the file says beside what its reader said: names of instances that no wrapper
// binds, and configurations to start from that are not there.
func (f *File) check(instances map[instance]*shared) []Problem {
	var problems []Problem
	for i := range f.Instances {
		if s := &f.Instances[i]; !bound(s, instances) {
			problems = append(problems, unbound(s, instances))
		}
	}
	for _, sections := range [][]Section{f.Configurations, f.Instances} {
		for i := range sections {
			if s := &sections[i]; s.Base != "" {
				problems = append(problems, f.checkBase(s)...)
			}
		}
	}
	return problems
}

func bound(s *Section, instances map[instance]*shared) bool {
	for key := range instances {
		if key.kind == s.Kind && key.pool == s.Pool {
			if n := cut(key.name); n.base() == s.Name || n.matches(s.Name) {
				return true
			}
		}
	}
	return false
}

// unbound says that no wrapper binds the section's name.
func unbound(s *Section, instances map[instance]*shared) Problem {
	var same, others []string
	for key := range instances {
		base := cut(key.name).base()
		switch {
		case key.kind == s.Kind && key.pool == s.Pool:
			same = append(same, base)
		case base == s.Name:
			others = append(others, kindText(key.kind, key.pool))
		}
	}
	slices.Sort(same)
	slices.Sort(others)
	p := Problem{Position: s.Position, Message: "no wrapper binds " + s.what()}
	near := directive.Nearest(s.Name, same)
	switch {
	case near != "":
		p.Message += fmt.Sprintf("; did you mean %q?", near)
	case len(others) > 0:
		p.Message += fmt.Sprintf("; annotations have the name for %s", strings.Join(slices.Compact(others), ", "))
	default:
		p.Message += "; name it in an annotation of these packages, or take it out"
	}
	return p
}

// checkBase reports a configuration that the file does not have, which can still be one of code, and one that starts from
// itself.
func (f *File) checkBase(s *Section) []Problem {
	if base := f.configuration(s.Kind, s.Pool, s.Base); base == nil && s.Base != defaultConfiguration {
		message := fmt.Sprintf("the file has no %s configuration %q that %s starts from; the program fails unless its code "+
			"has one", kindText(s.Kind, s.Pool), s.Base, s.what())
		return []Problem{{Position: s.BaseAt, Message: message, Warning: true}}
	}
	path := []string{s.Name}
	for at := s; at != nil && at.Base != "" && f.configuration(s.Kind, s.Pool, s.Name) == s; {
		path = append(path, at.Base)
		if at.Base == s.Name {
			if slices.Min(path) != s.Name {
				return nil // told once, where the first of their names stands
			}
			return []Problem{{Position: s.BaseAt, Message: fmt.Sprintf("%s configuration %q is based on itself: %s; take one "+
				"baseConfig away", kindText(s.Kind, s.Pool), s.Name, strings.Join(path, " -> "))}}
		}
		if at = f.configuration(s.Kind, s.Pool, at.Base); at != nil && slices.Contains(path[:len(path)-1], at.Name) {
			return nil // the circle is further on
		}
	}
	return nil
}
