// Reference writes docs/configuration.md, the guide to configuration files, with the table of all keys.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/policy"
)

//go:embed configuration.md.tmpl
var page string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: reference FILE")
		os.Exit(2)
	}
	text, err := guide()
	if err == nil {
		err = os.WriteFile(os.Args[1], []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

// A section is the part of the table that is one policy's.
type section struct {
	Kind  policy.Kind
	Order string // the key of its place in the chain
	Keys  []config.Key
}

var sections = []section{
	{policy.CircuitBreaker, "circuitBreakerAspectOrder", nil},
	{policy.Retry, "retryAspectOrder", nil},
	{policy.RateLimiter, "rateLimiterAspectOrder", nil},
	{policy.TimeLimiter, "timeLimiterAspectOrder", nil},
	{policy.Bulkhead, "bulkheadAspectOrder", nil},
	{policy.ThreadPoolBulkhead, "", nil},
}

// guide returns the text of docs/configuration.md.
func guide() (string, error) {
	parsed, err := template.New("configuration").Funcs(template.FuncMap{"cell": cell, "sets": sets}).Parse(page)
	if err != nil {
		return "", err
	}
	filled := make([]section, len(sections))
	for i, s := range sections {
		s.Keys = config.Keys(s.Kind)
		filled[i] = s
	}
	var text strings.Builder
	err = parsed.Execute(&text, filled)
	return text.String(), err
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// sets says what a key sets, where that is not what it is called.
func sets(k config.Key) string {
	switch {
	case k.Type == config.NoMeaning:
		return "nothing, with a warning"
	case k.Sets != "" && k.Sets != k.Name:
		return "`" + k.Sets + "`"
	}
	return ""
}
