package plan

import (
	"go/types"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// permits returns how many permits a call of the method takes.
func (m *maker) permits(d placed, arg *directive.Arg, method *method) Count {
	e := arg.Value.Expr
	if e == nil {
		return Count{Const: arg.Value.Int}
	}
	expr := m.expr(d, arg.Key.Name, e, "int", method)
	if expr != nil && !types.Satisfies(expr.Type, integer) {
		m.errorf(e.Pos, e.End, "%s=%s is %s%s; it must be of an integer type", arg.Key.Name, e.Text,
			m.typeText(expr.Type), d.suffix(method))
	}
	return Count{Expr: expr}
}

// integer is what every integer type satisfies, and a type parameter that can't be anything else.
var integer = func() *types.Interface {
	var terms []*types.Term
	for _, t := range types.Typ {
		if t.Info()&types.IsInteger != 0 && t.Info()&types.IsUntyped == 0 {
			terms = append(terms, types.NewTerm(true, t))
		}
	}
	return types.NewInterfaceType(nil, []types.Type{types.NewUnion(terms)}).Complete()
}()

// expr resolves an expression for a method, and returns nil after reporting that it has no value there. Key is the
// argument's, and want the type that a function should return, both for messages.
func (m *maker) expr(d placed, key string, e *directive.Expr, want string, method *method) *Expr {
	expr := &Expr{Text: exprText(e)}
	var given []types.Type
	for _, steps := range e.Args {
		path, t, ok := m.path(method, steps, key+"="+e.Text+d.suffix(method))
		if !ok {
			return nil
		}
		expr.Args, given = append(expr.Args, path), append(given, t)
	}
	if e.Func == nil {
		expr.Type = given[0]
		return expr
	}
	texts := make([]string, len(given))
	for i, t := range given {
		texts[i] = m.typeText(t)
	}
	want = "func(" + strings.Join(texts, ", ") + ") " + want
	if expr.Func = m.exprFunc(key, *e.Func, want); expr.Func == nil {
		return nil
	}
	_, expr.Type = called(expr.Func, given, false)
	_, several := expr.Type.(*types.Tuple)
	_, builtin := expr.Func.(*types.Builtin)
	switch {
	case expr.Type == nil && builtin:
		m.errorf(e.Func.Pos, itemEnd(*e.Func), "%s=%s: len does not take (%s)%s; it takes one string, slice, array, map or "+
			"channel", key, e.Text, strings.Join(texts, ", "), d.suffix(method))
	case expr.Type == nil || several:
		m.errorf(e.Func.Pos, itemEnd(*e.Func), "%s=%s: %s is %s; it must be %s%s", key, e.Text, e.Func.Text,
			m.describe(expr.Func), want, d.suffix(method))
	default:
		return expr
	}
	return nil
}

// exprFunc returns the function that an expression calls.
func (m *maker) exprFunc(key string, item directive.Item, want string) types.Object {
	if obj, _ := m.pkg.Resolve(m.pkg.FileOf(item.Pos), item.Text); obj == types.Universe.Lookup("len") {
		return obj
	}
	if fn := m.function(key, item, want, m.functionNames()); fn != nil {
		return fn
	}
	return nil
}
