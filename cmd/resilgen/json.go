package main

import (
	"encoding/json"
	"go/token"
	"io"

	"github.com/resilgen/resilgen/generator"
)

// analyzerName is the name that the diagnostics have in JSON. The analyzer of package generator/analyzer has it too.
const analyzerName = "resil"

// The form of go vet -json: package, analyzer, diagnostics. The offsets of an edit are in bytes from 0.
type (
	jsonDiagnostic struct {
		Category       string    `json:"category,omitempty"`
		Posn           string    `json:"posn"`
		End            string    `json:"end"`
		Message        string    `json:"message"`
		SuggestedFixes []jsonFix `json:"suggested_fixes,omitempty"`
	}
	jsonFix struct {
		Message string     `json:"message"`
		Edits   []jsonEdit `json:"edits"`
	}
	jsonEdit struct {
		Filename string `json:"filename"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		New      string `json:"new"`
	}
)

// printJSON prints diagnostics as go vet -json does, also where there are none.
func printJSON(w io.Writer, diagnostics []generator.Diagnostic) error {
	tree := map[string]map[string][]jsonDiagnostic{}
	for _, d := range diagnostics {
		end := d.End
		if end == (token.Position{}) {
			end = d.Position
		}
		j := jsonDiagnostic{Posn: d.Position.String(), End: end.String(), Message: d.Text()}
		if d.Warning {
			j.Category = "warning"
		}
		for _, fix := range d.Fixes {
			f := jsonFix{Message: fix.Message}
			for _, edit := range fix.Edits {
				f.Edits = append(f.Edits, jsonEdit{
					Filename: edit.Start.Filename, Start: edit.Start.Offset, End: edit.End.Offset, New: edit.NewText,
				})
			}
			j.SuggestedFixes = append(j.SuggestedFixes, f)
		}
		if tree[d.Package] == nil {
			tree[d.Package] = map[string][]jsonDiagnostic{}
		}
		tree[d.Package][analyzerName] = append(tree[d.Package][analyzerName], j)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	return encoder.Encode(tree)
}
