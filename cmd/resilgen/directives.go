package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"

	"github.com/resilgen/resilgen/generator/directive"
)

// The table of directives for machines. What does not apply is left out.
type (
	jsonTable struct {
		Directives []jsonDirective `json:"directives"`
	}
	jsonDirective struct {
		Name   string    `json:"name"`
		Doc    string    `json:"doc"`
		On     []string  `json:"on"` // interface, method
		Policy bool      `json:"policy,omitempty"`
		Repeat bool      `json:"repeat,omitempty"`
		Keys   []jsonKey `json:"keys"`
	}
	jsonKey struct {
		Name         string   `json:"name"`
		Aliases      []string `json:"aliases,omitempty"`
		Doc          string   `json:"doc"`
		Type         string   `json:"type"`
		Default      string   `json:"default,omitempty"`
		Min          string   `json:"min,omitempty"`
		ExclusiveMin bool     `json:"exclusiveMin,omitempty"` // min itself is not right
		Max          string   `json:"max,omitempty"`
		Choices      []string `json:"choices,omitempty"`
		Func         string   `json:"func,omitempty"` // the signature of a function that is named
		Of           string   `json:"of,omitempty"`   // the value of the key type that the key goes with
		Bare         bool     `json:"bare,omitempty"` // written without its name and the equals sign
		Required     bool     `json:"required,omitempty"`
		Refused      string   `json:"refused,omitempty"` // why this version does not take it
	}
)

// directives prints the table: the names, or with -json all of it.
func directives(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("resilgen directives", flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print the directives with their keys as JSON")
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usageError("directives takes no arguments; a package of that name is ./directives")
	}
	if !*asJSON {
		return printLines(stdout, directiveNames())
	}
	encoder := json.NewEncoder(stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(table()); err != nil {
		return fmt.Errorf("printing the directives: %w", err)
	}
	return nil
}

func table() jsonTable {
	var t jsonTable
	for i := range directive.Table {
		spec := &directive.Table[i]
		d := jsonDirective{
			Name: spec.Name, Doc: spec.Doc, On: spec.On.Names(), Policy: spec.Policy, Repeat: spec.Repeat,
			Keys: []jsonKey{},
		}
		for j := range spec.Keys {
			key := &spec.Keys[j]
			k := jsonKey{
				Name: key.Name, Aliases: key.Aliases, Doc: key.Doc, Type: key.Type.String(), Default: key.Default,
				Min: key.Min, ExclusiveMin: key.Above, Max: key.Max, Func: key.Func, Of: key.Of, Bare: key.Bare,
				Required: key.Required, Refused: key.Refused,
			}
			for _, choice := range key.Choices {
				k.Choices = append(k.Choices, choice.Text)
			}
			d.Keys = append(d.Keys, k)
		}
		t.Directives = append(t.Directives, d)
	}
	return t
}
