package plan

import (
	"go/types"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// value resolves one expression of a name, and returns nil after reporting that it is not a value there.
func (m *maker) value(d placed, arg *directive.Arg, e *directive.Expr, method *method) *Value {
	for _, steps := range e.Args {
		root := steps[0]
		if d.level == onMethod || rootParam(method.signature(), root.Text) >= 0 {
			continue
		}
		m.errorf(root.Pos, itemEnd(root), "%s has no parameter %s, which the %s has in its name; %s. Write //resil:skip %s or a "+
			"%[3]s of its own on %[1]s", method.name(), root.Text, d.Spec.Name, parameterRemedy(method.signature()), d.Spec.Name)
		return nil
	}
	if name, isParam := m.calledOn(e, method); isParam {
		m.errorf(e.Func.Pos, itemEnd(*e.Func), "%s=%s: %s is a parameter, and a method on a path takes no arguments; write a "+
			"function, as in {keyOf(%[3]s)}", arg.Key.Name, exprText(e), name)
		return nil
	}
	if word := m.wordMeant(e, method); word != "" {
		root := e.Args[0][0]
		m.suggest(m.errorf(root.Pos, itemEnd(root), "%s has no parameter %s; did you mean {%s}?", method.name(), root.Text, word),
			root, word)
		return nil
	}
	expr := m.expr(d, arg.Key.Name, e, "string", method)
	if expr == nil {
		return nil
	}
	value := &Value{Expr: expr}
	if wrong := m.wrongPath(expr); wrong != "" {
		m.errorf(e.Pos, e.End, "%s=%s%s: %s", arg.Key.Name, expr.Text, d.suffix(method), wrong)
		return nil
	}
	if wrong := value.become(expr.Type, m); wrong != "" {
		m.errorf(e.Pos, e.End, "%s=%s is %s%s; %s", arg.Key.Name, expr.Text, m.typeText(expr.Type), d.suffix(method), wrong)
		return nil
	}
	return value
}

// calledOn returns the parameter whose method an expression calls as if it were a function of a package.
func (m *maker) calledOn(e *directive.Expr, method *method) (param string, isParam bool) {
	if e.Func == nil {
		return "", false
	}
	param, _, qualified := strings.Cut(e.Func.Text, ".")
	if !qualified || rootParam(method.signature(), param) < 0 {
		return "", false
	}
	_, err := m.pkg.Resolve(m.pkg.FileOf(e.Func.Pos), e.Func.Text)
	return param, err != nil
}

// wordMeant returns the word of names that a parameter which there is not was meant to be; "" where it was none.
func (m *maker) wordMeant(e *directive.Expr, method *method) string {
	root := e.Args[0][0].Text
	if e.Func != nil || len(e.Args[0]) > 1 || rootParam(method.signature(), root) >= 0 ||
		nearParameter(method.signature(), root) != "" {
		return ""
	}
	return directive.Nearest(root, directive.TemplateWords)
}

// wrongPath says what is wrong with a path on which a nil could not be told from other values; "" where nothing is.
func (m *maker) wrongPath(expr *Expr) string {
	for _, path := range expr.Args {
		for _, step := range path.Steps {
			switch {
			case step.hidden != "":
				return step.Name + " is found through what is embedded as " + step.hidden + ", which can't be named here, and " +
					"something on the way may be nil; take another path"
			case step.open != "":
				return step.Name + " is a method of type parameter " + step.open + ", which may stand for a pointer that is nil; " +
					"write a function that checks for it, as in {keyOf(req)}"
			}
		}
	}
	return ""
}

// become settles how a value of the type stands in a name, and says what is wrong with it if it can't.
func (v *Value) become(t types.Type, m *maker) (wrong string) {
	v.Nilable = pointing(t)
	if index := stringOf(t, m.pkg.Types); index != nil {
		v.Form = StringerValue
		switch fields, hidden := m.embeddings(t, index); {
		case fields != nil || hidden != "":
			return "its method String is that of something embedded, which may be nil; write the path to that, or give it a " +
				"method of its own"
		case openToNil(t):
			return "it may stand for a pointer that is nil; constrain it by ~string, or write a function that checks"
		}
		return ""
	}
	pointed := t
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		v.Deref, pointed = true, pointer.Elem()
	}
	switch {
	case types.Satisfies(pointed, stringType):
		v.Form = TextValue
	case types.Satisfies(pointed, integer):
		v.Form = IntValue
	case !pointing(t) && stringOf(types.NewPointer(t), m.pkg.Types) != nil:
		return "only a pointer to it has its method String; take a pointer, or a field"
	default:
		return "it must be a string, an integer or have a method String() string"
	}
	return ""
}

// stringOf returns the way to the method String() string of a value of the type, which need not be addressable; nil where
// it has none.
func stringOf(t types.Type, pkg *types.Package) (index []int) {
	obj, index, _ := types.LookupFieldOrMethod(t, false, pkg, "String")
	fn, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	sig := fn.Signature()
	if sig.Params().Len() != 0 || sig.Results().Len() != 1 ||
		!types.Identical(sig.Results().At(0).Type(), types.Typ[types.String]) {
		return nil
	}
	return index
}

// stringType is what every string type satisfies, and a type parameter that can't be anything else.
var stringType = types.NewInterfaceType(nil, []types.Type{
	types.NewUnion([]*types.Term{types.NewTerm(true, types.Typ[types.String])}),
}).Complete()

// embeddings returns the embedded fields that a selector goes through without naming them, if one of them is a pointer
// or an interface; hidden is one that is and can't be named here.
func (m *maker) embeddings(t types.Type, index []int) (fields []*types.Var, hidden string) {
	pointers := false
	for _, i := range index[:len(index)-1] {
		s, ok := deref(t).Underlying().(*types.Struct)
		if !ok {
			return nil, "" // an interface's method
		}
		field := s.Field(i)
		fields, t = append(fields, field), field.Type()
		pointers = pointers || pointing(t)
	}
	if !pointers {
		return nil, ""
	}
	for _, field := range fields {
		if m.flawOf(field) != nil {
			return nil, field.Name()
		}
	}
	return fields, ""
}

func deref(t types.Type) types.Type {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}

// pointing reports whether a value of the type may be a nil that has no fields and no methods to call.
func pointing(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	}
	return false
}

// openToNil reports whether the type is a type parameter that may stand for a pointer or an interface.
func openToNil(t types.Type) bool {
	param, ok := types.Unalias(t).(*types.TypeParam)
	return ok && !settled(param.Constraint())
}

// settled reports whether a constraint lists its types, and none of them may be a nil pointer.
func settled(constraint types.Type) bool {
	all, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return !pointing(constraint)
	}
	for embedded := range all.EmbeddedTypes() {
		union, ok := embedded.(*types.Union)
		if !ok {
			if settled(embedded) {
				return true
			}
			continue
		}
		every := true
		for term := range union.Terms() {
			every = every && settled(term.Type())
		}
		if every {
			return true
		}
	}
	return false
}
