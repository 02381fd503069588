// Resilvet checks resil annotations for go vet, and mends what it can for go fix. As a tool of a module,
//
//	go get -tool github.com/resilgen/resilgen/cmd/resilvet
//
// it is run by the go command:
//
//	go vet -vettool=$(go tool -n resilvet) ./...
//	go fix -fixtool=$(go tool -n resilvet) -diff ./...
//
// It says what resilgen says, at the same positions, for packages that compile; see package generator/analyzer for what
// it can't see. Without -diff, go fix makes the changes that the messages propose.
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/resilgen/resilgen/generator/analyzer"
)

func main() { unitchecker.Main(analyzer.Analyzer) }
