package plan

import (
	"go/types"
	"strings"
)

// typeText returns t as a file of the package would write it.
func (m *maker) typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == m.pkg.Types {
			return ""
		}
		return p.Name()
	})
}

// signatureText returns sig without the names of its parameters.
func (m *maker) signatureText(sig *types.Signature) string {
	if sig.TypeParams().Len() > 0 {
		return m.typeText(sig)
	}
	return m.typeText(types.NewSignatureType(nil, nil, nil, unnamed(sig.Params()), unnamed(sig.Results()), sig.Variadic()))
}

func unnamed(tuple *types.Tuple) *types.Tuple {
	vars := make([]*types.Var, tuple.Len())
	for i := range vars {
		vars[i] = types.NewParam(tuple.At(i).Pos(), tuple.At(i).Pkg(), "", tuple.At(i).Type())
	}
	return types.NewTuple(vars...)
}

// describe says what an object is, for a message about one that is of no use.
func (m *maker) describe(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Func:
		return m.signatureText(obj.Type().(*types.Signature))
	case *types.TypeName:
		if types.IsInterface(obj.Type()) {
			return "an interface type"
		}
		return "a type"
	case *types.Var:
		return "a variable of type " + m.typeText(obj.Type())
	case *types.Const:
		if basic, ok := obj.Type().(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
			return "an untyped constant"
		}
		return "a constant of type " + m.typeText(obj.Type())
	default:
		return "predeclared in Go" // nil, and functions such as len
	}
}

// joinOr joins words as in "a, b or c".
func joinOr(words []string) string { return join(words, " or ") }

// joinAnd joins words as in "a, b and c".
func joinAnd(words []string) string { return join(words, " and ") }

func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}
