package generator

import (
	"cmp"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// A Diagnostic is something wrong in an annotated source, at its position. The message says what is wrong; what would
// be right.
type Diagnostic struct {
	Position token.Position // file name absolute
	End      token.Position // zero where only the position is known
	Message  string
	Warning  bool // the output is written all the same
}

// String returns the diagnostic as compilers print it, file:line:col: message, the file relative to the working
// directory where that is shorter.
func (d Diagnostic) String() string {
	position := d.Position
	position.Filename = shortPath(position.Filename)
	if d.Warning {
		return fmt.Sprintf("%s: warning: %s", position, d.Message)
	}
	return fmt.Sprintf("%s: %s", position, d.Message)
}

// shortPath returns path relative to the working directory where that is shorter.
func shortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	for _, from := range []string{wd, realPath(wd)} {
		if relative, err := filepath.Rel(from, path); err == nil && len(relative) < len(path) {
			path = relative
			break
		}
	}
	return path
}

// realPath returns path without symbolic links, or path itself where that fails.
func realPath(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// diagnostics converts problems, sorted by position, each once.
func diagnostics(fset *token.FileSet, problems []directive.Problem) []Diagnostic {
	list := make([]Diagnostic, 0, len(problems))
	for _, p := range problems {
		d := Diagnostic{Position: fset.Position(p.Pos), Message: p.Message, Warning: p.Warning}
		if p.End.IsValid() {
			d.End = fset.Position(p.End)
		}
		list = append(list, d)
	}
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.Position.Filename, b.Position.Filename),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column),
			strings.Compare(a.Message, b.Message),
		)
	})
	// A file that belongs to two builds of a package, as with its tests, is read twice.
	return slices.CompactFunc(list, func(a, b Diagnostic) bool { return a.Position == b.Position && a.Message == b.Message })
}
