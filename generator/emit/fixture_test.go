package emit_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/plan"
)

// imported holds all that sources and outputs import, loaded once.
var imported = sync.OnceValues(func() (map[string]*types.Package, error) {
	const runtime = "github.com/resilgen/resilgen/runtime/"
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports},
		"context", "crypto/rand", "database/sql", "errors", "html/template", "io", "iter", "math/rand/v2", "net/http",
		"net/url", "text/template", "time",
		runtime+"breaker", runtime+"bulkhead", runtime+"fallback", runtime+"limiter", runtime+"policy", runtime+"resil",
		runtime+"retry", runtime+"timelimiter",
	)
	if err != nil {
		return nil, err
	}
	all := map[string]*types.Package{"unsafe": types.Unsafe}
	for _, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			return nil, pkg.Errors[0]
		}
		all[pkg.PkgPath] = pkg.Types
	}
	return all, nil
})

type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if pkg := i[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("imported does not load %s", path)
}

// A fixture is a package from which plans are built, as package plan would build them from its comments.
type fixture struct {
	t    *testing.T
	path string
	src  string
	pkg  *types.Package
}

// check type-checks files as one package.
func check(t *testing.T, path string, files ...string) *types.Package {
	t.Helper()
	all, err := imported()
	require.NoError(t, err)
	fset := token.NewFileSet()
	var parsed []*ast.File
	for i, file := range files {
		f, err := parser.ParseFile(fset, fmt.Sprintf("file%d.go", i), file, parser.SkipObjectResolution)
		require.NoError(t, err, file)
		parsed = append(parsed, f)
	}
	config := types.Config{Importer: importer(all), GoVersion: "go1.26"}
	pkg, err := config.Check(path, fset, parsed, nil)
	require.NoError(t, err, files[len(files)-1])
	return pkg
}

func load(t *testing.T, path, src string) *fixture {
	return &fixture{t: t, path: path, src: src, pkg: check(t, path, src)}
}

func (f *fixture) object(name string) types.Object {
	object := f.pkg.Scope().Lookup(name)
	require.NotNil(f.t, object, name)
	return object
}

func (f *fixture) typ(name string) types.Type       { return f.object(name).Type() }
func (f *fixture) pointer(name string) types.Type   { return types.NewPointer(f.typ(name)) }
func (f *fixture) function(name string) *types.Func { return f.object(name).(*types.Func) }
func (f *fixture) call(name string) *plan.Func      { return &plan.Func{Object: f.function(name)} }
func (f *fixture) predicate(name string) plan.Match { return plan.Match{Predicate: f.function(name)} }
func (f *fixture) value(name string) plan.Match     { return plan.Match{Value: f.object(name)} }
func (f *fixture) typed(t types.Type) plan.Match    { return plan.Match{Type: t} }
func (f *fixture) onField(t, m string) *types.Func  { return methodOf(f.pkg, f.pointer(t), m) }
func (f *fixture) foreign(path, name string) types.Object {
	all, err := imported()
	require.NoError(f.t, err)
	object := all[path].Scope().Lookup(name)
	require.NotNil(f.t, object, name)
	return object
}

func methodOf(pkg *types.Package, t types.Type, name string) *types.Func {
	object, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	return object.(*types.Func)
}

var errorType = types.Universe.Lookup("error").Type()

// wrapper plans a wrapper whose methods are passed through.
func (f *fixture) wrapper(name string) *plan.Wrapper {
	w := &plan.Wrapper{
		Interface: f.object(name).(*types.TypeName), Label: f.pkg.Name() + "." + name,
		Name: "Resilient" + name, Constructor: "NewResilient" + name,
	}
	for method := range f.typ(name).Underlying().(*types.Interface).Methods() {
		w.Methods = append(w.Methods, planned(method))
	}
	slices.SortStableFunc(w.Methods, func(a, b *plan.Method) int { return cmp.Compare(a.Func.Pos(), b.Func.Pos()) })
	return w
}

// planned plans a method without layers, with the context that is a parameter.
func planned(method *types.Func) *plan.Method {
	m := &plan.Method{Func: method, Context: plan.Context{Param: -1}}
	for i := range method.Signature().Params().Len() {
		if method.Signature().Params().At(i).Type().String() == "context.Context" {
			m.Context.Param = i
			break
		}
	}
	return m
}

// method returns the plan of one method.
func method(w *plan.Wrapper, name string) *plan.Method {
	i := slices.IndexFunc(w.Methods, func(m *plan.Method) bool { return m.Func.Name() == name })
	return w.Methods[i]
}

// protect gives a method its chain.
func protect(w *plan.Wrapper, name string, chain ...*plan.Layer) *plan.Method {
	m := method(w, name)
	m.Chain = chain
	return m
}

func layer(kind, name string, options ...plan.Option) *plan.Layer {
	spec := directive.Lookup(kind)
	for i := range options {
		options[i].Key = spec.Key(options[i].Key.Name)
	}
	return &plan.Layer{Spec: spec, Name: name, Options: options}
}

// marked returns the layer as one inside of another one that counts.
func marked(l *plan.Layer) *plan.Layer {
	l.Mark = true
	return l
}

// option returns an option of a key that layer looks up.
func option(key string, value directive.Value) plan.Option {
	return plan.Option{Key: &directive.Key{Name: key}, Value: value}
}

func ruleOption(key, text string, matches ...plan.Match) plan.Option {
	return plan.Option{Key: &directive.Key{Name: key}, Errors: &plan.ErrorSet{Text: text, Matches: matches}}
}

func functionOption(key string, function *plan.Func) plan.Option {
	return plan.Option{Key: &directive.Key{Name: key}, Func: function}
}

// handler plans a fallback function that takes parameters and an error of type param.
func (f *fixture) handler(name string, param types.Type, matches ...plan.Match) *plan.Handler {
	return &plan.Handler{Func: plan.Func{Object: f.function(name)}, Param: param, Matches: matches}
}

// file plans the output of one source file.
func (f *fixture) file(wrappers ...*plan.Wrapper) *plan.File {
	return &plan.File{Source: "/src/client.go", Output: "/src/client_resil.go", Package: f.pkg, Wrappers: wrappers}
}
