package generator

import (
	"context"
	"go/token"

	"github.com/resilgen/resilgen/generator/explain"
)

// An Explanation is what Explain found: diagnostics and, unless one of them is an error, the report.
type Explanation struct {
	Diagnostics []Diagnostic // sorted by position
	Report      *explain.Report
}

// Explain tells what the wrappers of the annotated interfaces do: with a config file, by the settings that are in force
// with it, and in the order that it has where cfg has none. Unless all are wanted, settings that are built in are left
// out. It writes nothing.
func Explain(ctx context.Context, cfg Config, file *explain.File, all bool) (*Explanation, error) {
	if file != nil && cfg.Order == nil {
		cfg.Order = file.Order
	}
	loaded, plans, err := planned(ctx, cfg)
	if err != nil {
		return nil, err
	}
	result := Result{Diagnostics: diagnostics(loaded)}
	explanation := &Explanation{Diagnostics: result.Diagnostics}
	if result.Failed() {
		return explanation, nil
	}
	explanation.Report = explain.Make(explain.Input{
		Packages: loaded.Packages, Plans: plans, File: file, All: all,
		Position: func(pos token.Pos) string {
			position := loaded.Fset.Position(pos)
			position.Filename = shortPath(position.Filename)
			return position.String()
		},
	})
	return explanation, nil
}
