package source

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Target is the package of a directory that wrappers of other packages are written to. It need not exist yet.
type Target struct {
	Dir     string // absolute; symbolic links on the way to the source are kept
	Path    string // import path
	Name    string
	Outputs []string             // absolute paths of the files there that carry our Header
	Sources []string             // absolute paths of its other Go files
	Names   map[string]token.Pos // what Sources declare at package level
	Imports map[string]token.Pos // the names under which they import packages, which can't be declared either

	real string // Dir without symbolic links
}

// A TargetError reports a directory that wrappers can't be written to.
type TargetError struct {
	Reason string // what is wrong; what would be right
}

func (e *TargetError) Error() string { return e.Reason }

func targetError(format string, args ...any) error {
	return &TargetError{Reason: fmt.Sprintf(format, args...)}
}

// Target returns the package of a directory, which is given as in the key out of the directive wrapper or absolute. It
// is nil for the package's own directory. The error is a [*TargetError]. Target is safe for concurrent use.
func (p *Package) Target(out string) (*Target, error) { return p.target(out) }

// ImportChain returns the import paths that lead from a package to the target, the first and the last included; nil where
// none do. It is empty also where the go command can't tell, under a driver. ImportChain is safe for concurrent use.
func (p *Package) ImportChain(from string, to *Target) []string { return p.chain(from, to) }

// Holder returns the import path of the package whose wrappers an existing output of ours holds, if that package has the
// source and is not loaded; empty where the output is free to be written.
func (p *Package) Holder(output string) string { return p.holder(output) }

// target returns the package of a directory for the wrappers of a root.
func (l *loader) target(d *listed, out string) (*Target, error) {
	dir := filepath.FromSlash(out)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(d.Dir, dir)
	}
	real := realDir(dir)
	if real == realDir(d.Dir) {
		return nil, nil
	}
	if t := l.targets[real]; t != nil {
		return t, nil
	}
	for _, root := range l.result.roots {
		if realDir(root.Dir) == real {
			dir = root.Dir // so that its files have one name in this run
		}
	}
	importPath, err := l.pathIn(d, real)
	if err != nil {
		return nil, err
	}
	t := &Target{Dir: filepath.Clean(dir), Path: importPath, real: real}
	t.Names, t.Imports = map[string]token.Pos{}, map[string]token.Pos{}
	if err := l.readTarget(t); err != nil {
		return nil, err
	}
	if l.targets == nil {
		l.targets = map[string]*Target{}
	}
	l.targets[real] = t
	return t, nil
}

// allTargets returns the targets that were asked for, and those that the roots would have without any directive.
func (l *loader) allTargets() []*Target {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cfg.Out != "" {
		for _, d := range l.result.roots {
			if _, err := l.target(d.listed, l.cfg.Out); err != nil {
				l.cfg.Logf("%s: %v", d.ImportPath, err)
			}
		}
	}
	return slices.Collect(maps.Values(l.targets))
}

// pathIn returns the import path of a directory in the module of a package.
func (l *loader) pathIn(d *listed, real string) (string, error) {
	base, root := d.ImportPath, realDir(d.Dir)
	place := "package " + base
	m := d.Module
	if l.exports == nil {
		m = nil // a driver of go/analysis does not tell where modules are
	}
	if m != nil {
		if !m.Main || m.Dir == "" {
			return "", targetError("package %s belongs to module %s, which is not yours to write into; declare an interface "+
				"in a package of your own that embeds this one", d.ImportPath, m.Path)
		}
		base, root = m.Path, realDir(m.Dir)
		place = "module " + base
	}
	if strings.Contains(d.ImportPath, "/vendor/") {
		return "", targetError("package %s is vendored; declare an interface in a package of your own that embeds this one",
			d.ImportPath)
	}
	rel, err := filepath.Rel(root, real)
	if err != nil {
		return "", targetError("it can't be told where it is in %s: %v; choose a directory there", place, err)
	}
	importPath := path.Join(base, filepath.ToSlash(rel))
	if m != nil && outside(rel) || outside(importPath) {
		return "", targetError("it is outside of %s; choose a directory there", place)
	}
	for at := real; m != nil && at != root; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return "", targetError("%s there is a module of its own; choose a directory of %s", filepath.Base(at), place)
		}
	}
	if bad := slices.IndexFunc(strings.Split(importPath, "/"), unimportable); bad >= 0 {
		return "", targetError("no package can have the import path %s; choose another directory", importPath)
	}
	return importPath, nil
}

