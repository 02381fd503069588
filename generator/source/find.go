package source

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// find fills in the package's files and interfaces, and reports what is wrong with them.
func (c *checked) find(pkg *Package) {
	for _, f := range c.files {
		c.index(f)
	}
	for _, f := range c.files {
		if f.annotated() {
			pkg.known = append(pkg.known, &File{
				Path:       f.path,
				Syntax:     f.syntax,
				Constraint: constraintOf(f.path, f.syntax),
				Test:       strings.HasSuffix(f.path, "_test.go"),
			})
		}
	}
	for _, f := range c.own {
		if !f.annotated() {
			continue
		}
		c.problems.List = append(c.problems.List, f.problems.List...)
		if f.broken != nil {
			c.problems.List = append(c.problems.List, *f.broken)
			continue
		}
		if name := f.syntax.Name; name.Name != c.name {
			c.problems.Errorf(name.Pos(), name.End(), "this file says package %s; the package of its directory is %s",
				name.Name, c.name)
			continue
		}
		file := pkg.FileOf(f.syntax.Package)
		pkg.Files = append(pkg.Files, file)
		pkg.Interfaces = append(pkg.Interfaces, c.interfaces(f, file)...)
		c.reportMisplaced(f, pkg.Fset)
	}
	slices.SortFunc(pkg.Files, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortStableFunc(pkg.Interfaces, func(a, b *Interface) int { return cmp.Compare(a.File.Path, b.File.Path) })
}

// index notes the types that a file declares, and whose comments are whose.
func (c *checked) index(f *parsed) {
	for _, m := range f.marks {
		c.marks[m.group] = append(c.marks[m.group], m)
	}
	for _, d := range typeSpecs(f) {
		obj, _ := c.info.Defs[d.spec.Name].(*types.TypeName)
		if obj == nil {
			continue
		}
		c.specs[obj] = d
	}
}

// typeSpecs returns the type declarations of a file at package level.
func typeSpecs(f *parsed) []declared {
	var list []declared
	for _, decl := range f.syntax.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name != nil {
				list = append(list, declared{file: f, spec: spec, decl: gen})
			}
		}
	}
	return list
}

// methodFields returns the methods that are written in a type declaration, in source order.
func methodFields(spec *ast.TypeSpec) []*ast.Field {
	if spec == nil {
		return nil // an alias has led to another package
	}
	literal, ok := ast.Unparen(spec.Type).(*ast.InterfaceType)
	if !ok || literal.Methods == nil {
		return nil
	}
	var fields []*ast.Field
	for _, field := range literal.Methods.List {
		if _, ok := field.Type.(*ast.FuncType); ok && len(field.Names) == 1 {
			fields = append(fields, field)
		}
	}
	return fields
}

// doc returns the doc comment of a type: for one that is declared alone, that of the declaration.
func (d declared) doc() *ast.CommentGroup {
	if d.spec.Doc == nil && !d.decl.Lparen.IsValid() {
		return d.decl.Doc
	}
	return d.spec.Doc
}

// interfaces returns the annotated interfaces of a file.
func (c *checked) interfaces(f *parsed, file *File) []*Interface {
	var list []*Interface
	for _, d := range typeSpecs(f) {
		first := c.claim(d)
		if first == nil {
			continue
		}
		obj, _ := c.info.Defs[d.spec.Name].(*types.TypeName)
		if c.reportNoInterface(d, obj, *first) || c.reportTypeErrors(d, obj) || c.reportUnfit(d, obj) {
			continue
		}
		list = append(list, c.newInterface(d, obj, file))
	}
	return list
}

// claim takes the comments of a type and of its methods as placed, and returns the first directive among them.
func (c *checked) claim(d declared) *mark {
	var first *mark
	take := func(group *ast.CommentGroup) {
		if group == nil || len(c.marks[group]) == 0 {
			return
		}
		c.owned[group] = true
		if first == nil {
			first = &c.marks[group][0]
		}
	}
	take(d.doc())
	for _, field := range methodFields(d.spec) {
		take(field.Doc)
		take(field.Comment)
	}
	return first
}

func (c *checked) directives(groups ...*ast.CommentGroup) []*directive.Directive {
	var list []*directive.Directive
	for _, group := range groups {
		for _, m := range c.marks[group] {
			if m.directive != nil {
				list = append(list, m.directive)
			}
		}
	}
	return list
}

func (c *checked) newInterface(d declared, obj *types.TypeName, file *File) *Interface {
	i := &Interface{File: file, Spec: d.spec, Object: obj, Directives: c.directives(d.doc())}
	explicit := map[token.Pos]bool{}
	for _, field := range methodFields(d.spec) {
		fn, ok := c.info.Defs[field.Names[0]].(*types.Func)
		if !ok {
			continue
		}
		explicit[fn.Pos()] = true
		i.Methods = append(i.Methods, &Method{
			Func:       fn,
			Directives: c.directives(field.Doc, field.Comment),
			Explicit:   true,
			Pos:        fn.Pos(),
		})
	}
	var embedded []*Method
	for fn := range obj.Type().Underlying().(*types.Interface).Methods() {
		if explicit[fn.Pos()] {
			continue
		}
		m := &Method{Func: fn, Pos: d.spec.Name.Pos()}
		if declared, ok := c.declaredMethod(d, obj, fn); ok {
			m.Pos = declared.field.Names[0].Pos()
			m.Directives = c.directives(declared.field.Doc, declared.field.Comment)
			m.Inherited = c.inherited(obj, declared.in)
		}
		embedded = append(embedded, m)
	}
	slices.SortFunc(embedded, func(a, b *Method) int {
		return cmp.Or(cmp.Compare(a.Func.Name(), b.Func.Name()), cmp.Compare(a.Func.Id(), b.Func.Id()))
	})
	i.Methods = append(i.Methods, embedded...)
	return i
}

