package source

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// Resolve returns what a name in a directive of the file stands for: Name in the package, or in what the file imports
// with a dot; pkg.Name where the file imports pkg; else a whole import path and a name, as in database/sql.ErrNoRows,
// whether or not the file imports that package. A leading asterisk and type arguments are not looked at. The error is a
// [*NameError], or [ErrUnseen] where the package is none of those that [FromFiles] was given. Resolve is safe for
// concurrent use.
func (p *Package) Resolve(file *File, name string) (types.Object, error) {
	qualifier, ident, qualified := splitName(name)
	scope := p.Types.Scope()
	if file != nil && p.scopes[file.Syntax] != nil {
		scope = p.scopes[file.Syntax]
	}
	if !qualified {
		return p.local(scope, ident)
	}
	if pkgName, ok := scope.Lookup(qualifier).(*types.PkgName); ok {
		return p.member(pkgName.Imported(), name, ident)
	}
	if qualifier == p.Path {
		return p.local(scope, ident)
	}
	imported, err := p.named(qualifier)
	if errors.Is(err, ErrUnseen) {
		return nil, err
	}
	if err != nil {
		return nil, p.noPackage(name, qualifier, ident)
	}
	return p.member(imported, name, ident)
}

// FileOf returns the annotated file that a position is in, or nil. Names in directives of an embedded interface mean what
// they mean in its own file.
func (p *Package) FileOf(pos token.Pos) *File {
	for _, f := range p.known {
		if f.Syntax.FileStart <= pos && pos <= f.Syntax.FileEnd {
			return f
		}
	}
	return nil
}

func (p *Package) local(scope *types.Scope, name string) (types.Object, error) {
	_, obj := scope.LookupParent(name, token.NoPos)
	if obj != nil {
		if _, isPackage := obj.(*types.PkgName); !isPackage {
			return obj, nil
		}
		return nil, nameError(name, "", "%s is a package; name something in it, as in %s.Name", name, name)
	}
	return nil, undeclared(p.Types, name, name, p.Types.Scope().Names())
}

func (p *Package) member(pkg *types.Package, name, ident string) (types.Object, error) {
	obj := pkg.Scope().Lookup(ident)
	switch {
	case obj == nil && len(pkg.Scope().Names()) == 0:
		return nil, nameError(name, "", "package %s could not be read", pkg.Path())
	case obj == nil || !token.IsExported(ident):
		exported := slices.DeleteFunc(pkg.Scope().Names(), func(n string) bool { return !token.IsExported(n) })
		if obj != nil {
			nearest, hint := didYouMean(ident, exported)
			return nil, nameError(name, inPlaceOf(name, ident, nearest), "%s is not exported by package %s%s", ident,
				pkg.Path(), hint)
		}
		return nil, undeclared(pkg, name, ident, exported)
	}
	return obj, nil
}

func nameError(name, nearest, format string, args ...any) error {
	return &NameError{Name: name, Nearest: nearest, Reason: fmt.Sprintf(format, args...)}
}

func undeclared(pkg *types.Package, name, ident string, candidates []string) error {
	nearest, hint := didYouMean(ident, candidates)
	return nameError(name, inPlaceOf(name, ident, nearest), "%s is not declared in %s%s", ident, pkg.Name(), hint)
}

// didYouMean returns the candidate that is meant, and how to say so; "" where none is near.
func didYouMean(word string, candidates []string) (nearest, hint string) {
	if nearest = directive.Nearest(word, candidates); nearest != "" {
		hint = fmt.Sprintf("; did you mean %s?", nearest)
	}
	return nearest, hint
}

// inPlaceOf returns name with its last part replaced, or "" where there is nothing to replace it by.
func inPlaceOf(name, ident, nearest string) string {
	rest, ok := strings.CutSuffix(name, ident)
	if nearest == "" || !ok {
		return ""
	}
	return rest + nearest
}

func (p *Package) noPackage(name, qualifier, ident string) error {
	known := p.paths()
	var whole []string
	for _, candidate := range known {
		if path.Base(candidate) == qualifier {
			whole = append(whole, candidate+"."+ident)
		}
	}
	if len(whole) > 0 {
		nearest := ""
		if len(whole) == 1 {
			nearest = whole[0]
		}
		return nameError(name, nearest, "this file does not import %s; write the whole path: %s", qualifier,
			strings.Join(whole, " or "))
	}
	nearest, hint := didYouMean(qualifier, known)
	if hint == "" {
		return nameError(name, "", "no package %s; write its import path as in database/sql.ErrNoRows", qualifier)
	}
	return nameError(name, nearest+"."+ident, "no package %s%s", qualifier, hint)
}
