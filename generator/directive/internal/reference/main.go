// Reference writes docs/annotations.md, the reference of the annotation language, from the table of directives.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/resilgen/resilgen/generator/directive"
)

//go:embed reference.md.tmpl
var page string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: reference FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func write(path string) error {
	parsed, err := template.New("reference").Funcs(template.FuncMap{"value": value, "target": target, "cell": cell}).Parse(page)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := parsed.Execute(&text, directive.Table); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// value says what a key's value looks like.
func value(k directive.Key) string {
	switch k.Type {
	case directive.Enum:
		var texts []string
		for _, choice := range k.Choices {
			texts = append(texts, "`"+choice.Text+"`")
		}
		return strings.Join(texts, ", ")
	case directive.Function, directive.Functions:
		return "`" + k.Func + "`"
	}
	words := map[directive.Type]string{
		directive.Int: "integer", directive.Float: "number", directive.Percent: "percent", directive.Bool: "`true`, `false`",
		directive.Duration: "duration, as in `250ms`", directive.Text: "text", directive.Errors: "list of errors",
		directive.TypeName: "type", directive.Kinds: "list of policies", directive.Path: "path in braces",
		directive.Identifier: "identifier", directive.Count: "integer, or an expression in braces",
	}
	return words[k.Type]
}

func target(on directive.Target) string {
	switch on {
	case directive.OnInterface:
		return "an interface"
	case directive.OnMethod:
		return "a method"
	}
	return "an interface or a method"
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
