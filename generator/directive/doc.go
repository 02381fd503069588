// Package directive is the annotation language: its table of directives and keys, and the parser that reads one comment.
//
// A directive is a comment as [go/ast.ParseDirective] defines them, with arguments as [go/ast.Directive.ParseArgs]
// splits them:
//
//	//resil:retry name=inventory maxAttempts=3 waitDuration=100ms   // why
//	//resil:circuitbreaker "name=inventory service" fallback=stockWhenOpen,stockUnknown
//	//resil:order retry,circuitbreaker
//
// An argument with a space stands in quotes as a whole. Lists have commas and no spaces. A lone // begins a comment.
//
// [Table] says what there is: the parser, the messages, the help and the reference are all read from it. [Parse] checks
// all that can be known from the comment alone: names of directives and keys, types and ranges of values, the form of
// names. What a name refers to, and whether a directive makes sense where it stands, is for package plan to say.
//
// Comments that the Go tools take for prose, such as // resil:retry, are reported where they were evidently meant as
// directives. Those that only mention resil, that were commented out (// //resil:retry) or that stand in an example are
// left alone.
package directive
