package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/resilgen/resilgen/generator/explain"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// readConfig returns what a config file says, in the generator's terms; nil where there is no file. Mistakes are printed,
// a line each, and are an error.
func readConfig(path string, stderr io.Writer) (*explain.File, error) {
	if path == "" {
		return nil, nil
	}
	document, err := config.Load(path)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return nil, errReported
	}
	if len(document.Unknown) > 0 {
		for _, p := range document.Unknown {
			fmt.Fprintln(stderr, p)
		}
		return nil, errReported
	}
	file := &explain.File{
		Name: document.Name, Enabled: document.Enabled,
		Configurations: sections(document.Configurations), Instances: sections(document.Instances),
	}
	for _, kind := range document.Order {
		file.Order = append(file.Order, string(kind))
	}
	for _, w := range document.Warnings {
		file.Problems = append(file.Problems, explain.Problem{Position: w.Position.String(), Message: w.Text, Warning: true})
	}
	return file, nil
}

func sections(from []resil.Section) []explain.Section {
	to := make([]explain.Section, len(from))
	for i, s := range from {
		to[i] = explain.Section{Kind: string(s.Kind), Name: s.Name, Tenant: s.Tenant, Position: s.Position.String()}
		if s.Kind == policy.ThreadPoolBulkhead {
			to[i].Kind, to[i].Pool = string(policy.Bulkhead), true
		}
		if s.Base != nil {
			to[i].Base, to[i].BaseAt = s.Base.Text, s.Base.Position.String()
		}
		for _, set := range s.Settings {
			to[i].Settings = append(to[i].Settings,
				explain.FileSetting{Key: set.Key, Value: annotated(set.Value), Position: set.Position.String()})
		}
	}
	return to
}

// annotated returns a value as it would be written in an annotation.
func annotated(value any) string {
	switch value := value.(type) {
	case resil.Names:
		texts := make([]string, len(value))
		for i, name := range value {
			texts[i] = name.Text
		}
		return strings.Join(texts, ",")
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
	return fmt.Sprint(value) // durations and the policies' own types say how they are written
}
