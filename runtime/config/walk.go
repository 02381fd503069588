package config

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A level is how far below the top of a file a place is.
type level int

const (
	atTop            level = iota // resilience4j or resil
	atPolicies                    // a policy, tenants, enabled
	atTenants                     // a tenant's id
	atPolicy                      // configs, instances, the policy's place in the chain
	atConfigurations              // the name of a configuration
	atInstances                   // the name of an instance
	atSection                     // a key
)

// A place is where in a file's structure the reader is.
type place struct {
	level   level
	policy  *policyKeys // from atPolicy on
	tenant  string
	within  bool     // a tenant's part of the file
	section *section // atSection
}

// visit reads the value of e, which stands below the place at the rest of e's path.
func (r *reader) visit(p place, path []segment, e entry) {
	if len(path) == 0 {
		r.visitAll(p, e)
		return
	}
	switch p.level {
	case atTop:
		r.visitTop(p, path, e)
	case atPolicies:
		r.visitPolicies(p, path, e)
	case atTenants:
		r.visitTenant(p, path, e)
	case atPolicy:
		r.visitPolicy(p, path, e)
	case atConfigurations, atInstances:
		r.visitNamed(p, path, e)
	case atSection:
		r.visitKey(p.section, path, e)
	}
}

// visitAll reads the entries of a mapping.
func (r *reader) visitAll(p place, e entry) {
	switch {
	case e.value.Kind == yaml.MappingNode:
		for _, child := range r.entriesOf(e.value) {
			r.visit(p, child.path, child)
		}
	case e.value.Tag == "!!null": // nothing stands here yet
	case e.key == nil:
		r.wrong(r.at(e.value), "the file is %s; it must be a mapping with the key resilience4j or resil", kindOf(e.value))
	default:
		r.wrong(r.at(e.value), "%s is %s; it must be a mapping of %s", e.key.Value, kindOf(e.value), p.holds())
	}
}

// holds says what keys of a place are.
func (p place) holds() string {
	switch p.level {
	case atPolicies:
		return "policies, such as circuitbreaker"
	case atTenants:
		return "tenants' ids"
	case atPolicy:
		if p.within {
			return "instances"
		}
		return "configs and instances"
	case atConfigurations:
		return "configurations by their names"
	case atInstances:
		return "instances by their names"
	}
	return "keys and values"
}

func (r *reader) visitTop(p place, path []segment, e entry) {
	word := path[0].text
	switch {
	case slices.Contains([]string{"resilience4j", "resil"}, uniform(word)):
		p.level = atPolicies
		r.visit(p, path[1:], e)
	case strings.HasPrefix(word, "x-"): // a place for anchors
	case policyNamed(word) != nil:
		r.unknown(r.atSegment(e, path[0]), "%s does not stand at the top; write it below resilience4j", quoted(word))
	default:
		r.unknown(r.atSegment(e, path[0]), "unknown key %s; the top of the file has resilience4j or resil%s", quoted(word),
			r.meant(word, "resilience4j", "resil"))
	}
}

// elsewhereInSpring are keys below resilience4j that have no meaning here, with the reason.
var elsewhereInSpring = map[string]string{
	"micrometer": "metrics are not set by a file",
	"scheduled":  "there are no thread pools to schedule on",
	"thread":     "there are no kinds of threads to choose from",
}

func (r *reader) visitPolicies(p place, path []segment, e entry) {
	word, at := path[0].text, r.atSegment(e, path[0])
	p.policy = policyNamed(word)
	reason, foreign := elsewhereInSpring[uniform(word)]
	switch {
	case p.policy != nil:
		p.level = atPolicy
		r.visit(p, path[1:], e)
	case p.within:
		r.unknown(at, "unknown policy %s below a tenant; write %s%s", quoted(word), words(policyWords()...),
			r.meant(word, policyWords()...))
	case uniform(word) == "tenants":
		p.level = atTenants
		r.visit(p, path[1:], e)
	case uniform(word) == "enabled" && len(path) == 1:
		r.readEnabled(e)
	case foreign:
		r.warn(at, "%s has no meaning here: %s", word, reason)
	default:
		all := append(policyWords(), "tenants", "enabled")
		r.unknown(at, "unknown key %s; below resilience4j there are %s%s", quoted(word), words(all...),
			r.meant(word, all...))
	}
}

// readEnabled reads the switch of everything.
func (r *reader) readEnabled(e entry) {
	if r.document.Enabled != nil {
		r.wrong(r.at(e.key), "enabled is here twice; it is in line %d already", r.enabled.Line)
		return
	}
	if value, ok := r.value(&Key{Name: "enabled", Type: Bool}, e.value); ok {
		on := value.(bool)
		r.document.Enabled, r.enabled = &on, r.at(e.key)
	}
}

var tenantID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// visitTenant finds out where a tenant's id, which may have dots, ends: before the name of a policy.
func (r *reader) visitTenant(p place, path []segment, e entry) {
	end := len(path)
	for i := 1; i < len(path); i++ {
		if policyNamed(path[i].text) != nil {
			end = i
			break
		}
	}
	id := join(path[:end])
	if !tenantID.MatchString(id) {
		r.wrong(r.atSegment(e, path[0]),
			"%s is no tenant's id; it must be 1 to 64 letters, digits, dots, underscores and hyphens", quoted(id))
		return
	}
	p.level, p.tenant, p.within = atPolicies, id, true
	r.visit(p, path[end:], e)
}
