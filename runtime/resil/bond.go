package resil

import (
	"fmt"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A bond is the reference that a stage's instances are for.
type bond[T, C any] struct {
	to      Reference[T]
	stage   *stage[T, C]
	renamed *stage[T, C] // of the names that a function makes; nil where there is none
}

// mergeTemplate is merge for what a wrapper asks for.
func (b *batch[T, C]) mergeTemplate(q request[T]) []error {
	t, err := b.parse(q.name)
	if err != nil {
		return prefixed(err, "%s of %s: name", b.store.kind, b.site.place)
	}
	if n := t.keyed(); n > 0 && !q.follow.keyed() {
		return prefixed(fmt.Errorf("the name has %d values of the call, but the wrapper gives none; generate it again", n),
			"%s %q of %s", b.store.kind, q.name, b.site.place)
	}
	config, err := parseTemplate(q.configuration, "")
	if err != nil {
		return prefixed(err, "%s %q of %s: configuration", b.store.kind, q.name, b.site.place)
	}
	if _, err := config.matching(t); err != nil {
		return prefixed(err, "%s of %s", b.store.kind, b.site.place)
	}
	q.configuration = config.text
	if config.constant() {
		q.configuration, config = config.literals[0], nil
	}
	bond := bond[T, C]{to: q.follow}
	var errs []error
	if t.constant() {
		bond.stage = b.stageName(t.literals[0])
		errs = bond.stage.based(b.store.kind, t, b.site.place)
	} else {
		bond.stage = b.stageTemplate(t, false)
	}
	if config != nil {
		bond.stage.config = config
	}
	errs = append(errs, b.mergeInto(bond.stage, q)...)
	if b.store.runtime.naming.names != nil {
		bond.renamed = b.stageTemplate(t, true)
		if config != nil {
			q.configuration = "" // the values that it needs are not there
		}
		if others := b.mergeInto(bond.renamed, q); len(errs) == 0 {
			errs = others
		}
	}
	b.bonds = append(b.bonds, bond)
	return errs
}

// parse returns the template of a name in the runtime's scope.
func (b *batch[T, C]) parse(name string) (*template, error) {
	t, err := parseTemplate(name, b.scope)
	if err == nil && !t.tenanted() && b.store.runtime.naming.splits(b.store.kind) {
		return parseTemplate(name+"-{"+tenantPlaceholder+"}", b.scope)
	}
	return t, err
}

// based notes the base name of a constant name, which a scope has made.
func (g *stage[T, C]) based(kind policy.Kind, t *template, place string) []error {
	base := t.base
	if base == g.name {
		base = ""
	}
	if len(g.agreed.wrappers) > 0 && g.agreed.base != base {
		return []error{conflict(kind, g.name, "base name", quoted(g.agreed.subject(g.name).base), g.agreed.wrappers[0],
			quoted(t.base), place)}
	}
	if g.agreed.base != base {
		g.agreed.base, g.news = base, true
	}
	return nil
}

// stageTemplate returns the stage of a name with values, made when it is asked for the first time. With renamed it is
// that of the names which a function makes.
func (b *batch[T, C]) stageTemplate(t *template, renamed bool) *stage[T, C] {
	id := identity{text: t.text, values: !t.constant(), renamed: renamed}
	if g := b.staged[id]; g != nil {
		return g
	}
	g := &stage[T, C]{identity: id, name: t.text, template: t}
	if renamed {
		g.template = t.whole()
	}
	if f := b.store.families[id]; f != nil {
		g.family, g.config = f, f.config
		g.agreed = f.terms.agreed.clone()
	}
	g.agreed.base = t.base
	return b.add(g)
}

func (b *batch[T, C]) prepareFamily(g *stage[T, C]) []error {
	s := b.store
	subject := fmt.Sprintf("%s %q of %s", s.kind, g.name, b.site.place)
	if err := s.checkReduced(g.template.base); err != nil {
		return []error{err}
	}
	terms, err := s.termsOf(subjectOfAll(g.template), g.agreed)
	if err != nil {
		return prefixed(err, "%s", subject)
	}
	g.terms = terms
	if f := g.family; f != nil {
		if s.fixed != nil && len(f.members) > 0 {
			return prefixed(s.fixed(f.terms.config, terms.config), "%s", subject)
		}
		return nil
	}
	// The first instance is made by a call, which cannot say what is wrong with it; so one is made now.
	var values [maxValues]string
	for i := range g.template.values {
		values[i] = defaultValue
	}
	name := g.template.join(&values)
	made, err := terms.build(name)
	if err != nil {
		return prefixed(s.bare(name, err), "%s", subject)
	}
	g.made = made
	return nil
}

// subjectOfAll returns whom what is said of all members of a family is said of.
func subjectOfAll(t *template) subject { return subject{base: t.base} }

func (b *batch[T, C]) commitFamily(g *stage[T, C]) (after []func() error) {
	s, f := b.store, g.family
	if f == nil {
		f = s.newFamily(g.template, g.renamed)
		f.spare = g.made
		s.families[g.identity] = f
		s.order = append(s.order, f)
		after = append(after, s.giveUp(g.template.base)...)
		g.family = f
	}
	f.terms = g.terms
	if g.config != nil {
		f.config = g.config
		f.places, _ = g.config.matching(g.template) // which merge has asked already
	}
	if !g.news || s.runtime.passthrough {
		return nil
	}
	for _, e := range f.reterm() {
		after = append(after, func() error { return prefixedOne(s.update(e), "%s of %s", f.describe(), b.site.place) })
	}
	return after
}

// prefixedOne returns err beginning with what it is about; nil stays nil.
func prefixedOne(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// tie sets a reference.
func (b *batch[T, C]) tie(bond bond[T, C]) {
	g := bond.stage
	if g.template == nil && bond.renamed == nil {
		bond.to.follow(&g.entry.current, nil)
		return
	}
	naming := &b.store.runtime.naming
	r := &router[T]{tenant: naming.tenant, kind: b.store.kind}
	if g.template == nil {
		r.named = &g.entry.current
	} else {
		r.values = &g.family.values
	}
	if bond.renamed != nil {
		r.renamer, r.renamed = naming.names, &bond.renamed.family.values
	}
	if r.values != nil && r.renamed == nil && len(g.template.values) == 1 {
		r.single, r.index = r.values, g.template.values[0].index
	}
	bond.to.follow(nil, r)
}
