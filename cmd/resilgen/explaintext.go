package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/resilgen/resilgen/generator/explain"
)

// reportText returns a report for people: a paragraph for each interface, and a table for each of its methods.
func reportText(report *explain.Report) []byte {
	var b bytes.Buffer
	for i, in := range report.Interfaces {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s.%s, wrapped by %s\n", in.Position, in.Package, in.Name, in.Wrapper)
		for _, d := range in.Directives {
			writeReach(&b, d)
		}
		for _, method := range in.Methods {
			writeMethod(&b, method)
		}
	}
	if len(report.Interfaces) == 0 {
		b.WriteString("no interface is annotated here\n")
	}
	return b.Bytes()
}

func writeReach(b *bytes.Buffer, d explain.Directive) {
	fmt.Fprintf(b, "  its %s at %s reaches %s\n", d.Name, d.Position, strings.Join(d.Reaches, ", "))
	for _, passed := range d.Passes {
		fmt.Fprintf(b, "    and passes through %s: %s\n", passed.Method, passed.Reason)
	}
}

func writeMethod(b *bytes.Buffer, method explain.Method) {
	if len(method.Chain) == 0 {
		fmt.Fprintf(b, "\n%s: calls go through as they are\n", method.Name)
		return
	}
	fmt.Fprintf(b, "\n%s: %s\n", method.Name, worstText(method.Worst))
	for _, note := range method.Worst.Notes {
		fmt.Fprintf(b, "  %s\n", note)
	}
	table := tabwriter.NewWriter(b, 0, 8, 2, ' ', tabwriter.DiscardEmptyColumns)
	fmt.Fprintln(table, "  LAYER\tINSTANCE\tSETTING\tVALUE\tFROM")
	for _, layer := range method.Chain {
		writeLayer(table, layer)
	}
	table.Flush()
}

func worstText(w *explain.WorstCase) string {
	switch {
	case !w.Bounded:
		return "takes any time: " + w.Formula
	case w.Formula == w.Duration:
		return "takes " + w.Duration + " at most"
	}
	return "takes " + w.Duration + " at most: " + w.Formula
}

// writeLayer writes a row for each setting of a layer; the first one has its name.
func writeLayer(table *tabwriter.Writer, layer explain.Layer) {
	kind := layer.Kind
	if layer.Type != "" {
		kind += " " + layer.Type
	}
	names := kind + "\t" + layer.Name
	row := func(key, value, from string) {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", names, key, value, from)
		names = "\t"
	}
	if len(layer.Handlers) > 0 {
		row("functions", strings.Join(layer.Handlers, ", "), "-")
	}
	if layer.Configuration != "" {
		row("configuration", layer.Configuration, "-")
	}
	for _, s := range layer.Settings {
		row(s.Key, s.Value, fromText(s.From))
	}
	if names != "\t" {
		row("-", "-", explain.FromBuiltIn)
	}
	for _, part := range layer.Overrides {
		names = "\t" + part.Instance
		if part.Tenant != "" {
			names += " of tenant " + part.Tenant
		}
		for _, s := range part.Settings {
			row(s.Key, s.Value, fromText(s.From))
		}
	}
}

// fromText says where a setting comes from: the place, and in a config file below what.
func fromText(from explain.From) string {
	switch from.Source {
	case explain.FromBuiltIn:
		return from.Source
	case explain.FromConfiguration:
		return from.Position + " configs." + from.Name
	case explain.FromInstance:
		return from.Position + " instances." + from.Name
	case explain.FromTenant:
		return from.Position + " tenants." + from.Name
	}
	return from.Position
}
