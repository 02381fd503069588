package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

func importPaths(syntax *ast.File) []string {
	var paths []string
	for _, spec := range syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// namedPaths returns the import paths that the directives of a file name, as in database/sql.ErrNoRows. A qualifier that
// may be one of the file's import names is not taken for a path.
func namedPaths(f *parsed) []string {
	imported := map[string]bool{}
	for _, spec := range f.syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			imported[path.Base(p)] = true
		}
		if spec.Name != nil {
			imported[spec.Name.Name] = true
		}
	}
	var paths []string
	for _, m := range f.marks {
		if m.directive == nil {
			continue
		}
		for _, arg := range m.directive.Args {
			if e := arg.Value.Expr; e != nil && e.Func != nil {
				if p, _, ok := splitName(e.Func.Text); ok && !imported[p] {
					paths = append(paths, p)
				}
			}
			if !identifies(arg.Key.Type) {
				continue
			}
			for _, item := range arg.Value.Items {
				if p, _, ok := splitName(item.Text); ok && !imported[p] {
					paths = append(paths, p)
				}
			}
		}
	}
	return paths
}

func identifies(t directive.Type) bool {
	switch t {
	case directive.Functions, directive.Function, directive.Errors, directive.TypeName, directive.TypeNames:
		return true
	}
	return false
}

// splitName splits a qualified name at its last dot: a path may hold dots itself.
func splitName(name string) (qualifier, ident string, ok bool) {
	name = strings.TrimLeft(name, "*")
	name, _, _ = strings.Cut(name, "[")
	i := strings.LastIndex(name, ".")
	if i <= 0 || !token.IsIdentifier(name[i+1:]) || strings.ContainsAny(name, " \t\"`{}()\\") {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// importable reports whether the go command takes the text for the path of one package to look up: not for a pattern, a
// directory or one of its own words.
func importable(p string) bool {
	switch p {
	case "", "C", "unsafe", "all", "std", "cmd", "tool", "work":
		return false
	}
	return p[0] != '.' && p[0] != '/' && p[0] != '-' && !strings.Contains(p, "...") && !strings.ContainsAny(p, "@= \\")
}

// suggestions returns the import paths that a wrong one may have been meant for, sorted: what the package imports itself
// and the standard library.
func (e *exports) suggestions(pkg *types.Package) []string {
	if e.std == nil && !e.driver {
		e.std = []string{}
		packages, _, err := e.list(e.ctx, "-json=ImportPath", "--", "std")
		if err != nil {
			e.cfg.Logf("no suggestions: %v", err)
		}
		for _, p := range packages {
			if !strings.HasPrefix(p.ImportPath, "vendor/") && !slices.Contains(strings.Split(p.ImportPath, "/"), "internal") {
				e.std = append(e.std, p.ImportPath)
			}
		}
	}
	paths := slices.Clone(e.std)
	for _, imported := range pkg.Imports() {
		paths = append(paths, imported.Path())
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
