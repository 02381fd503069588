package emit_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/emit"
	"github.com/resilgen/resilgen/generator/plan"
)

// wrapWhole protects every method of an interface with all there is, so that its bodies mention as much as they can.
func wrapWhole(f *fixture, name string, detach bool) *plan.Wrapper {
	w := f.wrapper(name)
	w.Expected = &plan.ErrorSet{Text: "ErrNotFound", Matches: []plan.Match{f.value("ErrNotFound")}}
	for _, m := range w.Methods {
		limited := layer("timelimiter", "store", option("timeoutDuration", directive.Value{Duration: 1}))
		limited.Detach = detach || m.Context.Param < 0
		full := marked(layer("bulkhead", "store"))
		full.Pool = detach
		m.Chain = []*plan.Layer{
			layer("retry", "store"), marked(layer("circuitbreaker", "store")), marked(rate("store", one)), limited, full,
		}
		m.Unmark = true
		if f.pkg.Scope().Lookup("answer"+m.Func.Name()) == nil {
			continue
		}
		typed := f.handler("answer"+m.Func.Name(), f.pointer("Error"), f.typed(f.pointer("Error")))
		cancelled := f.handler("assume"+m.Func.Name(), errorType,
			plan.Match{Value: f.foreign("context", "Canceled")}, f.value("ErrNotFound"))
		cancelled.Cancelled = true
		m.Fallback = &plan.Fallback{Name: "store." + m.Func.Name(), Handlers: []*plan.Handler{typed, cancelled}}
		full.Fallback = &plan.Fallback{Name: "store." + m.Func.Name() + ".bulkhead", Handlers: m.Fallback.Handlers}
	}
	return w
}

func signatureOf(t *testing.T, src, method string) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "out.go", src, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == method {
			return src[fset.Position(f.Type.Params.Pos()).Offset:fset.Position(f.Body.Pos()).Offset]
		}
	}
	t.Fatalf("no method %s", method)
	return ""
}

// declaresTwice reports whether named parameters and named results have a name in common, which no interface has.
func declaresTwice(params, results string) bool {
	for _, result := range strings.Split(strings.Trim(results, "()"), ", ") {
		name, _, _ := strings.Cut(result, " ")
		for _, param := range strings.Split(params, ", ") {
			if before, _, named := strings.Cut(param, " "); named && before == name && name != "_" {
				return true
			}
		}
	}
	return false
}

func TestParametersKeepTheirNamesUnlessTheyHideSomething(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ params, want string }{
		{"ctx context.Context, key string", "(ctx context.Context, key string)"},
		{"err context.Context, ctx string", "(err context.Context, ctx string)"},
		{"w context.Context, call string", "(w context.Context, call string)"},
		{"attempts context.Context, e string", "(attempts context.Context, e string)"},
		{"ok context.Context, answer string", "(ok context.Context, answer string)"},
		{"n context.Context, next string", "(n context.Context, next string)"},
		{"r context.Context, results string", "(r context.Context, results string)"},
		{"limiter context.Context, result string", "(limiter context.Context, result string)"},
		{"failure context.Context, found string", "(failure context.Context, found string)"},
		{"errors context.Context, time string", "(errors context.Context, time string)"},
		{"resil context.Context, breaker string", "(resil context.Context, breaker string)"},
		{"fallback context.Context, Wrapper string", "(fallback context.Context, Wrapper string)"},
		{"len context.Context, any string", "(len context.Context, any string)"},
		{"ctx context.Context, policy string", "(ctx context.Context, policyArg string)"},
		{"ctx context.Context, policy string, policyArg string", "(ctx context.Context, policyArg2, policyArg string)"},
		{"context context.Context, key string", "(ctx context.Context, key string)"},
		{"nil context.Context, ErrNotFound string", "(ctx context.Context, ErrNotFoundArg string)"},
		{"ctx context.Context, answerGet string", "(ctx context.Context, answerGetArg string)"},
		{"ctx context.Context, Error string", "(ctx context.Context, ErrorArg string)"},
		{"context.Context, string", "(ctx context.Context, p1 string)"},
		{"_ context.Context, _ string", "(ctx context.Context, p1 string)"},
		{"_ context.Context, ctx string", "(p0 context.Context, ctx string)"},
		{"context.Context, error", "(ctx context.Context, err error)"},
		{"a context.Context, b string, c ...string", "(a context.Context, b string, c ...string)"},
		{"_ context.Context, p1 string, _ ...string", "(ctx context.Context, p1 string, p2 ...string)"},
	} {
		for _, results := range []string{
			"error", "(int, error)", "(n int, err error)", "(w int, call bool, ctx error)", "(context, nil string, _ error)",
			"(first, second error, third error)",
		} {
			if declaresTwice(test.params, results) {
				continue
			}
			name := test.params + " " + results
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				fallbackParams := strings.Split(test.params, ", ")
				for i, p := range fallbackParams {
					p = p[strings.LastIndex(p, " ")+1:]
					fallbackParams[i] = strings.Replace(p, "...", "[]", 1)
				}
				list := strings.Join(fallbackParams, ", ")
				src := fmt.Sprintf(`package store

import "context"

var ErrNotFound error

type Error struct{}

func (*Error) Error() string { return "" }

type Store interface { Get(%[1]s) %[2]s }

func answerGet(%[3]s, *Error) %[2]s { panic(0) }

func assumeGet(%[3]s, error) %[2]s { panic(0) }
`, test.params, results, list)
				for _, detach := range []bool{false, true} {
					f := load(t, "example.com/store", src)
					got, err := emit.File(f.file(wrapWhole(f, "Store", detach)))
					require.NoError(t, err)
					check(t, f.path, src, string(got))
					if !detach { // a detached call mentions more
						require.Contains(t, signatureOf(t, string(got), "Get"), test.want)
					}
				}
			})
		}
	}
}

