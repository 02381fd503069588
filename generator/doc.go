// Package generator writes the wrappers: it loads packages, finds annotated interfaces, plans what each method needs and
// emits one Go file a source file. The command resilgen and the tests call [Generate]; what it takes and gives is plain
// data, so that a build system can do the same.
//
// The work is divided among the packages below, each of which can be read alone:
//
//	directive  the annotation language: the table of directives, and the parser that reads it
//	source     packages, annotated interfaces and their method sets
//	plan       directives and types become a plan; every check is made here
//	emit       a plan becomes a Go file
//	analyzer   the same checks as a go/analysis pass, for go vet and linters
package generator
