package plan

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/resilgen/resilgen/generator/directive"
)

// runtimePath is where the runtime packages that Key.Func names are.
const runtimePath = "github.com/resilgen/resilgen/runtime/"

// A shape is what the signature of a function named by a key must be: Key.Func with the method's results in place.
type shape struct{ params, results []slot }

// A slot is a parameter or result of a shape. Its type is typ, or the named type path.name.
type slot struct {
	label      string // the parameter's name; empty where there is none
	text       string // its type as a reader of the package writes it
	typ        types.Type
	path, name string
}

func (s slot) fits(t types.Type) bool {
	if s.typ != nil {
		return types.Identical(s.typ, t)
	}
	return isNamed(t, s.path, s.name)
}

// shapeOf reads a Key.Func, as in "func(attempt int, results...) bool", for a method.
func (m *maker) shapeOf(text string, method *types.Signature) shape {
	params, result, _ := strings.Cut(strings.TrimPrefix(text, "func("), ")")
	var s shape
	for _, param := range splitList(params) {
		if param == "results..." {
			for i := range method.Results().Len() - 1 {
				t := method.Results().At(i).Type()
				s.params = append(s.params, slot{text: m.typeText(t), typ: t})
			}
			continue
		}
		s.params = append(s.params, slotOf(param))
	}
	for _, result := range splitList(strings.TrimSpace(result)) {
		s.results = append(s.results, slotOf(result))
	}
	return s
}

func splitList(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ", ")
}

// slotOf reads "int", "attempt int", "time.Duration" or "breaker.Transition".
func slotOf(text string) slot {
	var s slot
	s.text = text
	if label, rest, labelled := strings.Cut(text, " "); labelled {
		s.label, s.text = label, rest
	}
	if qualifier, name, qualified := strings.Cut(s.text, "."); qualified {
		s.path, s.name = qualifier, name
		if qualifier != "time" {
			s.path = runtimePath + qualifier
		}
	} else if obj := types.Universe.Lookup(s.text); obj != nil {
		s.typ = obj.Type()
	}
	return s
}

// String returns the shape as a type, with the names of parameters where all have one.
func (s shape) String() string {
	labelled := true
	for _, p := range s.params {
		labelled = labelled && p.label != ""
	}
	write := func(slots []slot) string {
		texts := make([]string, len(slots))
		for i, p := range slots {
			if texts[i] = p.text; labelled && p.label != "" {
				texts[i] = p.label + " " + p.text
			}
		}
		return strings.Join(texts, ", ")
	}
	text := "func(" + write(s.params) + ")"
	if len(s.results) > 0 {
		text += " " + write(s.results)
	}
	return text
}

func (s shape) fits(sig *types.Signature) bool {
	return !sig.Variadic() && fitAll(s.params, sig.Params()) && fitAll(s.results, sig.Results())
}

func fitAll(slots []slot, tuple *types.Tuple) bool {
	if len(slots) != tuple.Len() {
		return false
	}
	for i, s := range slots {
		if !s.fits(tuple.At(i).Type()) {
			return false
		}
	}
	return true
}

// keyFunc returns the function that an argument of a policy names, if it fits the method.
func (m *maker) keyFunc(d placed, arg *directive.Arg, method *method) *Func {
	item := arg.Value.Items[0]
	perCall := strings.Contains(arg.Key.Func, "results...")
	ofError := strings.Contains(arg.Key.Func, "results..., error")
	if perCall && !ofError && method.signature().Results().Len() == 1 {
		m.errorf(arg.Pos, arg.End, "%s on %s, whose only result is the error; remove it, or write it on a method with "+
			"a result", arg.Key.Name, method.name())
		return nil
	}
	want := m.shapeOf(arg.Key.Func, method.signature())
	fn := m.function(arg.Key.Name, item, want.String(), m.functionNames())
	if fn == nil {
		return nil
	}
	sig := fn.Type().(*types.Signature)
	if sig.TypeParams().Len() > 0 {
		if perCall {
			sig = m.inferred(fn, want.paramTypes(), false)
		}
		if sig == nil || sig.TypeParams().Len() > 0 {
			m.errorf(item.Pos, itemEnd(item), "%s=%s: %s is generic and its type arguments can't be inferred%s; it must "+
				"be %s", arg.Key.Name, item.Text, item.Text, d.suffix(method), want)
			return nil
		}
	}
	if !want.fits(sig) {
		m.errorf(item.Pos, itemEnd(item), "%s=%s: %s is %s; it must be %s%s", arg.Key.Name, item.Text, item.Text,
			m.signatureText(sig), want, d.suffix(method))
		return nil
	}
	return &Func{Object: fn}
}

