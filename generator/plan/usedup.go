package plan

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
)

// repeat settles what a retry does with the method's arguments and results between two attempts, and reports parameters
// that an attempt uses up.
func (m *maker) repeat(layer *Layer, method *method, d placed) {
	replayable := isTrue(d.Arg("replayable"))
	for i := range method.signature().Params().Len() {
		param := method.signature().Params().At(i)
		if isRequest(param.Type()) {
			layer.Rearm = append(layer.Rearm, i)
			m.replayed[d.Directive] = m.replayed[d.Directive] || replayable
			layer.Once = !replayable
			continue
		}
		instead := m.usedUp(param.Type())
		if instead == "" {
			continue
		}
		if replayable {
			m.replayed[d.Directive] = true
			continue
		}
		remedy := "remove the retry"
		if d.level != onMethod {
			remedy = "write skip retry on it"
		}
		m.errorf(d.Pos, d.End, "retry can't repeat %s with the same %s, because an attempt uses that up; take %s in its "+
			"place, set replayable=true if it can be sent again, or %s", method.name(), m.parameter(param, i), instead, remedy)
	}
	for i := range method.signature().Results().Len() - 1 {
		drop, ok := m.drop(method.signature().Results().At(i).Type(), i)
		if ok && (drop.Body != nil || drop.Nilable || layer.Result != nil) { // else it comes beside an error alone, and is zero
			layer.Drops = append(layer.Drops, drop)
		}
	}
}

// parameter returns a parameter with its type, as in "body of type io.Reader".
func (m *maker) parameter(param *types.Var, i int) string {
	name := param.Name()
	if name == "" || name == "_" {
		name = "parameter " + strconv.Itoa(i)
	}
	return fmt.Sprintf("%s of type %s", name, m.typeText(param.Type()))
}

// checkReplayable reports retries whose replayable=true serves no method.
func (m *maker) checkReplayable() {
	for _, w := range m.wrappers {
		m.guard(w, func() {
			for _, method := range w.methods {
				for _, d := range method.chain {
					arg := d.Arg("replayable")
					if d.Spec.Name != kindRetry || !isTrue(arg) || m.replayed[d.Directive] {
						continue
					}
					of := "no method that takes this retry has a parameter that an attempt uses up"
					if d.level == onMethod {
						of = "no parameter of " + method.name() + " is used up by an attempt"
					}
					m.errorf(arg.Pos, arg.End, "replayable=true does nothing: %s; remove it", of)
				}
			}
		})
	}
}

// usedUp says what can be taken in place of a parameter of a type whose values a call uses up; "" where it is none.
func (m *maker) usedUp(t types.Type) (instead string) {
	switch u := t.Underlying().(type) {
	case *types.Chan:
		if u.Dir() != types.SendOnly {
			return "a slice"
		}
	case *types.Slice:
		return m.usedUpElement(u.Elem())
	case *types.Array:
		return m.usedUpElement(u.Elem())
	}
	switch {
	case types.Implements(t, reader):
		return "a []byte or a func() io.Reader"
	case isIterator(t):
		return "a slice or a function that returns the iterator"
	}
	return ""
}

func (m *maker) usedUpElement(t types.Type) string {
	switch {
	case isRequest(t):
		return "one *http.Request"
	case m.usedUp(t) != "":
		return "values that can be read again"
	}
	return ""
}

// reader is io.Reader, which the package may not import.
var reader = func() *types.Interface {
	param := types.NewParam(token.NoPos, nil, "", types.NewSlice(types.Typ[types.Byte]))
	results := types.NewTuple(
		types.NewParam(token.NoPos, nil, "", types.Typ[types.Int]), types.NewParam(token.NoPos, nil, "", errorType),
	)
	read := types.NewSignatureType(nil, nil, nil, types.NewTuple(param), results, false)
	return types.NewInterfaceType([]*types.Func{types.NewFunc(token.NoPos, nil, "Read", read)}, nil).Complete()
}()

// sends returns the parameters of type *http.Request whose bodies the method closes in any case: it returns an
// *http.Response, and so promises what http.RoundTripper and http.Client do.
func sends(sig *types.Signature) (params []int) {
	for result := range sig.Results().Variables() {
		pointer, ok := types.Unalias(result.Type()).(*types.Pointer)
		if !ok || !isNamed(pointer.Elem(), "net/http", "Response") {
			continue
		}
		for i := range sig.Params().Len() {
			if isRequest(sig.Params().At(i).Type()) {
				params = append(params, i)
			}
		}
		return params
	}
	return nil
}

// isRequest reports whether t is *http.Request.
func isRequest(t types.Type) bool {
	pointer, ok := types.Unalias(t).(*types.Pointer)
	return ok && isNamed(pointer.Elem(), "net/http", "Request")
}

// isIterator reports whether t is one of the iterators of package iter.
func isIterator(t types.Type) bool {
	return isNamed(t, "iter", "Seq") || isNamed(t, "iter", "Seq2")
}
