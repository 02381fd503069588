// Package corpus wraps real public interfaces, one package a library, each by an interface that embeds it. Its test
// generates, compiles and vets them, and compares what was generated with the sums in outputs.sum: the outputs
// themselves have more than a hundred thousand lines.
package corpus

// What the outputs import is required also where there are none yet.
import _ "github.com/resilgen/resilgen/runtime/resil"
