package plan

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
	"unicode"

	"github.com/resilgen/resilgen/generator/directive"
)

// rootParam returns the index of the parameter that a path begins with, or -1.
func rootParam(sig *types.Signature, root string) int {
	if unicode.IsDigit(rune(root[0])) {
		if i, err := strconv.Atoi(root); err == nil && i < sig.Params().Len() {
			return i
		}
		return -1
	}
	for i := range sig.Params().Len() {
		if root != "_" && sig.Params().At(i).Name() == root {
			return i
		}
	}
	return -1
}

// nearParameter returns the parameter whose name is nearest to one that there is not; "" where none is near.
func nearParameter(sig *types.Signature, name string) string {
	var names []string
	for param := range sig.Params().Variables() {
		if param.Name() != "_" {
			names = append(names, param.Name())
		}
	}
	return directive.Nearest(name, names)
}

func parameterRemedy(sig *types.Signature) string {
	var names []string
	for i := range sig.Params().Len() {
		name := sig.Params().At(i).Name()
		if name == "" || name == "_" {
			name = strconv.Itoa(i)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "it has no parameters, so no path begins there"
	}
	return "it has " + joinOr(names)
}

// path follows the steps of a path from a parameter of the method to a value, and returns the value's type. It reports
// steps that lead nowhere; use begins the messages.
func (m *maker) path(method *method, items []directive.Item, use string) (path Path, at types.Type, ok bool) {
	sig, root := method.signature(), items[0]
	path.Param = rootParam(sig, root.Text)
	if path.Param < 0 {
		near := nearParameter(sig, root.Text)
		remedy := parameterRemedy(sig)
		if near != "" {
			remedy = "did you mean " + near + "?"
		}
		m.suggest(m.errorf(root.Pos, itemEnd(root), "%s has no parameter %s; %s", method.name(), root.Text, remedy), root, near)
		return path, nil, false
	}
	at = sig.Params().At(path.Param).Type()
	addressable := true
	for _, item := range items[1:] {
		fail := func(format string, args ...any) (Path, types.Type, bool) {
			m.errorf(item.Pos, itemEnd(item), "%s: %s", use, fmt.Sprintf(format, args...))
			return path, nil, false
		}
		name, call := strings.CutSuffix(item.Text, "()")
		found, index, indirect := types.LookupFieldOrMethod(at, addressable, m.pkg.Types, name)
		var next types.Type
		switch found := found.(type) {
		case *types.Var:
			if call {
				return fail("%s of %s is a field; write it without ()", name, m.typeText(at))
			}
			next, addressable = found.Type(), addressable || indirect
		case *types.Func:
			sig := found.Type().(*types.Signature)
			switch {
			case !call:
				return fail("%s of %s is a method; write %s()", name, m.typeText(at), name)
			case sig.Params().Len() != 0 || sig.Results().Len() != 1:
				return fail("%s of %s is %s; it must take nothing and return one value", name, m.typeText(at),
					m.signatureText(sig))
			}
			next, addressable = sig.Results().At(0).Type(), false
		default:
			if indirect {
				return fail("%s has a pointer receiver, which a value of type %s from a call does not have; take another "+
					"path", name, m.typeText(at))
			}
			return fail("%s has no field or method %s; %s", m.typeText(at), name, m.selectorRemedy(at, name))
		}
		if flaw := m.flawOf(found); flaw != nil {
			return fail("%s of %s is %s; %s", name, m.typeText(at), flaw.why, m.remedy(flaw))
		}
		embedded, hidden := m.embeddings(at, index)
		for _, field := range embedded {
			path.Steps = append(path.Steps, Selector{Name: field.Name(), Nilable: pointing(at)})
			at = field.Type()
		}
		step := Selector{Name: name, Call: call, Nilable: pointing(at), hidden: hidden}
		if openToNil(at) {
			step.open = m.typeText(at)
		}
		path.Steps = append(path.Steps, step)
		at = next
	}
	return path, at, true
}

// selectorRemedy suggests what may have been meant by a field or method that t has not.
func (m *maker) selectorRemedy(t types.Type, name string) string {
	var names []string
	add := func(obj types.Object) {
		if obj.Exported() || obj.Pkg() == m.pkg.Types {
			names = append(names, obj.Name())
		}
	}
	for _, of := range []types.Type{types.NewPointer(t), t} {
		for method := range types.NewMethodSet(of).Methods() {
			add(method.Obj())
		}
	}
	under := t.Underlying()
	if pointer, ok := under.(*types.Pointer); ok {
		under = pointer.Elem().Underlying()
	}
	if s, ok := under.(*types.Struct); ok {
		for field := range s.Fields() {
			add(field)
		}
	}
	if near := directive.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "name one that it has"
}
