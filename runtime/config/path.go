package config

import "strings"

// A segment is one word of a path such as resilience4j.retry.instances.backendA.maxAttempts.
type segment struct {
	text   string
	offset int // of its first character in the path, in characters
}

// split cuts a key as it is written into its segments, at dots and brackets: a.[b.c].d and a[b.c].d are a, b.c and d,
// as in Spring. An index, as in names[0], is a segment of its own with its brackets.
func split(key string) []segment {
	var segments []segment
	runes := []rune(key)
	start := 0
	end := func(i int) {
		segments = append(segments, segment{string(runes[start:i]), start})
		start = i + 1
	}
	for i := 0; i < len(runes); i++ {
		switch runes[i] {
		case '.':
			end(i)
		case '[':
			closing := indexRune(runes[i:], ']')
			if closing < 0 {
				continue
			}
			if i > start {
				end(i)
			}
			inner := string(runes[i+1 : i+closing])
			if isIndex(inner) && len(segments) > 0 {
				inner = "[" + inner + "]"
			}
			segments = append(segments, segment{inner, i + 1})
			i += closing
			if i+1 < len(runes) && runes[i+1] == '.' {
				i++
			}
			start = i + 1
			if start == len(runes) {
				return segments
			}
		}
	}
	end(len(runes))
	return segments
}

func indexRune(runes []rune, want rune) int {
	for i, r := range runes {
		if r == want {
			return i
		}
	}
	return -1
}

func isIndex(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// indexed reports whether the segment is an index, as in [0].
func (s segment) indexed() bool {
	return strings.HasPrefix(s.text, "[") && strings.HasSuffix(s.text, "]") && isIndex(s.text[1:len(s.text)-1])
}

// join is what split has cut, without brackets.
func join(segments []segment) string {
	var texts []string
	for _, s := range segments {
		texts = append(texts, s.text)
	}
	return strings.Join(texts, ".")
}
