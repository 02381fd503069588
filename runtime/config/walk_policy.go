package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resilgen/resilgen/runtime/resil"
)

// visitPolicy reads what stands directly below a policy.
func (r *reader) visitPolicy(p place, path []segment, e entry) {
	word, at := path[0].text, r.atSegment(e, path[0])
	own := uniform(word)
	switch {
	case slices.Contains(p.policy.instances, own):
		p.level = atInstances
		r.visit(p, path[1:], e)
	case own == "configs" && p.within:
		r.wrong(at, "configs stands below a tenant, where only instances may stand; write it below resilience4j.%s",
			p.policy.kind)
	case own == "configs":
		p.level = atConfigurations
		r.visit(p, path[1:], e)
	case !p.within && len(path) == 1 && p.policy.order != "" && own == uniform(p.policy.order):
		r.readAspect(p.policy, e)
	case !p.within && own == "tags":
		r.warn(at, "tags has no meaning here: write resil.WithTags in code")
	case !p.within && own == "metrics":
		r.warn(at, "metrics has no meaning here: metrics are not set by a file")
	case own == "enabled":
		r.unknown(at, "%s does not switch all instances of %s; write configs.default.enabled, or enabled of each instance",
			quoted(word), p.policy.kind)
	case p.policy.key(word) != nil:
		r.unknown(at, "%s stands outside of an instance; write it below instances.<name> or configs.<name>", quoted(word))
	case strings.HasSuffix(own, "aspectorder"):
		r.wrongAspect(p, word, at)
	case len(path) == 1 && e.value.Kind == yaml.MappingNode && r.meant(word, "instances", "configs") == "":
		r.unknown(at, "unknown key %s; if it is the name of an instance, write it below instances", quoted(word))
	default:
		known := []string{"instances"}
		if !p.within {
			known = append(known, "configs")
			if p.policy.order != "" {
				known = append(known, p.policy.order)
			}
		}
		r.unknown(at, "unknown key %s; below %s there are %s%s", quoted(word), p.policy.kind, words(known...),
			r.meant(word, known...))
	}
}

// readAspect reads the place of a policy in the chain.
func (r *reader) readAspect(p *policyKeys, e entry) {
	at := r.at(e.key)
	for _, a := range r.aspects {
		if a.kind == p.kind {
			r.wrong(at, "%s is here twice; it is in line %d already", p.order, a.position.Line)
			return
		}
	}
	usual := slices.IndexFunc(policies, func(other policyKeys) bool { return other.kind == p.kind })
	if value, ok := r.value(&Key{Name: p.order, Type: Int}, e.value); ok {
		r.aspects = append(r.aspects, aspect{p.kind, value.(int), usual, at})
	}
}

// wrongAspect reports the place of another policy, or one in a spelling that is not known.
func (r *reader) wrongAspect(p place, word string, at resil.Position) {
	if p.within {
		r.unknown(at, "%s stands below a tenant; all tenants have one order, so write it below resilience4j.%s", word,
			p.policy.kind)
		return
	}
	for _, other := range policies {
		if other.order != "" && uniform(other.order) == uniform(word) {
			r.unknown(at, "%s stands below %s; write it below %s", other.order, p.policy.kind, other.kind)
			return
		}
	}
	right := "a pool stands where a bulkhead does: write bulkheadAspectOrder below bulkhead"
	if p.policy.order != "" {
		right = "write " + p.policy.order
	}
	r.unknown(at, "unknown key %s; %s", quoted(word), right)
}
