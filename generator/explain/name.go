package explain

import "strings"

// separators are the bytes of which one goes with a placeholder when a template becomes a base name.
const separators = "-._/:"

// A name is the name of an instance, cut at its placeholders.
type name struct {
	literals []string // one more than there are placeholders; {{ is undone
	holders  []string
}

// cut reads a template as it stands in an annotation, which is known to be right.
func cut(template string) name {
	var n name
	var literal strings.Builder
	for rest := template; rest != ""; {
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			literal.WriteString(rest)
			break
		}
		literal.WriteString(rest[:at])
		if rest = rest[at:]; strings.HasPrefix(rest, "{{") {
			literal.WriteByte('{')
			rest = rest[2:]
			continue
		}
		holder, after, _ := strings.Cut(rest[1:], "}")
		n.literals, n.holders = append(n.literals, literal.String()), append(n.holders, holder)
		literal.Reset()
		rest = after
	}
	n.literals = append(n.literals, literal.String())
	return n
}

// base returns the name by which config files speak of all instances: without the placeholders, each with one separator
// that adjoins it. A name of nothing but placeholders is called after what stands in them.
func (n name) base() string {
	base := n.literals[0]
	for _, literal := range n.literals[1:] {
		switch {
		case base != "" && strings.ContainsRune(separators, rune(base[len(base)-1])):
			base = base[:len(base)-1]
		case base == "" && literal != "" && strings.ContainsRune(separators, rune(literal[0])):
			literal = literal[1:]
		}
		base += literal
	}
	if base == "" {
		return strings.Join(valueHolders(n.holders), "-")
	}
	return base
}

// valueHolders leaves out the scope, which is a part of the text and no value.
func valueHolders(holders []string) []string {
	var values []string
	for _, holder := range holders {
		if holder != "scope" {
			values = append(values, holder)
		}
	}
	return values
}

// matches reports whether the name with some values in the place of its placeholders, each of one byte at least, is text.
func (n name) matches(text string) bool {
	rest, ok := strings.CutPrefix(text, n.literals[0])
	if !ok {
		return false
	}
	if len(n.holders) == 0 {
		return rest == ""
	}
	last := n.literals[len(n.literals)-1]
	for _, literal := range n.literals[1 : len(n.literals)-1] {
		if rest == "" {
			return false
		}
		at := strings.Index(rest[1:], literal) // the first place leaves most for what follows
		if at < 0 {
			return false
		}
		rest = rest[1+at+len(literal):]
	}
	return len(rest) > len(last) && strings.HasSuffix(rest, last)
}
