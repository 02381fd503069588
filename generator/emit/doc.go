// Package emit turns a plan into a Go file, with jennifer. It decides nothing: what is protected by what, in which order
// and with which settings, stands in the plan. What is left to it are names, imports and the shape of the code, which is
// that of careful handwriting: one small method a layer, from the outside in, without closures or reflection.
//
// A file is written twice. The first time tells which packages it imports and which names each body mentions, so that
// the second time no name hides another one: jennifer itself knows nothing of scopes.
package emit
