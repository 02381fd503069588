// Package forward compares the calls that reach an interface through its wrapper with those that are made directly. The
// test of the torture corpus writes, for each wrapper, an implementation that records, and calls with values made here.
package forward

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/resilgen/resilgen/runtime/resil"
)

// A Next records what it is called with and returns what it was given to return. The implementations that the test
// writes embed it under another name.
type Next struct {
	mu      sync.Mutex
	calls   []call
	results []reflect.Value
}

type call struct {
	method string
	args   []reflect.Value
}

// Took records a call. The arguments are pointers to the method's parameters, the results pointers to its results.
func (n *Next) Took(method string, args, results []any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := call{method: method}
	for _, arg := range args {
		c.args = append(c.args, reflect.ValueOf(arg).Elem())
	}
	n.calls = append(n.calls, c)
	for i, result := range results {
		reflect.ValueOf(result).Elem().Set(n.results[i])
	}
}

// A Method is one method of one wrapper.
type Method struct {
	Name     string
	Fallback bool  // a fallback answers when the call fails
	Args     []any // pointers to the values to call with
	Results  []any // pointers to variables of the results' types
	Error    bool  // the last result is an error
	Next     *Next
	Direct   func() []any // calls the implementation and returns pointers to what it returned
	Wrapped  func() []any // calls the wrapper
}

// Check calls the method directly and through the wrapper, once with and once without an error, and fails the test
// where the implementation or the caller could tell the difference.
func (m Method) Check(t *testing.T) {
	t.Helper()
	for i, arg := range m.Args {
		Fill(arg, 10*(i+1))
	}
	m.compare(t, false)
	if m.Error {
		m.compare(t, true)
	}
}

// List returns its arguments.
func List(values ...any) []any { return values }

// Fill makes what pointer points to a value that is not zero and that differs from those of other seeds.
func Fill(pointer any, seed int) { fill(reflect.ValueOf(pointer).Elem(), seed, 0) }

// Names that a package may have for something else.
type (
	Any = any
	Int = int
)

// True is the predeclared true.
const True = true

func (m Method) compare(t *testing.T, failing bool) {
	t.Helper()
	m.Next.results = nil
	for i, result := range m.Results {
		v := reflect.New(reflect.TypeOf(result).Elem()).Elem()
		switch last := i == len(m.Results)-1; {
		case !last || !m.Error:
			fill(v, 1000+10*i, 0)
		case failing:
			v.Set(reflect.ValueOf(errors.New("the call failed")))
		}
		m.Next.results = append(m.Next.results, v)
	}
	m.Next.calls = nil
	wantResults := m.Direct()
	want := m.Next.calls[0]
	m.Next.calls = nil
	haveResults := m.Wrapped()
	have := m.Next.calls
	switch {
	case len(have) == 0:
		t.Errorf("%s: the wrapped value was not called", m.Name)
		return
	case len(have) > 1 && !failing:
		t.Errorf("%s: %d calls in place of 1", m.Name, len(have))
	}
	for _, c := range have {
		if c.method != want.method {
			t.Errorf("%s: %s was called", m.Name, c.method)
			continue
		}
		for i := range want.args {
			if !same(want.args[i], c.args[i]) {
				t.Errorf("%s: argument %d is %v, directly %v", m.Name, i, c.args[i], want.args[i])
			}
		}
	}
	answered := failing && m.Fallback
	for i := range wantResults {
		w, h := reflect.ValueOf(wantResults[i]).Elem(), reflect.ValueOf(haveResults[i]).Elem()
		switch last := i == len(wantResults)-1; {
		case !answered && !same(w, h):
			t.Errorf("%s: result %d is %v, directly %v", m.Name, i, h, w)
		case answered && last && same(w, h):
			t.Errorf("%s: no fallback answered %v", m.Name, h)
		}
	}
}

// Runtime returns a runtime for one wrapper, closed with the test.
func Runtime(t *testing.T) *resil.Runtime {
	t.Helper()
	rt, err := resil.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rt.Close() })
	return rt
}

