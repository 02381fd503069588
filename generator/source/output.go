package source

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// OutputName returns the name of the file that the wrappers of a source file are written to.
func OutputName(source string) string {
	if stem, ok := strings.CutSuffix(source, "_test.go"); ok {
		return stem + "_resil_test.go"
	}
	return strings.TrimSuffix(source, ".go") + "_resil.go"
}

// sourceName is the inverse of OutputName.
func sourceName(output string) string {
	if stem, ok := strings.CutSuffix(output, "_resil_test.go"); ok {
		return stem + "_test.go"
	}
	return strings.TrimSuffix(output, "_resil.go") + ".go"
}

// binding is the line of a constructor that names the package of its interface. It stands in every output.
var binding = regexp.MustCompile(`(?m)^\t\w+ := \w+\.Bind\(\w+, ("[^"\n]+"), "[^"\n]+"\)\r?$`)

// owner returns the import path of the package whose wrappers an output of ours holds, also where the output is broken;
// empty where the output does not tell any more.
func owner(output string) (string, error) {
	content, err := os.ReadFile(output)
	if err != nil {
		return "", err
	}
	found := binding.FindSubmatch(content)
	if found == nil {
		return "", nil
	}
	return strconv.Unquote(string(found[1]))
}

// Outputs returns the absolute paths of all outputs of ours in the directories of the packages and of the targets that
// were asked for, sorted.
func (r *Result) Outputs() []string {
	found := map[string]bool{}
	for _, d := range r.roots {
		for _, output := range d.outputs {
			found[output] = true
		}
	}
	for _, t := range r.targets() {
		if r.rootIn(t.Dir) != nil {
			continue
		}
		for _, output := range t.Outputs {
			found[output] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Abandoned reports whether it is sure that nothing makes an output of ours any more. That nothing of this run makes it
// is known to the caller. Its source has been read then, or is gone; a source that a build constraint kept from being
// read may still have its directives.
func (r *Result) Abandoned(output string) (bool, error) {
	by, err := owner(output)
	if err != nil {
		return false, err
	}
	name := sourceName(filepath.Base(output))
	if by == "" {
		root := r.rootIn(filepath.Dir(output))
		return root != nil && root.gave(name), nil
	}
	if root := r.rootOf(by); root != nil {
		return root.gave(name), nil
	}
	dir, ok := r.dirOf(by)
	return ok && !exists(filepath.Join(dir, name)), nil
}

// holder returns the package that an existing output of ours holds the wrappers of, if it is not among the roots and
// still has the source; empty where the output is free to be written.
func (r *Result) holder(output string) string {
	by, err := owner(output)
	if err != nil || by == "" || r.rootOf(by) != nil {
		return ""
	}
	if dir, ok := r.dirOf(by); ok && exists(filepath.Join(dir, sourceName(filepath.Base(output)))) {
		return by
	}
	return ""
}

// gave reports whether what the root's source file of that name has to say is known: it was read, or is not there.
func (d *directory) gave(name string) bool {
	file := filepath.Join(d.Dir, name)
	return !slices.Contains(d.sources, file) || slices.Contains(d.read(), file)
}

// rootOf returns the root with an import path, also for that of its external tests.
func (r *Result) rootOf(importPath string) *directory {
	for _, d := range r.roots {
		if d.ImportPath == importPath || d.ImportPath+"_test" == importPath {
			return d
		}
	}
	return nil
}

func (r *Result) rootIn(dir string) *directory {
	for _, d := range r.roots {
		if d.Dir == dir {
			return d
		}
	}
	return nil
}

// dirOf returns the directory that a package has if it is one of a module of the roots, whether or not there is such a
// package.
func (r *Result) dirOf(importPath string) (dir string, ok bool) {
	longest := -1
	for _, d := range r.roots {
		m := d.Module
		if m == nil || m.Dir == "" || !m.Main || len(m.Path) <= longest {
			continue
		}
		if rest, inside := strings.CutPrefix(importPath+"/", m.Path+"/"); inside {
			dir, ok, longest = filepath.Join(m.Dir, filepath.FromSlash(rest)), true, len(m.Path)
		}
	}
	return dir, ok
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
