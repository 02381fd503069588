package generator

import (
	"cmp"
	"fmt"
	"go/token"
	"os"
	"path/filepath"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/source"
)

// A Diagnostic is something wrong in an annotated source, at its position. The message says what is wrong; what would
// be right.
type Diagnostic struct {
	Package  string         // import path
	Position token.Position // file name absolute
	End      token.Position // zero where only the position is known
	Message  string
	Warning  bool  // the output is written all the same
	Fixes    []Fix // what the message proposes, where that is one change of the source
}

// A Fix is a change of the source that makes a diagnostic go away.
type Fix struct {
	Message string
	Edits   []Edit // in one file; they do not overlap
}

// An Edit replaces the source from Start to End.
type Edit struct {
	Start, End token.Position
	NewText    string
}

// String returns the diagnostic as compilers print it, file:line:col: message, the file relative to the working
// directory where that is shorter.
func (d Diagnostic) String() string {
	position := d.Position
	position.Filename = shortPath(position.Filename)
	return fmt.Sprintf("%s: %s", position, d.Text())
}

// Text returns the message as it is printed, behind the word warning where it is one.
func (d Diagnostic) Text() string {
	if d.Warning {
		return "warning: " + d.Message
	}
	return d.Message
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
func diagnostics(loaded *source.Result) []Diagnostic {
	fset, packageOf := loaded.Fset, packagesOf(loaded)
	var list []Diagnostic
	for _, p := range directive.Sort(fset, loaded.Problems.List) {
		d := Diagnostic{Position: fset.Position(p.Pos), Message: p.Message, Warning: p.Warning}
		d.Package = packageOf(d.Position.Filename)
		if p.End.IsValid() {
			d.End = fset.Position(p.End)
		}
		for _, fix := range p.Fixes {
			var edits []Edit
			for _, edit := range fix.Edits {
				edits = append(edits, Edit{Start: fset.Position(edit.Pos), End: fset.Position(edit.End), NewText: edit.NewText})
			}
			d.Fixes = append(d.Fixes, Fix{Message: fix.Message, Edits: edits})
		}
		list = append(list, d)
	}
	return list
}

// packagesOf returns a function from a file to the import path of its package. For a file that could not be read as far
// as its package, that is the package of its directory.
func packagesOf(loaded *source.Result) func(file string) string {
	files, dirs := map[string]string{}, map[string]string{}
	for _, pkg := range loaded.Packages {
		for _, file := range pkg.Files {
			files[file.Path] = pkg.Path
		}
		if dirs[pkg.Dir] == "" {
			dirs[pkg.Dir] = pkg.Path
		}
	}
	return func(file string) string { return cmp.Or(files[file], dirs[filepath.Dir(file)]) }
}
