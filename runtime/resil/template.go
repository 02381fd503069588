package resil

import (
	"fmt"
	"slices"
	"strings"
)

// A template is the text of a name or a configuration, as generated code hands it over. {tenant} stands for the tenant
// of the call's context and {scope} for the scope of the runtime; any other text in braces stands for a value of the
// call's [Key], the first for its first one and so on; {{ is a brace.
//
// The literals and the values alternate: there is one literal more, and any of them may be empty.
type template struct {
	text     string // the identity: as written, with the scope in its place
	base     string
	literals []string
	values   []origin
}

// An origin is where a value of a template comes from.
type origin struct {
	name  string // what stands in the braces
	index int    // in the Key; tenantIndex for the tenant
}

const tenantIndex = -1

// The names in braces which are not values of the call.
const (
	tenantPlaceholder = "tenant"
	scopePlaceholder  = "scope"
)

// separators are the bytes of which one goes with a placeholder when that is taken out.
const separators = "-._/:"

// parseTemplate reads a template. Each place of {scope} gets scope, and where there is none it is what the name ends in.
func parseTemplate(text, scope string) (*template, error) {
	t := &template{}
	scoped := false
	var literal, base strings.Builder
	leading := false // a placeholder stands first, and takes the separator behind it
	for rest := text; rest != ""; {
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			at = len(rest)
		}
		if at > 0 {
			literal.WriteString(rest[:at])
			base.WriteString(withoutFirst(rest[:at], &leading))
			rest = rest[at:]
			continue
		}
		if strings.HasPrefix(rest, "{{") {
			literal.WriteByte('{')
			base.WriteByte('{')
			leading, rest = false, rest[2:]
			continue
		}
		name, after, closed := strings.Cut(rest[1:], "}")
		switch {
		case !closed:
			return nil, fmt.Errorf("the brace at byte %d of %q is not closed; write {{ for a brace", len(text)-len(rest), text)
		case name == "":
			return nil, fmt.Errorf("{} at byte %d of %q names no value; write {{ for a brace", len(text)-len(rest), text)
		case strings.Contains(name, "{"):
			return nil, fmt.Errorf("there is a brace inside the braces at byte %d of %q; write {{ for a brace",
				len(text)-len(rest), text)
		}
		rest = after
		leading = withoutLast(&base)
		if name == scopePlaceholder {
			scoped = true
			literal.WriteString(filled(scope))
			continue
		}
		t.add(literal.String(), name)
		literal.Reset()
	}
	if scope != "" && !scoped {
		literal.WriteString("-" + scope)
	}
	t.literals = append(t.literals, literal.String())
	t.base = base.String()
	if len(t.values) > maxValues {
		return nil, fmt.Errorf("%q has %d values; a name has at most %d", text, len(t.values), maxValues)
	}
	t.name()
	return t, nil
}

// filled returns what stands for a value that is absent if it is.
func filled(value string) string {
	if value == "" {
		return defaultValue
	}
	return value
}

// withoutFirst returns the literal without its first separator, if a placeholder that stands first takes that.
func withoutFirst(literal string, leading *bool) string {
	if *leading && strings.IndexByte(separators, literal[0]) >= 0 {
		literal = literal[1:]
	}
	*leading = false
	return literal
}

// withoutLast takes the separator off that base ends in, and reports whether base has nothing else to take one from.
func withoutLast(base *strings.Builder) bool {
	s := base.String()
	if s == "" {
		return true
	}
	if strings.IndexByte(separators, s[len(s)-1]) >= 0 {
		base.Reset()
		base.WriteString(s[:len(s)-1])
	}
	return false
}

// add puts a literal and a value at the end.
func (t *template) add(literal, name string) {
	o := origin{name: name, index: tenantIndex}
	if name != tenantPlaceholder {
		o.index = t.keyed()
	}
	t.literals = append(t.literals, literal)
	t.values = append(t.values, o)
}

// name works out what the template is called. A name that has nothing but values is grouped by what they are.
func (t *template) name() {
	var text strings.Builder
	for i, literal := range t.literals {
		text.WriteString(strings.ReplaceAll(literal, "{", "{{"))
		if i < len(t.values) {
			text.WriteString("{" + t.values[i].name + "}")
		}
	}
	t.text = text.String()
	if t.base == "" && len(t.values) > 0 {
		names := make([]string, len(t.values))
		for i, o := range t.values {
			names[i] = o.name
		}
		t.base = strings.Join(names, "-")
	}
}

// constant reports whether the template has no value. Its one literal is the name then.
func (t *template) constant() bool { return len(t.values) == 0 }

// keyed returns how many values of the call the template has.
func (t *template) keyed() (n int) {
	for _, o := range t.values {
		if o.index != tenantIndex {
			n++
		}
	}
	return n
}

// tenanted reports whether {tenant} stands in the template.
func (t *template) tenanted() bool {
	return slices.ContainsFunc(t.values, func(o origin) bool { return o.index == tenantIndex })
}

// join returns the text with the values in their places.
func (t *template) join(values *[maxValues]string) string {
	var b strings.Builder
	for i, literal := range t.literals {
		b.WriteString(literal)
		if i < len(t.values) {
			b.WriteString(values[i])
		}
	}
	return b.String()
}

// split calls found with all values that would give text when joined, until it reports true; the end of a value is
// looked for where the next literal stands.
func (t *template) split(text string, found func(*[maxValues]string) bool) bool {
	rest, ok := strings.CutPrefix(text, t.literals[0])
	if !ok {
		return false
	}
	var values [maxValues]string
	return t.splitFrom(0, rest, &values, found)
}

func (t *template) splitFrom(i int, rest string, values *[maxValues]string, found func(*[maxValues]string) bool) bool {
	next := t.literals[i+1]
	if i == len(t.values)-1 {
		value, ok := strings.CutSuffix(rest, next)
		if !ok || value == "" {
			return false
		}
		values[i] = value
		return found(values)
	}
	for end := max(1, len(rest)-t.longestFrom(i)); end < len(rest) && end <= longestValue; end++ {
		if after, ok := strings.CutPrefix(rest[end:], next); ok {
			values[i] = rest[:end]
			if t.splitFrom(i+1, after, values, found) {
				return true
			}
		}
	}
	return false
}

// longestFrom returns how long what follows the value of that index can be.
func (t *template) longestFrom(index int) int {
	longest := (len(t.values) - 1 - index) * longestValue
	for _, literal := range t.literals[index+1:] {
		longest += len(literal)
	}
	return longest
}

// matching returns, for each value of t, which one of other's stands in equal braces; the error names one that does not.
func (t *template) matching(other *template) ([]int, error) {
	places := make([]int, len(t.values))
	for i, o := range t.values {
		places[i] = slices.IndexFunc(other.values, func(p origin) bool { return p.name == o.name })
		if places[i] < 0 {
			return nil, fmt.Errorf("configuration %q has {%s}, which the name %q has not; one instance has one configuration",
				t.text, o.name, other.text)
		}
	}
	return places, nil
}

// whole returns a template with the same identity whose one value is the whole name.
func (t *template) whole() *template {
	return &template{text: t.text, base: t.base, literals: []string{"", ""}, values: []origin{{index: 0}}}
}