// declaredMethod returns where the package declares a method that an interface has from those that it embeds. Several may
// declare it: one with directives goes before the others, and two of them are reported.
func (c *checked) declaredMethod(d declared, obj *types.TypeName, fn *types.Func) (found method, ok bool) {
	annotated := func(m method) bool { return len(c.directives(m.field.Doc, m.field.Comment)) > 0 }
	for _, m := range c.embeddedMethods(obj, fn.Name(), map[*types.TypeName]bool{}) {
		switch {
		case !ok:
			found, ok = m, true
		case !annotated(m):
		case !annotated(found):
			found = m
		default:
			c.problems.Errorf(d.spec.Name.Pos(), d.spec.Name.End(), "%s has method %s from %s and from %s, both with "+
				"directives; declare %[2]s in %[1]s once more, with those that it is to have", obj.Name(), fn.Name(),
				found.in.Name(), m.in.Name())
			return found, true
		}
	}
	return found, ok
}

// embeddedMethods returns the methods of a name that the interfaces of this package declare which a type embeds, in source
// order.
func (c *checked) embeddedMethods(from *types.TypeName, name string, seen map[*types.TypeName]bool) []method {
	var list []method
	for _, obj := range c.embeds(from) {
		if seen[obj] {
			continue
		}
		seen[obj] = true
		own := false
		for _, field := range methodFields(c.specs[obj].spec) {
			if field.Names[0].Name == name {
				list, own = append(list, method{field: field, in: obj}), true
			}
		}
		if !own { // or else its own declaration has the place of those that it embeds
			list = append(list, c.embeddedMethods(obj, name, seen)...)
		}
	}
	return list
}

// inherited returns the directives of the interfaces between one that embeds and the one that declares a method. The
// nearer to the method, the stronger: of a kind that stands on several of them the innermost counts.
func (c *checked) inherited(from, in *types.TypeName) []*directive.Directive {
	path := c.embedding(from, in, map[*types.TypeName]bool{})
	var list []*directive.Directive
	seen := map[*directive.Spec]bool{}
	for _, obj := range slices.Backward(path) {
		directives := c.directives(c.specs[obj].doc())
		for _, d := range directives {
			if !seen[d.Spec] {
				list = append(list, d)
			}
		}
		for _, d := range directives {
			seen[d.Spec] = true
		}
	}
	return list
}

// embedding returns the chain of interfaces of this package that leads from one to another, the first not included.
func (c *checked) embedding(from, to *types.TypeName, seen map[*types.TypeName]bool) []*types.TypeName {
	if seen[from] {
		return nil
	}
	seen[from] = true
	for _, obj := range c.embeds(from) {
		if obj == to {
			return []*types.TypeName{obj}
		}
		if rest := c.embedding(obj, to, seen); rest != nil {
			return append([]*types.TypeName{obj}, rest...)
		}
	}
	return nil
}

// embeds returns the interfaces of this package that a type embeds, or that it is defined as, in source order.
func (c *checked) embeds(obj *types.TypeName) []*types.TypeName {
	var list []*types.TypeName
	for _, e := range embeddedTypes(c.specs[obj].spec) {
		if id := typeIdent(e); id != nil {
			if found, ok := c.pkg.Scope().Lookup(id.Name).(*types.TypeName); ok {
				list = append(list, c.unalias(found))
			}
		}
	}
	return list
}

// unalias returns the type name that an alias within the package stands for.
func (c *checked) unalias(obj *types.TypeName) *types.TypeName {
	if named, ok := types.Unalias(obj.Type()).(*types.Named); ok && obj.IsAlias() {
		return named.Origin().Obj()
	}
	return obj
}

// embeddedTypes returns the expressions of the types that a declaration takes its methods from.
func embeddedTypes(spec *ast.TypeSpec) []ast.Expr {
	if spec == nil {
		return nil
	}
	literal, ok := ast.Unparen(spec.Type).(*ast.InterfaceType)
	if !ok {
		return []ast.Expr{spec.Type}
	}
	var list []ast.Expr
	for _, field := range literal.Methods.List {
		if len(field.Names) == 0 {
			list = append(list, field.Type)
		}
	}
	return list
}

// typeIdent returns the name of a type of the same package, without its type arguments; nil for any other expression.
func typeIdent(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.IndexExpr:
		return typeIdent(e.X)
	case *ast.IndexListExpr:
		return typeIdent(e.X)
	}
	return nil
}
