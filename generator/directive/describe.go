package directive

import "strings"

// types says of each type what it is called in the table for machines, and what its values are for people. Code is in
// backquotes.
var types = map[Type]struct{ name, words string }{
	Int:        {"int", "integer"},
	Float:      {"float", "number"},
	Percent:    {"percent", "percent"},
	Bool:       {"bool", "`true`, `false`"},
	Duration:   {"duration", "duration, as in `250ms`"},
	Enum:       {"enum", ""}, // its choices
	Text:       {"text", "text"},
	Template:   {"template", "text, with values of the call in braces"},
	Functions:  {"functions", ""}, // their signature
	Function:   {"function", ""},
	Errors:     {"errors", "list of errors"},
	TypeName:   {"type", "type"},
	Kinds:      {"kinds", "list of policies"},
	Path:       {"path", "path in braces"},
	Count:      {"count", "integer, or an expression in braces"},
	Identifier: {"identifier", "identifier"},
	TypeNames:  {"types", "list of types"},
	Directory:  {"directory", "directory, as in `./resilient`"},
}

// String returns the name of the type, as the table for machines has it: int, duration, functions.
func (t Type) String() string { return types[t].name }

// Describe says what the values of the key look like, with code in backquotes.
func (k *Key) Describe() string {
	switch k.Type {
	case Enum:
		return "`" + strings.Join(k.choices(), "`, `") + "`"
	case Function, Functions:
		return "`" + k.Func + "`"
	}
	return types[k.Type].words
}

// Range describes the values that are in range, as in "above 0 and at most 100"; empty where all are.
func (k *Key) Range() string { return k.limits(false) }

// choices returns what may be written for an Enum or in a list of Kinds.
func (k *Key) choices() []string {
	texts := make([]string, len(k.Choices))
	for i, choice := range k.Choices {
		texts[i] = choice.Text
	}
	return texts
}

// limits describes the key's range. The largest int32 is no rule that anybody needs to know who is not above it.
func (k *Key) limits(above bool) string {
	lower := ""
	switch {
	case k.Min == "":
	case k.Above:
		lower = "above " + k.Min
	default:
		lower = "at least " + k.Min
	}
	switch {
	case k.Max == "" || k.Max == maxInt32 && !above:
		return lower
	case lower == "":
		return "at most " + k.Max
	}
	return lower + " and at most " + k.Max
}

// Describe says what the directive may stand on: an interface, a method, or both.
func (t Target) Describe() string {
	switch t {
	case OnInterface:
		return "an interface"
	case OnMethod:
		return "a method"
	}
	return "an interface or a method"
}

// Names returns the targets as the table for machines has them: interface, method.
func (t Target) Names() []string {
	var names []string
	if t&OnInterface != 0 {
		names = append(names, "interface")
	}
	if t&OnMethod != 0 {
		names = append(names, "method")
	}
	return names
}