// outside reports whether a relative path leaves the directory that it starts from.
func outside(rel string) bool {
	rel = filepath.ToSlash(rel)
	return rel == ".." || strings.HasPrefix(rel, "../")
}

// unimportable reports whether an element can't be part of an import path.
func unimportable(element string) bool {
	return element == "" || element == "vendor" || element[0] == '.' || strings.HasSuffix(element, ".") ||
		strings.ContainsFunc(element, func(c rune) bool {
			return c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-._~+", c)
		})
}

// realDir returns a directory without symbolic links, also where its last elements do not exist.
func realDir(dir string) string {
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return dir
	}
	return filepath.Join(realDir(parent), filepath.Base(dir))
}

// readTarget reads what there is in the target's directory.
func (l *loader) readTarget(t *Target) error {
	info, err := os.Stat(t.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Name = packageName(t.Path)
		return nil
	case err != nil:
		return targetError("it can't be read: %v", err)
	case !info.IsDir():
		return targetError("it is a file; write the wrappers to a directory")
	}
	if t.Outputs, t.Sources, err = readGoFiles(t.Dir, nil); err != nil {
		return targetError("it can't be read: %v", err)
	}
	clauses := map[string]string{} // the package names, by path
	names := map[string]bool{}     // of the files that belong to this build and are no tests
	for _, file := range t.Sources {
		syntax, err := parser.ParseFile(l.fset, file, nil, parser.SkipObjectResolution)
		if syntax == nil || syntax.Name == nil {
			return targetError("it can't be read: %v", err)
		}
		name := strings.TrimSuffix(syntax.Name.Name, "_test")
		clauses[file] = name
		if match, err := l.build.MatchFile(t.Dir, filepath.Base(file)); err == nil && match || len(t.Sources) == 1 {
			names[name] = true
		}
		if !strings.HasSuffix(syntax.Name.Name, "_test") {
			t.declare(syntax)
		}
	}
	switch found := slices.Sorted(maps.Keys(names)); len(found) {
	case 0:
		t.Name = packageName(t.Path)
	case 1:
		t.Name = found[0]
	default:
		return targetError("it holds the packages %s; choose a directory with one package", strings.Join(found, " and "))
	}
	return nil
}

// packageName returns the name that a package is expected to have by its import path.
func packageName(importPath string) string {
	element := path.Base(importPath)
	if len(element) > 1 && element[0] == 'v' && strings.Trim(element[1:], "0123456789") == "" && path.Dir(importPath) != "." {
		element = path.Base(path.Dir(importPath)) // of a major version
	}
	name := strings.TrimLeft(strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSuffix(element, "_test")), "0123456789_")
	switch {
	case name == "":
		return "wrappers"
	case name == "main" || token.IsKeyword(name):
		return name + "wrappers"
	}
	return name
}

// declare notes the names of a file.
func (t *Target) declare(syntax *ast.File) {
	note := func(names map[string]token.Pos, list ...*ast.Ident) {
		for _, id := range list {
			if _, ok := names[id.Name]; !ok && id.Name != "_" && id.Name != "." {
				names[id.Name] = id.Pos()
			}
		}
	}
	for _, decl := range syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.Name != "init" {
				note(t.Names, decl.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					note(t.Names, spec.Name)
				case *ast.ValueSpec:
					note(t.Names, spec.Names...)
				case *ast.ImportSpec:
					if name := importedAs(spec); name != nil {
						note(t.Imports, name)
					}
				}
			}
		}
	}
}

// importedAs returns the name of an import, which is taken from its path where it is not written.
func importedAs(spec *ast.ImportSpec) *ast.Ident {
	if spec.Name != nil {
		return spec.Name
	}
	importPath, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return nil
	}
	return &ast.Ident{NamePos: spec.Pos(), Name: packageName(importPath)}
}