// stubs makes values of interface types.
var stubs = map[reflect.Type]func(id int) any{}

// Stub tells how to make a value of the interface type T: of a type that embeds it.
func Stub[T any](stub func(id int) T) {
	stubs[reflect.TypeFor[T]()] = func(id int) any { return stub(id) }
}

type mark struct{}

func fill(v reflect.Value, seed, depth int) {
	if depth > 3 {
		return
	}
	t := v.Type()
	switch t {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(int64(seed), 0)))
		return
	case reflect.TypeFor[http.Request]():
		v.Addr().Interface().(*http.Request).URL = &url.URL{Path: strconv.Itoa(seed)}
		return
	case reflect.TypeFor[http.Response]():
		response := v.Addr().Interface().(*http.Response)
		response.StatusCode, response.Body = seed, io.NopCloser(strings.NewReader("body"))
		return
	case reflect.TypeFor[context.Context]():
		v.Set(reflect.ValueOf(context.WithValue(context.Background(), mark{}, seed)))
		return
	case reflect.TypeFor[error]():
		v.Set(reflect.ValueOf(errors.New("error " + strconv.Itoa(seed))))
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(seed%100) + 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(seed%100) + 1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(seed) + 0.5)
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(float64(seed), 1))
	case reflect.String:
		v.SetString("value " + strconv.Itoa(seed))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		fill(v.Elem(), seed+1, depth+1)
	case reflect.UnsafePointer:
		v.SetPointer(unsafe.Pointer(new(int)))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 2, 2))
		fill(v.Index(0), seed+1, depth+1)
		fill(v.Index(1), seed+2, depth+1)
	case reflect.Array:
		for i := range min(v.Len(), 2) {
			fill(v.Index(i), seed+i, depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		key, elem := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		fill(key, seed+1, depth+1)
		fill(elem, seed+2, depth+1)
		v.SetMapIndex(key, elem)
	case reflect.Chan:
		both := reflect.ChanOf(reflect.BothDir, t.Elem())
		v.Set(reflect.MakeChan(both, 1).Convert(t))
	case reflect.Func:
		zeros := make([]reflect.Value, t.NumOut())
		for i := range zeros {
			zeros[i] = reflect.Zero(t.Out(i))
		}
		v.Set(reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value { return zeros }))
	case reflect.Interface:
		switch stub := stubs[t]; {
		case stub != nil:
			v.Set(reflect.ValueOf(stub(seed)))
		case t.NumMethod() == 0:
			v.Set(reflect.ValueOf("any " + strconv.Itoa(seed)))
		}
	case reflect.Struct:
		ours := strings.HasPrefix(t.PkgPath(), "example.com/") || t.PkgPath() == ""
		for i := range t.NumField() {
			field := v.Field(i)
			if !field.CanSet() && ours {
				field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
			}
			if field.CanSet() {
				fill(field, seed+i, depth+1)
			}
		}
	}
}

// same reports whether two values are the same: equal, and where they refer to something, referring to the same. A
// context, and a request, may be another one derived from it.
func same(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Type() {
	case reflect.TypeFor[context.Context]():
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Interface().(context.Context).Value(mark{}) == b.Interface().(context.Context).Value(mark{})
	case reflect.TypeFor[*http.Request]():
		return a.Interface().(*http.Request).URL == b.Interface().(*http.Request).URL
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Map:
		return a.Pointer() == b.Pointer()
	case reflect.Func:
		return closure(a) == closure(b)
	case reflect.Slice:
		return a.Len() == b.Len() && a.Pointer() == b.Pointer()
	case reflect.Array:
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	}
	return a.Equal(b)
}

// closure returns what tells one function value from another.
func closure(f reflect.Value) unsafe.Pointer {
	variable := reflect.New(f.Type())
	if f.CanInterface() {
		variable.Elem().Set(f)
	} else if f.CanAddr() {
		return *(*unsafe.Pointer)(unsafe.Pointer(f.UnsafeAddr()))
	}
	return *(*unsafe.Pointer)(variable.UnsafePointer())
}
