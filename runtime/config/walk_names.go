package config

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// visitNamed finds out where the name of an instance or a configuration ends, which may have dots: before the last
// segment where that is a key, that is, where the value is none that several keys could stand in.
func (r *reader) visitNamed(p place, path []segment, e entry) {
	end := len(path)
	if key := lastKey(path); key > 0 {
		empty := e.value.Tag == "!!null"
		if e.value.Kind != yaml.MappingNode && (!empty || p.policy.key(path[key].text) != nil) {
			end = key
		}
	}
	name, at := join(path[:end]), r.atSegment(e, path[0])
	switch {
	case strings.TrimSpace(name) == "":
		r.wrong(at, "the name is empty; write a name of %s", p.named())
		return
	case strings.ContainsAny(name, "{}"):
		r.wrong(at, "%s is a template; write its base name, without what is in braces%s", quoted(name), baseOf(name))
		return
	case end == len(path) && e.value.Kind == yaml.ScalarNode && e.value.Tag != "!!null" && p.policy.key(name) != nil:
		r.wrong(at, "%s is a key and not the name of %s; write it one level further in, as in default: {%s: %s}",
			quoted(name), p.named(), p.policy.key(name).Name, e.value.Value)
		return
	}
	s := r.section(p, name, at)
	r.visit(place{level: atSection, policy: p.policy, section: s}, path[end:], e)
}

// named says what a place's names are of.
func (p place) named() string {
	if p.level == atConfigurations {
		return "a configuration"
	}
	return "an instance"
}

// lastKey returns the index of the last segment that is no index.
func lastKey(path []segment) int {
	last := len(path) - 1
	for last > 0 && path[last].indexed() {
		last--
	}
	return last
}

var placeholder = regexp.MustCompile(`[-._/:]?\{[^{}]*\}`)

// baseOf suggests the base name of a name template.
func baseOf(template string) string {
	base := strings.TrimLeft(placeholder.ReplaceAllString(template, ""), "-._/:")
	if base == "" || strings.ContainsAny(base, "{}") {
		return ""
	}
	return ": " + base
}
