// Package httpcall is what generated code knows of an http.Request beyond its context: whether a call with it can be made
// again, and how. It is a package of its own so that only those programs import net/http that use it anyway.
//
// A request is repeated as http.Client repeats one after a redirect:
//
//	Body                 GetBody    a further attempt
//	nil, http.NoBody     -          with the request itself
//	something            there      with a copy of the request, whose Body GetBody has made
//	something            nil        none
//
// http.NewRequest sets GetBody for a *bytes.Buffer, *bytes.Reader or *strings.Reader.
package httpcall
