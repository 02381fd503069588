package config

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/runtime/resil"
)

// prefix is what the variables of the environment that say something here begin with.
const prefix = "RESIL_"

// addEnvironment adds what the environment says to a document: RESIL_ENABLED, and
// RESIL_<POLICY>_<CONFIGS|INSTANCES>_<NAME>_<KEY>. Words may be cut by underscores or not: MAX_ATTEMPTS is MAXATTEMPTS.
// A variable that only begins with RESIL_ is somebody else's.
func addEnvironment(document *resil.Document, environment []string) error {
	r := &reader{document: document, sections: map[sectionKey]*section{}}
	variables := map[string]string{}
	for _, variable := range environment {
		if name, value, ok := strings.Cut(variable, "="); ok && strings.HasPrefix(name, prefix) {
			variables[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		r.readVariable(name, variables[name])
	}
	for _, s := range r.inOrder {
		s.Environment = true
	}
	_, err := r.finish()
	return err
}

// readVariable reads one variable of the environment.
func (r *reader) readVariable(name, text string) {
	at := resil.Position{File: "environment variable " + name}
	words := strings.Split(strings.TrimPrefix(name, prefix), "_")
	if len(words) == 1 && words[0] == "ENABLED" {
		if value, wrong := (&Key{Name: "it", Type: Bool}).parse(text); wrong != "" {
			r.wrong(at, "%s", wrong)
		} else {
			on := value.(bool)
			r.document.Enabled = &on
		}
		return
	}
	if words[0] == "TENANTS" {
		r.unknown(at, "the environment has no settings of tenants; write them into the file")
		return
	}
	p, rest := policyOfVariable(words)
	if p.policy == nil {
		if slices.Contains(words, "INSTANCES") || slices.Contains(words, "CONFIGS") {
			r.unknown(at, "no policy is named so; write RESIL_<POLICY>_<CONFIGS|INSTANCES>_<NAME>_<KEY>, with a policy of %s",
				variablePolicies())
		}
		return
	}
	key, instance := keyOfVariable(p.policy, rest)
	switch {
	case key == nil:
		r.unknown(at, "unknown key of %s%s", p.policy.kind, p.policy.suggestVariable(rest))
	case instance == "":
		r.unknown(at, "the name is missing; write RESIL_<POLICY>_<CONFIGS|INSTANCES>_<NAME>_<KEY>")
	case key.Type == NoMeaning:
		r.warn(at, "%s has no meaning here: %s", key.Name, lowerFirst(strings.TrimSuffix(key.Doc, ".")))
	default:
		r.setVariable(r.section(p, instance, at), key, text, at)
	}
}

// policyOfVariable returns the policy that a variable names, and the words behind CONFIGS or INSTANCES.
func policyOfVariable(words []string) (place, []string) {
	for end := 1; end < min(len(words), 4); end++ {
		policy := policyNamed(strings.Join(words[:end], ""))
		if policy == nil {
			continue
		}
		switch word := words[end]; {
		case word == "CONFIGS":
			return place{level: atConfigurations, policy: policy}, words[end+1:]
		case slices.Contains(policy.instances, strings.ToLower(word)):
			return place{level: atInstances, policy: policy}, words[end+1:]
		}
	}
	return place{}, nil
}

// keyOfVariable returns the key that words end in, the longest one that fits, and the name that is left.
func keyOfVariable(policy *policyKeys, words []string) (*Key, string) {
	for start := range words {
		if key := policy.key(strings.Join(words[start:], "")); key != nil {
			return key, capitals(strings.Join(words[:start], ""))
		}
	}
	return nil, ""
}

// suggestVariable returns what key was meant by the last of some words.
func (p *policyKeys) suggestVariable(words []string) string {
	for start := range words {
		if found := nearest(strings.Join(words[start:], ""), p.names()); found != "" {
			return "; did you mean " + strings.ToUpper(found) + "?"
		}
	}
	return "; it has " + strings.ToUpper(strings.Join(p.names(), ", "))
}

// setVariable sets one key by a text.
func (r *reader) setVariable(s *section, key *Key, text string, at resil.Position) {
	if _, again := s.values[key.Name]; again {
		r.wrong(at, "another variable says the same in another spelling; keep one of them")
		return
	}
	s.values[key.Name] = at
	if key.Type == NameList {
		names := commaList(text, at)
		for _, name := range names {
			if wrong := key.checkName(name.Text); wrong != "" {
				r.wrong(at, "%s", wrong)
				return
			}
		}
		s.set(key, resil.Setting{Key: key.Sets, Position: at, Value: names}, at)
		return
	}
	value, wrong := key.parse(text)
	if wrong != "" {
		r.wrong(at, "%s", wrong)
		return
	}
	s.set(key, resil.Setting{Key: key.Sets, Position: at, Value: value}, at)
}

// capitals returns a name as the environment has it: in capitals, letters and digits only.
func capitals(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		}
		return -1
	}, name)
}

// variablePolicies are the policies as the environment has them.
func variablePolicies() string {
	var all []string
	for _, word := range policyWords() {
		all = append(all, capitals(word))
	}
	return words(all...)
}

func environ() []string { return os.Environ() }
