package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resilgen/resilgen/runtime/resil"
)

// visitKey reads one key of a section.
func (r *reader) visitKey(s *section, path []segment, e entry) {
	word, at := path[0].text, r.atSegment(e, path[0])
	key := s.policy.key(word)
	indexed := len(path) == 2 && path[1].indexed()
	switch {
	case key == nil:
		r.unknown(at, "unknown key %s of %s%s", quoted(join(path)), s.what(), s.policy.suggest(word))
		return
	case key.Type == NoMeaning:
		r.warn(at, "%s has no meaning here: %s", key.Name, lowerFirst(strings.TrimSuffix(key.Doc, ".")))
		return
	case len(path) > 1 && !(indexed && key.Type == NameList):
		r.unknown(at, "unknown key %s of %s; %s has no keys of its own", quoted(join(path)), s.what(), key.Name)
		return
	}
	if first, again := s.values[key.Name]; again && !indexed {
		r.wrong(at, "%s of %s is here twice; it is in line %d already", key.Name, s.what(), first.Line)
		return
	}
	value, ok := r.value(key, e.value)
	s.values[key.Name] = r.at(e.value)
	if !ok {
		return
	}
	s.set(key, resil.Setting{Key: key.Sets, Position: at, Value: value}, r.at(e.value))
}

// set adds a setting to the section. Names add up where several keys have the same setting.
func (s *section) set(key *Key, setting resil.Setting, valueAt resil.Position) {
	if key.Name == baseConfig {
		s.Base = &resil.Named{Text: setting.Value.(string), Position: valueAt}
		return
	}
	if names, ok := setting.Value.(resil.Names); ok {
		for i := range s.Settings {
			if s.Settings[i].Key == setting.Key {
				s.Settings[i].Value = slices.Concat(s.Settings[i].Value.(resil.Names), names)
				return
			}
		}
	}
	s.Settings = append(s.Settings, setting)
}

// what says whose the section is.
func (s *section) what() string {
	text := string(s.Section.Kind)
	if s.configuration {
		text += " configuration"
	}
	text += " " + quoted(s.Section.Name)
	if s.Section.Tenant != "" {
		text += " of tenant " + quoted(s.Section.Tenant)
	}
	return text
}

// suggest returns what to write in place of a key that is not known.
func (p *policyKeys) suggest(word string) string {
	if right, ok := p.elsewhere[uniform(word)]; ok {
		return "; write " + right
	}
	if found := nearest(word, p.names()); found != "" {
		return "; did you mean " + found + "?"
	}
	for i := range policies {
		if key := policies[i].key(word); key != nil {
			return "; it is a key of " + string(policies[i].kind)
		}
	}
	if own := uniform(word); own == "name" || own == "configuration" {
		return "; the name stands before the keys, and a configuration is named with baseConfig"
	}
	return "; it has " + words(p.names()...)
}

func lowerFirst(text string) string {
	return strings.ToLower(text[:1]) + text[1:]
}

// needs reports settings that would do nothing: the file does not switch on what they are about, neither beside them
// nor where their section inherits from or, for a configuration, where it is used. Where a section starts from a
// configuration that is not in the file, nobody can know here.
func (r *reader) needs() {
	for _, p := range policies {
		sections := slices.DeleteFunc(slices.Clone(r.inOrder), func(s *section) bool { return s.policy.kind != p.kind })
		for _, need := range p.needs {
			saying := slices.DeleteFunc(slices.Clone(sections), func(s *section) bool { return !need.saidBy(s) })
			for _, s := range sections {
				if at, ok := s.position(need.setting); ok && !r.met(s, need, saying) {
					r.wrong(at, "%s of %s does nothing without %s; write that too, or leave it out", need.setting, s.what(),
						need.right)
				}
			}
		}
	}
	for _, s := range r.inOrder {
		r.needsWait(s)
	}
}

// met reports whether what a setting of s needs is said by one of the sections that say it.
func (r *reader) met(s *section, n need, saying []*section) bool {
	return n.saidBy(s) || !r.complete(s) || slices.ContainsFunc(saying, func(other *section) bool {
		return r.reaches(other, s) || r.reaches(s, other)
	})
}

// saidBy reports whether a section says what is needed. An explicit "off" counts too: somebody has switched the whole
// thing off for now, and the setting is there for when it is on again.
func (n need) saidBy(s *section) bool {
	return slices.ContainsFunc(n.of, func(key string) bool {
		value, ok := s.value(key)
		return ok && (n.on(value) || value == false)
	})
}

// reaches reports whether settings of the section from come to instances or configurations that to speaks of.
func (r *reader) reaches(from, to *section) bool {
	if from.configuration {
		return slices.Contains(r.chain(to), from)
	}
	return !to.configuration && (from.Section.Tenant == "" || from.Section.Tenant == to.Section.Tenant) &&
		strings.HasPrefix(to.Section.Name, from.Section.Name)
}

// chain returns the configurations of the file that a section starts from, the last of which is the default.
func (r *reader) chain(s *section) []*section {
	var chain []*section
	for s != nil && !slices.Contains(chain, s) {
		chain = append(chain, s)
		base := "default"
		if s.Base != nil {
			base = s.Base.Text
		}
		s = r.sections[sectionKey{s.policy.kind, true, "", base}]
	}
	return chain[1:]
}

// complete reports whether all configurations that a section starts from are in the file.
func (r *reader) complete(s *section) bool {
	for _, link := range append(r.chain(s), s) {
		if base := link.Base; base != nil && base.Text != "default" &&
			r.sections[sectionKey{s.policy.kind, true, "", base.Text}] == nil {
			return false
		}
	}
	return true
}

// position returns where the section says something of a setting, and whether it does.
func (s *section) position(key string) (resil.Position, bool) {
	for _, setting := range s.Settings {
		if setting.Key == key {
			return setting.Position, true
		}
	}
	return resil.Position{}, false
}

// value returns what the section says of a setting.
func (s *section) value(key string) (any, bool) {
	for _, setting := range s.Settings {
		if setting.Key == key {
			return setting.Value, true
		}
	}
	return nil, false
}

// needsWait reports growth and spread of a pause that is 0.
func (r *reader) needsWait(s *section) {
	wait, said := s.value("waitDuration")
	if !said || wait != zeroDuration {
		return
	}
	for _, setting := range s.Settings {
		if setting.Value == true && (setting.Key == "enableExponentialBackoff" || setting.Key == "enableRandomizedWait") {
			r.wrong(setting.Position, "%s of %s does nothing with waitDuration: 0; write a longer waitDuration, or leave it out",
				setting.Key, s.what())
		}
	}
}

// scalar reports whether a node has a text.
func scalar(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag != "!!null" }
