package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// A reader turns the text of a file into a [resil.Document] and collects all that is wrong with it.
type reader struct {
	file      string
	document  *resil.Document
	expansion *expansion
	problems  []resil.Problem
	sections  map[sectionKey]*section
	inOrder   []*section
	aspects   []aspect
	enabled   resil.Position // of the switch of everything
}

// sectionKey says whose a section is.
type sectionKey struct {
	kind          policy.Kind
	configuration bool
	tenant, name  string
}

// A section is one that is being read: a file may say something of an instance in several places.
type section struct {
	sectionKey
	resil.Section
	policy *policyKeys
	values map[string]resil.Position // where the values of its keys stand, by the keys' names
}

// An aspect is the place in the chain that a file gives a policy.
type aspect struct {
	kind     policy.Kind
	order    int
	usual    int
	position resil.Position
}

// read returns what the text of a file says. The error joins all problems, each a resil.Problem. Unknown keys are no
// problems but part of the document; beside problems they are reported with them.
func read(file string, data []byte) (*resil.Document, error) {
	root, err := parseYAML(file, data)
	if err != nil {
		return nil, err
	}
	r := &reader{
		file: file, document: &resil.Document{Name: file}, sections: map[sectionKey]*section{},
	}
	if root != nil {
		r.readRoot(root)
	}
	return r.finish()
}

func (r *reader) readRoot(root *yaml.Node) {
	defer func() {
		if reason := recover(); reason == errTooLarge {
			r.problems = nil
			r.wrong(r.at(root), "the aliases of the file come to more than %d entries; write fewer of them",
				r.expansion.limit)
		} else if reason != nil {
			panic(reason)
		}
	}()
	r.expansion = newExpansion(root)
	r.visit(place{level: atTop}, nil, entry{value: resolve(root)})
	r.needs()
}

// finish puts the document together.
func (r *reader) finish() (*resil.Document, error) {
	for _, s := range r.inOrder {
		if s.configuration {
			r.document.Configurations = append(r.document.Configurations, s.Section)
		} else {
			r.document.Instances = append(r.document.Instances, s.Section)
		}
	}
	slices.SortStableFunc(r.aspects, func(a, b aspect) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.usual, b.usual))
	})
	for _, a := range r.aspects {
		r.document.Order = append(r.document.Order, a.kind)
	}
	r.document.Unknown = sorted(r.document.Unknown)
	r.document.Warnings = sorted(r.document.Warnings)
	if len(r.problems) == 0 {
		return r.document, nil
	}
	var errs []error
	for _, p := range sorted(append(r.problems, r.document.Unknown...)) {
		errs = append(errs, p)
	}
	return nil, errors.Join(errs...)
}

// sorted returns problems by their places, each once: what stands in an anchor may be read several times.
func sorted(problems []resil.Problem) []resil.Problem {
	seen := map[resil.Problem]bool{}
	for _, p := range problems {
		seen[p] = true
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b resil.Problem) int {
		return cmp.Or(
			cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column), cmp.Compare(a.Text, b.Text),
		)
	})
}

func (r *reader) at(n *yaml.Node) resil.Position { return positionOf(r.file, n) }

// atSegment returns where a segment of a key stands.
func (r *reader) atSegment(e entry, s segment) resil.Position {
	position := r.at(e.key)
	position.Column += s.offset
	if e.key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && s.offset > 0 {
		position.Column++
	}
	return position
}

func (r *reader) wrong(at resil.Position, format string, args ...any) {
	r.problems = append(r.problems, resil.Problem{Position: at, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) unknown(at resil.Position, format string, args ...any) {
	r.document.Unknown = append(r.document.Unknown, resil.Problem{Position: at, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) warn(at resil.Position, format string, args ...any) {
	r.document.Warnings = append(r.document.Warnings, resil.Warning{Position: at, Text: fmt.Sprintf(format, args...)})
}

// section returns the section of that name, a new one where there is none yet.
func (r *reader) section(p place, name string, at resil.Position) *section {
	key := sectionKey{p.policy.kind, p.level == atConfigurations, p.tenant, name}
	if r.sections[key] == nil {
		r.sections[key] = &section{
			sectionKey: key,
			Section:    resil.Section{Kind: key.kind, Name: name, Tenant: key.tenant, Position: at},
			policy:     p.policy,
			values:     map[string]resil.Position{},
		}
		r.inOrder = append(r.inOrder, r.sections[key])
	}
	return r.sections[key]
}
