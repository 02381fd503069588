package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A span is a stretch of source.
type span struct{ pos, end token.Pos }

func (s span) holds(pos token.Pos) bool { return s.pos <= pos && pos < s.end }

// reportTypeErrors reports the type errors that touch an annotated type and reports whether there are any: those inside
// its declaration, and, where a method's signature or an embedded type is invalid, those that made it so.
func (c *checked) reportTypeErrors(d declared, obj *types.TypeName) bool {
	found := c.reportIn([]span{spanOf(d.spec)})
	if obj == nil {
		if !found {
			c.problems.Errorf(d.spec.Name.Pos(), d.spec.Name.End(), "%s is declared more than once", d.spec.Name.Name)
		}
		return true
	}
	invalid := c.invalidIn(obj, map[*types.TypeName]bool{})
	if invalid == nil {
		return found
	}
	if !found {
		found = c.reportIn(c.causes(obj, map[*types.TypeName]bool{}))
	}
	for _, f := range c.files {
		if f.broken != nil {
			c.problems.List = append(c.problems.List, *f.broken)
			found = true
		}
	}
	if !found {
		c.problems.Errorf(invalid.pos, invalid.end, "%s", invalid.text)
	}
	return true
}

func (c *checked) reportIn(spans []span) bool {
	found := false
	for i, err := range c.errs {
		if strings.HasPrefix(err.Msg, "\t") {
			continue // the second place of the error before it
		}
		for _, s := range spans {
			if s.holds(err.Pos) {
				c.problems.Errorf(err.Pos, token.NoPos, "%s%s", err.Msg, wrapperHint(err.Msg))
				c.reported[i] = true
				found = true
				break
			}
		}
	}
	return found
}

// wrapperHint explains why a wrapper that the user can see may be undefined.
func wrapperHint(message string) string {
	name, ok := strings.CutPrefix(message, "undefined: ")
	qualifier, ident, qualified := strings.Cut(name, ".")
	switch {
	case !ok:
	case qualified && wrapperName(ident):
		return "; if it is a wrapper, generate package " + qualifier + " first"
	case !qualified && wrapperName(name):
		return "; outputs are not read, so if it is a wrapper, name its interface instead"
	}
	return ""
}

func wrapperName(name string) bool {
	return strings.HasPrefix(name, "Resilient") || strings.HasPrefix(name, "resilient")
}

// A flaw is an invalid type that a type of the package is made of.
type flaw struct {
	span
	text string
}

// invalidIn returns what is invalid in the methods and embedded types of a type; nil where nothing is.
func (c *checked) invalidIn(obj *types.TypeName, seen map[*types.TypeName]bool) *flaw {
	d, ok := c.specs[obj]
	if seen[obj] || !ok {
		return nil
	}
	seen[obj] = true
	for _, field := range methodFields(d.spec) {
		fn := c.info.Defs[field.Names[0]]
		if fn == nil || invalid(fn.Type(), map[types.Type]bool{}) {
			return &flaw{spanOf(field.Names[0]), "the signature of method " + field.Names[0].Name +
				" uses a type that is not known here" + cgoHint(field)}
		}
	}
	if invalid(obj.Type().Underlying(), map[types.Type]bool{}) {
		return &flaw{spanOf(d.spec.Name), "type " + obj.Name() + " is made of a type that is not known here"}
	}
	if literal, ok := obj.Type().Underlying().(*types.Interface); ok {
		for e := range literal.EmbeddedTypes() {
			if invalid(e, map[types.Type]bool{}) || e.Underlying() == types.Typ[types.Invalid] {
				return &flaw{spanOf(d.spec.Name), "type " + obj.Name() + " embeds a type that is not known here"}
			}
		}
	}
	for _, e := range c.embeds(obj) {
		if f := c.invalidIn(e, seen); f != nil {
			return f
		}
	}
	if literal, ok := obj.Type().Underlying().(*types.Interface); ok {
		for fn := range literal.Methods() {
			if fn.Pkg() != c.pkg && invalid(fn.Type(), map[types.Type]bool{}) {
				return &flaw{spanOf(d.spec.Name), "method " + fn.Name() + ", which " + obj.Name() + " has from package " +
					fn.Pkg().Path() + ", uses a type that is not known there"}
			}
		}
	}
	return nil
}

func spanOf(n ast.Node) span { return span{n.Pos(), n.End()} }

// cgoHint explains the one invalid type for which there is no error: with bodies ignored, package C is not looked into.
func cgoHint(field *ast.Field) string {
	hint := ""
	ast.Inspect(field.Type, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "C" {
				hint = ": C." + sel.Sel.Name + " belongs to this file alone; give it a Go type"
			}
		}
		return true
	})
	return hint
}

// causes returns the stretches of source whose errors can make a type of the package invalid: the imports that it uses
// and the declarations of aliases, invalid types and embedded interfaces that it is made of.
func (c *checked) causes(obj *types.TypeName, seen map[*types.TypeName]bool) []span {
	d, ok := c.specs[obj]
	if seen[obj] || !ok {
		return nil
	}
	seen[obj] = true
	spans := []span{spanOf(d.spec)}
	scope := c.info.Scopes[d.file.syntax]
	ast.Inspect(d.spec.Type, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if pkgName, ok := scope.Lookup(id.Name).(*types.PkgName); ok {
			for _, spec := range d.file.syntax.Imports {
				if s := spanOf(spec); s.holds(pkgName.Pos()) {
					spans = append(spans, s)
				}
			}
		} else if used, ok := c.pkg.Scope().Lookup(id.Name).(*types.TypeName); ok {
			_, isInterface := used.Type().Underlying().(*types.Interface)
			if used.IsAlias() || isInterface || invalid(used.Type().Underlying(), map[types.Type]bool{}) {
				spans = append(spans, c.causes(used, seen)...)
			}
		}
		return true
	})
	return spans
}

// invalid reports whether a type is invalid or made of an invalid one. What a defined type is defined as does not
// matter.
func invalid(t types.Type, seen map[types.Type]bool) bool {
	if t == nil {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Alias:
		return invalid(types.Unalias(t), seen)
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if invalid(arg, seen) {
				return true
			}
		}
	case *types.Pointer:
		return invalid(t.Elem(), seen)
	case *types.Slice:
		return invalid(t.Elem(), seen)
	case *types.Array:
		return invalid(t.Elem(), seen)
	case *types.Chan:
		return invalid(t.Elem(), seen)
	case *types.Map:
		return invalid(t.Key(), seen) || invalid(t.Elem(), seen)
	case *types.Signature:
		return invalid(t.Params(), seen) || invalid(t.Results(), seen)
	case *types.Tuple:
		for v := range t.Variables() {
			if invalid(v.Type(), seen) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if invalid(f.Type(), seen) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if invalid(m.Type(), seen) {
				return true
			}
		}
		for e := range t.EmbeddedTypes() {
			if invalid(e, seen) {
				return true
			}
		}
	}
	return false
}
