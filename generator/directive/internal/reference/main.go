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
	parsed, err := template.New("reference").Funcs(template.FuncMap{"cell": cell}).Parse(page)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := parsed.Execute(&text, directive.Table); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
