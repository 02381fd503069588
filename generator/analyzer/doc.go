// Package analyzer checks resil annotations as a go/analysis pass: for go vet, go fix, golangci-lint and whatever else
// runs such passes. It finds what package generator finds, at the same positions and in the same words, and offers what
// a message proposes as a fix where that is one change of the source.
//
// A pass sees less than the generator, which alone reports
//
//   - what is wrong in a package that does not compile: go vet never shows it to an analyzer,
//   - names of a package that no file imports, as database/sql.ErrNoRows may be, as long as the generated file, which
//     imports it, is not there; so also that there is no such package,
//   - import cycles and the bounds of the module where //resil:wrapper out= leads to another directory,
//   - types of C in an annotated interface, of which cgo has made types of Go by then,
//   - that a generated file is stale: resilgen -check does.
//
// Generated files are left out of the check.
package analyzer

const doc = `check resil annotations

The analyzer reports comments //resil:NAME key=value that resilgen could not use: unknown
directives and keys, values out of range, functions and errors that do not exist or do not fit
the method, directives where they mean nothing, and comments that only look like directives. It
is silent where resilgen would be; "resilgen help" lists the directives.`
