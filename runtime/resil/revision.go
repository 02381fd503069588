package resil

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A revision is a change of what code and documents say. It is made as a whole or not at all.
type revision struct {
	runtime   *Runtime
	code      *core                   // whose layers are added to the code's; nil: nothing is
	sources   []*followed             // instead of those that there are; nil: they stay
	documents map[*followed]*Document // in place of what these sources said before
	errs      []error                 // that are known beforehand

	reading  reading
	stores   []amending // parts of the revision
	before   stand
	takeBack *revision // what this one takes back; nil: it is an ordinary one
}

// A stand is what sources have come to.
type stand struct {
	revision *revision // the latest
	sources  []*followed
	order    []policy.Kind // of the layers; nil where no document says one
	document string        // which says so
	warnings []Warning
}

// amending is a store's part of a revision.
type amending interface {
	change
	undoing(*revision) amending // the part of a revision that takes this one back
}

// load takes in what new sources say.
func (v *revision) load(sources []Source) *revision {
	v.documents = map[*followed]*Document{}
	for _, source := range sources {
		f := &followed{source: source}
		document, err := source.Load()
		if err == nil && document == nil {
			err = errNilDocument
		}
		v.errs = append(v.errs, flat(err)...)
		v.sources = append(v.sources, f)
		v.documents[f] = document
	}
	return v
}

// make makes the revision. If an instance refuses in the end what nobody else could judge, such as a backend's settings,
// all is taken back.
func (v *revision) make() error {
	rt := v.runtime
	changes := []change{(*opening)(v)}
	for i, s := range rt.stores() {
		var part amending
		switch {
		case v.takeBack != nil:
			part = v.takeBack.stores[i].undoing(v)
		case v.code != nil:
			part = s.amend(v, v.code.stores()[i])
		default:
			part = s.amend(v, nil)
		}
		v.stores = append(v.stores, part)
		changes = append(changes, part)
	}
	err := rt.change(append(changes, (*closing)(v))...)
	defer v.forget()
	if err != nil && v.takeBack == nil && v.latest() {
		back := &revision{runtime: rt, takeBack: v}
		if failed := back.make(); !errors.Is(failed, errAbandoned) {
			err = errors.Join(err, failed)
		}
	}
	if err != nil && v.takeBack == nil {
		return err
	}
	rt.followSources()
	rt.expect()
	if v.takeBack == nil {
		v.settled()
	}
	return err
}

// forget lets go of what only taking the revision back would need, which the runtime would keep otherwise.
func (v *revision) forget() {
	v.runtime.mu.Lock()
	defer v.runtime.mu.Unlock()
	v.code, v.stores, v.documents, v.before, v.reading = nil, nil, nil, stand{}, reading{}
}

// latest reports whether the revision was committed, and none after it.
func (v *revision) latest() bool {
	v.runtime.mu.Lock()
	defer v.runtime.mu.Unlock()
	return v.runtime.stand.revision == v
}

// opening is the first part of a revision: it finds out what the documents are.
type opening revision

func (o *opening) merge() (errs []error) {
	o.before = o.runtime.stand
	if o.takeBack != nil {
		if o.before.revision != o.takeBack {
			return []error{errAbandoned} // others have gone on from there
		}
		return nil
	}
	errs = slices.Clone(o.errs)
	if o.sources == nil {
		o.sources = o.before.sources
	}
	r := &o.reading
	r.runtime = o.runtime
	for f := range o.documents {
		if !slices.Contains(o.sources, f) {
			return []error{errAbandoned}
		}
	}
	for _, f := range o.sources {
		document, ok := o.documents[f]
		if !ok {
			document = f.document
		}
		if document == nil {
			continue // an error says why
		}
		r.documents = append(r.documents, document)
		errs = append(errs, o.take(document)...)
	}
	return errs
}

// take takes in what a document says to no store.
func (o *opening) take(d *Document) (errs []error) {
	r := &o.reading
	r.warnings = append(r.warnings, d.Warnings...)
	if o.runtime.unknownKeys == Warn {
		r.warnings = append(r.warnings, d.Unknown...)
	} else {
		for _, p := range d.Unknown {
			errs = append(errs, p)
		}
	}
	kinds := o.runtime.kinds()
	for _, section := range slices.Concat(d.Configurations, d.Instances) {
		if !slices.Contains(kinds, section.Kind) {
			errs = append(errs, &placed{section.Position.String(), fmt.Errorf("there is no policy %q", section.Kind)})
		}
	}
	return errs
}

func (o *opening) prepare() []error       { return nil }
func (o *opening) abandon()               {}
func (o *opening) commit() []func() error { return nil }

// closing is the last part of a revision.
type closing revision

func (c *closing) merge() (errs []error) {
	if c.takeBack != nil {
		return nil
	}
	slices.SortStableFunc(c.reading.warnings, func(a, b Warning) int {
		return cmp.Or(strings.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column))
	})
	if c.runtime.strict {
		for _, w := range c.reading.warnings {
			errs = append(errs, w)
		}
	}
	return append(errs, (*revision)(c).checkOrder()...)
}

func (c *closing) prepare() []error { return nil }
func (c *closing) abandon()         {}

func (c *closing) commit() []func() error {
	rt := c.runtime
	for f, document := range c.documents {
		f.previous, f.document = f.document, document
	}
	if undone := c.takeBack; undone != nil {
		for f := range undone.documents {
			f.document = f.previous
		}
		rt.stand = undone.before
		return nil
	}
	order, document := c.order()
	rt.stand = stand{(*revision)(c), c.sources, order, document, c.reading.warnings}
	latest := slices.DeleteFunc(slices.Clone(c.reading.warnings), func(w Warning) bool {
		return slices.Contains(c.before.warnings, w)
	})
	return []func() error{func() error {
		for _, w := range latest {
			rt.log().Warn("resil: " + w.String())
		}
		return nil
	}}
}

// order returns the order of layers that the documents say, and which one does.
func (c *closing) order() (order []policy.Kind, document string) {
	for _, d := range c.reading.documents {
		if len(d.Order) > 0 {
			order, document = d.Order, d.Name
		}
	}
	return order, document
}
