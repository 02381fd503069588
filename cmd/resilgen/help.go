package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// width is the longest line of help in bytes.
const width = 90

// help prints the list of directives, or what there is to know of one, or of the command explain.
func help(args []string, w io.Writer) error {
	switch {
	case len(args) == 0:
		return printLines(w, overview())
	case len(args) > 1:
		return usageError("help takes one directive; a package of that name is ./help")
	}
	if args[0] == "explain" {
		_, err := io.WriteString(w, explainUsage)
		return err
	}
	name := strings.TrimPrefix(args[0], "//resil:")
	spec := directive.Lookup(name)
	if spec == nil {
		text := "there is no directive " + name
		if near := directive.Nearest(name, directiveNames()); near != "" {
			text += "; did you mean " + near + "?"
		} else {
			text += "; resilgen help lists them"
		}
		return usageError(text)
	}
	return printLines(w, describe(spec))
}

func directiveNames() []string {
	var names []string
	for i := range directive.Table {
		names = append(names, directive.Table[i].Name)
	}
	return names
}

func printLines(w io.Writer, lines []string) error {
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

func overview() []string {
	lines := []string{
		"An annotation is a comment //resil:NAME key=value ... in the doc comment of an interface or",
		"of one of its methods. These are the names:",
		"",
	}
	for i := range directive.Table {
		spec := &directive.Table[i]
		first, _, _ := strings.Cut(spec.Doc, ". ")
		first, _, _ = strings.Cut(first, ", as in ")
		lines = append(lines, fmt.Sprintf("  %-15s %s", spec.Name, plain(strings.TrimSuffix(first, "."))))
	}
	return append(lines, "", "resilgen help NAME explains one of them; resilgen -h lists the flags. What the annotations of a",
		"package come to is told by resilgen explain; see resilgen help explain.")
}

// describe returns the documentation of a directive with its keys.
func describe(spec *directive.Spec) []string {
	lines := []string{synopsis(spec), ""}
	stands := "Stands on " + spec.On.Describe() + "."
	if spec.Repeat {
		stands += " May stand there more than once."
	}
	lines = append(lines, wrap(stands+" "+plain(spec.Doc), width)...)
	if len(spec.Keys) == 0 {
		return lines
	}
	lines = append(lines, "")
	for i := range spec.Keys {
		lines = append(lines, explainKey(&spec.Keys[i])...)
	}
	return lines
}

func synopsis(spec *directive.Spec) string {
	line := "//resil:" + spec.Name
	rest := false
	for i := range spec.Keys {
		key := &spec.Keys[i]
		text := strings.ToUpper(key.Name)
		switch {
		case !key.Bare && !key.Required:
			rest = true
			continue
		case !key.Bare:
			text = key.Name + "=" + text
		case !key.Required:
			text = "[" + text + "]"
		}
		line += " " + text
	}
	if rest {
		line += " [key=value ...]"
	}
	return line
}

func explainKey(key *directive.Key) []string {
	head := "  " + key.Name
	if !key.Bare {
		head += "="
	}
	facts := []string{plain(key.Describe())}
	if limits := key.Range(); limits != "" {
		facts = append(facts, limits)
	}
	if key.Default != "" {
		facts = append(facts, "default "+key.Default)
	}
	if key.Of != "" {
		facts = append(facts, "with type="+key.Of)
	}
	if len(key.Aliases) > 0 {
		facts = append(facts, "also "+strings.Join(key.Aliases, ", "))
	}
	lines := []string{head + "  (" + strings.Join(facts, "; ") + ")"}
	text := plain(key.Doc)
	if key.Refused != "" {
		text += " Not yet: " + key.Refused + "."
	}
	for _, line := range wrap(text, width-6) {
		lines = append(lines, "      "+line)
	}
	return lines
}

// plain takes out the backquotes around code.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }

// wrap breaks text into lines of at most limit bytes, where its words allow.
func wrap(text string, limit int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > limit {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
