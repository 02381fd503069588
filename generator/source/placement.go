package source

import (
	"go/ast"
	"go/token"
)

// reportMisplaced reports the directives of a file that belong to no interface and no method.
func (c *checked) reportMisplaced(f *parsed, fset *token.FileSet) {
	for _, m := range f.marks {
		if c.owned[m.group] || !m.spelled() {
			continue
		}
		where, next := placement(f.syntax, m.group)
		p := c.problems.Errorf(m.comment.Pos(), m.comment.End(), "%s %s", m.word(), where)
		if pos, end, ok := blankLines(fset, f.syntax, m.group, next); ok {
			p.Suggest("Remove the blank line", pos, end, "")
		}
	}
}

// blankLines returns the blank lines between a comment and what it was torn from, unless something else is in between.
func blankLines(fset *token.FileSet, file *ast.File, group *ast.CommentGroup, next ast.Node) (pos, end token.Pos, ok bool) {
	if next == nil {
		return 0, 0, false
	}
	for _, other := range file.Comments {
		if group.End() <= other.Pos() && other.End() <= next.Pos() {
			return 0, 0, false
		}
	}
	lines := fset.File(file.FileStart)
	from, to := lines.Line(group.End())+1, lines.Line(next.Pos())
	if from >= to {
		return 0, 0, false
	}
	return lines.LineStart(from), lines.LineStart(to), true
}

const putIt = "put it directly above an interface or one of its methods"

// placement says where a comment stands that is not in its place, and what would be right. Where that is only to move it
// nearer to what follows, next is that, with its doc comment.
func placement(file *ast.File, group *ast.CommentGroup) (where string, next ast.Node) {
	if group == file.Doc || group.Pos() < file.Package {
		return "stands above the package clause; " + putIt, nil
	}
	for _, decl := range file.Decls {
		if docOf(decl) == group || within(decl, group) || trailing(decl) == group {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				return inFunc(decl, group), nil
			case *ast.GenDecl:
				return inDecl(decl, group)
			}
		}
		if decl.Pos() > group.End() {
			return above(decl)
		}
	}
	return "stands alone; " + putIt, nil
}

// above tells to put a directive above the declaration that follows it, if it can stand there.
func above(next ast.Decl) (string, ast.Node) {
	if gen, ok := next.(*ast.GenDecl); ok && gen.Tok == token.TYPE && len(gen.Specs) > 0 {
		spec := gen.Specs[0].(*ast.TypeSpec)
		if isInterface(spec) {
			return tornFrom("type " + spec.Name.Name), withDoc(gen, gen.Doc)
		}
	}
	return "stands alone; " + putIt, nil
}

func tornFrom(what string) string {
	return "stands alone; put it directly above " + what + ", without a blank line"
}

// withDoc returns a declaration's doc comment, which it begins with, or else the declaration.
func withDoc(n ast.Node, doc *ast.CommentGroup) ast.Node {
	if doc != nil {
		return doc
	}
	return n
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

func inDecl(decl *ast.GenDecl, group *ast.CommentGroup) (where string, next ast.Node) {
	if decl.Tok != token.TYPE {
		return "stands at a declaration of " + map[token.Token]string{
			token.IMPORT: "imports",
			token.CONST:  "constants",
			token.VAR:    "variables",
		}[decl.Tok] + "; " + putIt, nil
	}
	if group == decl.Doc && decl.Lparen.IsValid() {
		return "stands on a group of types; put it directly above the interface in the group", nil
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.TypeSpec)
		if spec.Comment == group {
			return "stands behind type " + spec.Name.Name + "; put it directly above the type", nil
		}
		if within(spec, group) {
			return inType(spec, group)
		}
		if spec.Pos() > group.End() {
			if isInterface(spec) {
				return tornFrom("type " + spec.Name.Name), withDoc(spec, spec.Doc)
			}
			break
		}
	}
	return "stands alone; " + putIt, nil
}

func inType(spec *ast.TypeSpec, group *ast.CommentGroup) (where string, next ast.Node) {
	literal, ok := ast.Unparen(spec.Type).(*ast.InterfaceType)
	if !ok || literal.Methods == nil {
		return "stands inside type " + spec.Name.Name + ", which is not an interface; " + putIt, nil
	}
	for _, field := range literal.Methods.List {
		if len(field.Names) == 0 {
			if field.Doc == group || field.Comment == group || within(field, group) {
				return "stands on an embedded type; put it on interface " + spec.Name.Name +
					" or on the methods of the embedded interface", nil
			}
			if field.Pos() > group.End() {
				break
			}
			continue
		}
		if within(field, group) {
			return "stands inside the signature of method " + field.Names[0].Name + "; put it directly above the method", nil
		}
		if field.Pos() > group.End() {
			return tornFrom("method " + field.Names[0].Name), withDoc(field, field.Doc)
		}
	}
	return "stands alone in interface " + spec.Name.Name + "; put it directly above a method, without a blank line", nil
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