const members = `package store

import "context"

var ErrNotFound error

// What the output declares or imports stands in the package already.
func retry()      {}
func policyless() {}

type breaker struct{}

var w, err, resil int

type Store interface {
	URL(ctx context.Context) error
	HTTPGet(ctx context.Context) error
	IDs(ctx context.Context) error
	S3Get(ctx context.Context) error
	Type(ctx context.Context) error
	Stock(ctx context.Context) error
	stock(ctx context.Context) error
	stockRetry(ctx context.Context) error
	Next(ctx context.Context) error
	next(ctx context.Context) error
	expected(ctx context.Context) error
	fallbacks(ctx context.Context) error
	ServeHTTP(w int, err string)
	Écrire(ctx context.Context) error
}
`

func TestMembersOfTheWrapperShareOneScope(t *testing.T) {
	t.Parallel()
	f := load(t, "example.com/store", members)
	w := wrapWhole(f, "Store", false)
	for _, m := range w.Methods {
		m.Chain = m.Chain[:2]
	}
	serve := method(w, "ServeHTTP")
	serve.Chain, serve.Unmark = nil, false
	golden(t, "members", f, f.file(w))
}

const shapes = `package shapes

import (
	"context"
	crand "crypto/rand"
	html "html/template"
	"io"
	"iter"
	"math/rand/v2"
	"net/url"
	text "text/template"
	"unsafe"
)

var _ = crand.Reader

type Pair[A, B any] struct{ A A; B B }

type Ints = Pair[int, int]

type Of[T any] = Pair[T, T]

type List interface{ Next() List }

type Getter[T any] interface{ Got(ctx context.Context, key string) (T, error) }

type Shapes interface {
	io.ReadCloser
	Getter[map[string]*html.Template]
	error

	Channels(a chan int, b <-chan int, c chan<- int, d chan (<-chan int), e <-chan (<-chan int), f chan<- chan int)
	Anonymous(s struct { A, b int; io.Reader; C string ` + "`json:\"c,omitempty\"`" + ` }, i interface{ M(x int, y ...string) (n int, err error); io.Closer }) struct{}
	Functions(visit func(path string, url *url.URL, more ...int) (bool, error), plain func(int, string)) func() func()
	Unsafe(p unsafe.Pointer, a [4]*[2][]byte, m map[string][]map[rune]byte)
	Templates(*html.Template, text.FuncMap, *rand.Rand) (_ *text.Template, err error)
	Aliases(a Ints, b Of[string], c any, d interface{}, e error) (Of[Ints], *Pair[Ints, Of[any]])
	Sequence(ctx context.Context) (iter.Seq2[string, error], error)
	Itself(l List, s Shapes) (List, Shapes)
	Shadows(url *url.URL, rand *rand.Rand) (context.Context, error)
	Variadic(prefix string, values ...any) int
}
`

func TestTypesOfEveryShape(t *testing.T) {
	t.Parallel()
	f := load(t, "example.com/shapes", shapes)
	w := f.wrapper("Shapes")
	for _, m := range w.Methods {
		results := m.Func.Signature().Results()
		if results.Len() > 1 && results.At(results.Len()-1).Type() == errorType {
			m.Chain = []*plan.Layer{layer("circuitbreaker", "shapes")}
		}
	}
	golden(t, "shapes", f, f.file(w))
}