// paramTypes returns the types of the parameters. Those of shapes with results... are all known.
func (s shape) paramTypes() []types.Type {
	list := make([]types.Type, len(s.params))
	for i, p := range s.params {
		list[i] = p.typ
	}
	return list
}

// inferred returns the signature of a generic function in a call with arguments of the given types, or nil where the
// type arguments can't be inferred from them. With variadic, the last argument is passed with "...".
func (m *maker) inferred(fn *types.Func, args []types.Type, variadic bool) *types.Signature {
	sig, _ := called(fn, args, variadic)
	return sig
}

// called type-checks the call of a function, which may be predeclared, with arguments of the given types. It returns the
// signature that a generic function has there, and the type of the call's value; nil where the call is wrong.
func called(fn types.Object, args []types.Type, variadic bool) (instance *types.Signature, value types.Type) {
	scratch := types.NewPackage("scratch", "scratch")
	callee := ast.NewIdent("f")
	if _, builtin := fn.(*types.Builtin); builtin {
		callee.Name = fn.Name()
	} else {
		scratch.Scope().Insert(types.NewVar(token.NoPos, scratch, "f", fn.Type()))
	}
	call := &ast.CallExpr{Fun: callee}
	for i, arg := range args {
		name := "a" + strconv.Itoa(i)
		scratch.Scope().Insert(types.NewVar(token.NoPos, scratch, name, arg))
		call.Args = append(call.Args, ast.NewIdent(name))
	}
	if variadic {
		call.Ellipsis = 1
	}
	info := &types.Info{
		Instances: make(map[*ast.Ident]types.Instance),
		Types:     make(map[ast.Expr]types.TypeAndValue),
	}
	if err := types.CheckExpr(token.NewFileSet(), scratch, token.NoPos, call, info); err != nil {
		return nil, nil
	}
	instance, _ = info.Instances[callee].Type.(*types.Signature)
	return instance, info.Types[call].Type
}

// function returns the function that item names. What is its use, as in "retryResult", and want the type that it should
// have, for the message where there is none; the nearest of the candidates is named there.
func (m *maker) function(use string, item directive.Item, want string, candidates []string) *types.Func {
	obj, err := m.pkg.Resolve(m.pkg.FileOf(item.Pos), item.Text)
	if err != nil {
		if !m.unseen(err) {
			m.missing(use, item, err, want, candidates)
		}
		return nil
	}
	fn, ok := obj.(*types.Func)
	if !ok {
		m.errorf(item.Pos, itemEnd(item), "%s=%s: %s is %s; name a function", use, item.Text, item.Text, m.describe(obj))
		return nil
	}
	if !m.usable(use, item, fn) {
		return nil
	}
	return fn
}

// missing reports a function that does not exist, with the nearest of the candidates or the declaration to write.
func (m *maker) missing(use string, item directive.Item, err error, want string, candidates []string) {
	if use == "use" {
		use = kindFallback
	}
	remedy := "declare func " + item.Text + strings.TrimPrefix(want, "func")
	near := directive.Nearest(item.Text, candidates)
	if near != "" {
		remedy = "did you mean " + strconv.Quote(near) + "?"
	}
	if strings.Contains(item.Text, ".") || m.declared(item.Text) != nil { // an import of a file is declared as well
		m.suggest(m.errorf(item.Pos, itemEnd(item), "%s=%s: %v", use, item.Text, err), item, nearestName(err))
		return
	}
	m.suggest(m.errorf(item.Pos, itemEnd(item), "%s %q does not exist; %s", use, item.Text, remedy), item, near)
}

// functionNames returns the names of the package's functions.
func (m *maker) functionNames() []string {
	var names []string
	scope := m.pkg.Types.Scope()
	for _, name := range scope.Names() {
		if _, ok := scope.Lookup(name).(*types.Func); ok {
			names = append(names, name)
		}
	}
	return names
}
