package source

import (
	"go/ast"
	"go/token"
)

// reportMisplaced reports the directives of a file that belong to no interface and no method.
func (c *checked) reportMisplaced(f *parsed) {
	for _, m := range f.marks {
		if c.owned[m.group] || !m.spelled() {
			continue
		}
		c.problems.Errorf(m.comment.Pos(), m.comment.End(), "%s %s", m.word(), placement(f.syntax, m.group))
	}
}

const putIt = "put it directly above an interface or one of its methods"

// placement says where a comment stands that is not in its place, and what would be right.
func placement(file *ast.File, group *ast.CommentGroup) string {
	if group == file.Doc || group.Pos() < file.Package {
		return "stands above the package clause; " + putIt
	}
	for _, decl := range file.Decls {
		if docOf(decl) == group || within(decl, group) || trailing(decl) == group {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				return inFunc(decl, group)
			case *ast.GenDecl:
				return inDecl(decl, group)
			}
		}
		if decl.Pos() > group.End() {
			return "stands alone; " + above(decl)
		}
	}
	return "stands alone; " + putIt
}

// above tells to put a directive above the declaration that follows it, if it can stand there.
func above(next ast.Decl) string {
	if gen, ok := next.(*ast.GenDecl); ok && gen.Tok == token.TYPE && len(gen.Specs) > 0 {
		spec := gen.Specs[0].(*ast.TypeSpec)
		if isInterface(spec) {
			return "put it directly above type " + spec.Name.Name + ", without a blank line"
		}
	}
	return putIt
}

func inFunc(fn *ast.FuncDecl, group *ast.CommentGroup) string {
	name := "function " + fn.Name.Name
	if fn.Recv != nil {
		name = "method " + fn.Name.Name + " of a type that is not an interface"
	}
	if group == fn.Doc {
		return "stands on " + name + "; " + putIt
	}
	var local *ast.TypeSpec
	if fn.Body != nil {
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			gen, ok := n.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				return true
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.TypeSpec)
				if isInterface(spec) && (within(spec, group) || spec.Doc == group || gen.Doc == group) {
					local = spec
				}
			}
			return true
		})
	}
	if local != nil {
		return "stands on interface " + local.Name.Name + ", which is declared inside " + name +
			"; declare the interface at package level"
	}
	return "stands inside " + name + "; " + putIt
}

func inDecl(decl *ast.GenDecl, group *ast.CommentGroup) string {
	if decl.Tok != token.TYPE {
		return "stands at a declaration of " + map[token.Token]string{
			token.IMPORT: "imports",
			token.CONST:  "constants",
			token.VAR:    "variables",
		}[decl.Tok] + "; " + putIt
	}
	if group == decl.Doc && decl.Lparen.IsValid() {
		return "stands on a group of types; put it directly above the interface in the group"
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.TypeSpec)
		if spec.Comment == group {
			return "stands behind type " + spec.Name.Name + "; put it directly above the type"
		}
		if within(spec, group) {
			return inType(spec, group)
		}
		if spec.Pos() > group.End() {
			if isInterface(spec) {
				return "stands alone; put it directly above type " + spec.Name.Name + ", without a blank line"
			}
			break
		}
	}
	return "stands alone; " + putIt
}

func inType(spec *ast.TypeSpec, group *ast.CommentGroup) string {
	literal, ok := ast.Unparen(spec.Type).(*ast.InterfaceType)
	if !ok || literal.Methods == nil {
		return "stands inside type " + spec.Name.Name + ", which is not an interface; " + putIt
	}
	for _, field := range literal.Methods.List {
		if len(field.Names) == 0 {
			if field.Doc == group || field.Comment == group || within(field, group) {
				return "stands on an embedded type; put it on interface " + spec.Name.Name +
					" or on the methods of the embedded interface"
			}
			if field.Pos() > group.End() {
				break
			}
			continue
		}
		if within(field, group) {
			return "stands inside the signature of method " + field.Names[0].Name + "; put it directly above the method"
		}
		if field.Pos() > group.End() {
			return "stands alone; put it directly above method " + field.Names[0].Name + ", without a blank line"
		}
	}
	return "stands alone in interface " + spec.Name.Name + "; put it directly above a method, without a blank line"
}

func isInterface(spec *ast.TypeSpec) bool {
	_, ok := ast.Unparen(spec.Type).(*ast.InterfaceType)
	return ok
}

func within(n ast.Node, group *ast.CommentGroup) bool {
	return n.Pos() <= group.Pos() && group.End() <= n.End()
}

func docOf(decl ast.Decl) *ast.CommentGroup {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return decl.Doc
	case *ast.GenDecl:
		return decl.Doc
	}
	return nil
}

// trailing returns the comment behind a declaration without parentheses.
func trailing(decl ast.Decl) *ast.CommentGroup {
	gen, ok := decl.(*ast.GenDecl)
	if !ok || gen.Lparen.IsValid() || len(gen.Specs) != 1 {
		return nil
	}
	switch spec := gen.Specs[0].(type) {
	case *ast.TypeSpec:
		return spec.Comment
	case *ast.ValueSpec:
		return spec.Comment
	case *ast.ImportSpec:
		return spec.Comment
	}
	return nil
}
