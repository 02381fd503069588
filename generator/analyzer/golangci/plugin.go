// Package golangci makes the analyzer of resil annotations a module plugin of golangci-lint, under the name resil. With
//
//	version: v2.12.0
//	plugins:
//	  - module: github.com/resilgen/resilgen/generator/analyzer/golangci
//	    version: v1.0.0
//
// in .custom-gcl.yml, golangci-lint custom builds a golangci-lint that has it; .golangci.yml switches it on:
//
//	version: "2"
//	linters:
//	  enable:
//	    - resil
//	  settings:
//	    custom:
//	      resil:
//	        type: module
//	        description: checks resil annotations
//
// It has no settings of its own.
package golangci

import (
	"errors"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/resilgen/resilgen/generator/analyzer"
)

func init() { register.Plugin(analyzer.Analyzer.Name, New) }

// New returns the plugin. It takes no settings: any are an error.
func New(settings any) (register.LinterPlugin, error) {
	if given, ok := settings.(map[string]any); settings != nil && (!ok || len(given) > 0) {
		return nil, errors.New("linter resil has settings; it takes none, so remove them")
	}
	return plugin{}, nil
}

type plugin struct{}

// BuildAnalyzers returns the one analyzer.
func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{analyzer.Analyzer}, nil
}

// GetLoadMode asks for types, which fallbacks and errors are resolved with.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
