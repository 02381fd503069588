package config

import (
	"strings"

	"github.com/resilgen/resilgen/runtime/internal/spelling"
)

// policyWords are the policies as files name them.
func policyWords() []string {
	var all []string
	for _, p := range policies {
		all = append(all, string(p.kind))
	}
	return all
}

// words lists words as a sentence does.
func words(all ...string) string {
	if len(all) == 1 {
		return all[0]
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// meant asks for the word that is nearest to the one that is written, where one is near.
func (r *reader) meant(word string, known ...string) string {
	if found := nearest(word, known); found != "" {
		return "; did you mean " + found + "?"
	}
	return ""
}

// nearest returns the word of those known that is nearest to the one that is written, whatever the spelling, or "".
func nearest(word string, known []string) string {
	forms := map[string]string{}
	var all []string
	for _, k := range known {
		forms[uniform(k)] = k
		all = append(all, uniform(k))
	}
	return forms[spelling.Nearest(uniform(word), all)]
}
