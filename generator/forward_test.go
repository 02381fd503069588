package generator_test

import (
	"bytes"
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/plan"
)

const forwardPath = "github.com/resilgen/resilgen/testdata/torture/forward"

// A forwarder writes Go that calls every method of a package's wrappers, and of what they wrap, for package
// testdata/torture/forward to compare. Its names begin with torture, which no package of the corpus uses.
type forwarder struct {
	dir     string            // of the package that it is written for
	home    string            // import path of that package
	name    string            // of that package
	suffix  string            // of declared names: the package's and its test's wrappers have files of their own
	imports map[string]string // names by path
	stubs   []types.Type      // the interface types of which values are needed
	body    bytes.Buffer      // of the function
	decls   bytes.Buffer
	count   int // wrappers
	methods int
}

func newForwarder(file *plan.File) *forwarder {
	f := &forwarder{dir: filepath.Dir(file.Output), imports: map[string]string{}}
	f.home, f.name = file.Home()
	if strings.HasSuffix(file.Output, "_test.go") {
		f.suffix = "Test"
	}
	return f
}

// inTest reports whether the wrappers can be called only from the package's own directory.
func (f *forwarder) inTest() bool {
	return f.suffix != "" || f.name == "main" || strings.Contains(f.home, "/internal/")
}

// imported returns the name of an imported package.
func (f *forwarder) imported(path string) string {
	if f.imports[path] == "" {
		f.imports[path] = fmt.Sprintf("torture%d", len(f.imports))
	}
	return f.imports[path]
}

func (f *forwarder) typ(t types.Type) string {
	return types.TypeString(f.spelled(t), func(p *types.Package) string {
		if p.Path() == f.home {
			return ""
		}
		return f.imported(p.Path())
	})
}

// spelled returns a type with what unexported aliases of other packages stand for.
func (f *forwarder) spelled(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Alias:
		if pkg := t.Obj().Pkg(); pkg != nil && pkg.Path() != f.home && !t.Obj().Exported() {
			return f.spelled(t.Rhs())
		}
	case *types.Slice:
		return types.NewSlice(f.spelled(t.Elem()))
	}
	return t
}

// wrapper writes the calls of one wrapper.
func (f *forwarder) wrapper(t *testing.T, w *plan.Wrapper) {
	wrapped, arguments := w.Interface.Type(), ""
	var args []types.Type
	if generic, ok := wrapped.(*types.Named); ok && generic.TypeParams().Len() > 0 {
		args = f.typeArgs(generic)
		require.NotNil(t, args, "no type arguments fit %s", generic)
		instance, err := types.Instantiate(nil, generic, args, true)
		require.NoError(t, err)
		wrapped = instance
		var texts []string
		for _, arg := range args {
			texts = append(texts, f.typ(arg))
		}
		arguments = "[" + strings.Join(texts, ", ") + "]"
	}
	f.count++
	next := fmt.Sprintf("tortureNext%s%d", f.suffix, f.count)
	forward, testing := f.imported(forwardPath), f.imported("testing")
	fmt.Fprintf(&f.decls, "type %s struct{ tortureRecord %s.Next }\n\n", next, forward)
	fmt.Fprintf(&f.decls, "func new%s() *%s { return &%s{} }\n\n", next, next, next)
	fmt.Fprintf(&f.body, "tortureT.Run(%q, func(tortureT *%s.T) { %s.Test(tortureT, func(tortureT *%s.T) {\n",
		w.Interface.Name(), testing, f.imported("testing/synctest"), testing)
	fmt.Fprintf(&f.body, "tortureNext := new%s()\n", next)
	given := "tortureNext, "
	if w.Fallbacks != nil {
		fmt.Fprintf(&f.body, "var tortureFallbacks %s\n%s.Fill(&tortureFallbacks, 1)\n",
			f.typ(instantiated(t, w.Fallbacks, args)), forward)
		given += "tortureFallbacks, "
	}
	fmt.Fprintf(&f.body, "tortureWrapper, tortureErr := %s%s(%s%s.Runtime(tortureT))\n",
		w.Constructor, arguments, given, forward)
	fmt.Fprintf(&f.body, "if tortureErr != nil { tortureT.Fatal(tortureErr) }\n")
	for method := range wrapped.Underlying().(*types.Interface).Methods() {
		f.method(method, next, answered(w, method.Name()))
	}
	fmt.Fprintf(&f.body, "})})\n")
}

// instantiated returns a type whose type arguments are the type parameters of an interface with the arguments in place
// of them.
func instantiated(t *testing.T, typ types.Type, args []types.Type) types.Type {
	switch typ := typ.(type) {
	case *types.Pointer:
		return types.NewPointer(instantiated(t, typ.Elem(), args))
	case *types.Named:
		if typ.TypeArgs().Len() > 0 {
			instance, err := types.Instantiate(nil, typ.Origin(), args, true)
			require.NoError(t, err)
			return instance
		}
	}
	return typ
}

// answered reports whether the wrapper has a fallback for every error of the method.
func answered(w *plan.Wrapper, name string) bool {
	i := slices.IndexFunc(w.Methods, func(m *plan.Method) bool { return m.Func.Name() == name })
	method := w.Methods[i]
	return method.Fallback != nil ||
		slices.ContainsFunc(method.Chain, func(l *plan.Layer) bool { return l.Fallback != nil })
}

// method writes the implementation that records, and the calls of one method.
func (f *forwarder) method(method *types.Func, next string, answered bool) {
	f.methods++
	sig := method.Signature()
	var declared, args, argAddresses, resultAddresses, results []string
	forward := f.imported(forwardPath)
	fmt.Fprintf(&f.body, "{\n")
	for i := range sig.Params().Len() {
		name, typ := fmt.Sprintf("tortureA%d", i), sig.Params().At(i).Type()
		f.need(typ, 0)
		fmt.Fprintf(&f.body, "var %s %s\n", name, f.typ(typ))
		declared = append(declared, name+" "+f.typ(typ))
		args = append(args, name)
		argAddresses = append(argAddresses, "&"+name)
	}
	if last := len(declared) - 1; sig.Variadic() {
		elem := sig.Params().At(last).Type().(*types.Slice).Elem()
		declared[last] = args[last] + " ..." + f.typ(elem)
		args[last] += "..."
	}
	var returned, names []string
	failing := false
	for i := range sig.Results().Len() {
		name, typ := fmt.Sprintf("tortureR%d", i), sig.Results().At(i).Type()
		f.need(typ, 0)
		fmt.Fprintf(&f.body, "var %s %s\n", name, f.typ(typ))
		returned = append(returned, name+" "+f.typ(typ))
		names = append(names, name)
		resultAddresses = append(resultAddresses, "&"+name)
		results = append(results, "&"+name)
		failing = i == sig.Results().Len()-1 && types.Identical(typ, types.Universe.Lookup("error").Type())
	}
	list := func(values []string) string { return forward + ".List(" + strings.Join(values, ", ") + ")" }
	fmt.Fprintf(&f.decls, "func (tortureNext *%s) %s(%s) (%s) {\ntortureNext.tortureRecord.Took(%q, %s, %s)\nreturn\n}\n\n",
		next, method.Name(), strings.Join(declared, ", "), strings.Join(returned, ", "),
		method.Name(), list(argAddresses), list(resultAddresses))
	call := func(on string) string {
		text := fmt.Sprintf("%s.%s(%s)\n", on, method.Name(), strings.Join(args, ", "))
		if len(names) > 0 {
			text = strings.Join(names, ", ") + " := " + text
		}
		return fmt.Sprintf("func() []%s.Any {\n%sreturn %s\n}", forward, text, list(results))
	}
	fmt.Fprintf(&f.body, "%s.Method{\nName: %q,\nArgs: %s,\nResults: %s,\nNext: &tortureNext.tortureRecord,\n", forward,
		method.Name(), list(argAddresses), list(resultAddresses))
	if failing {
		fmt.Fprintf(&f.body, "Error: %s.True,\n", forward)
	}
	if answered {
		fmt.Fprintf(&f.body, "Fallback: %s.True,\n", forward)
	}
	fmt.Fprintf(&f.body, "Direct: %s,\nWrapped: %s,\n}.Check(tortureT)\n}\n", call("tortureNext"), call("tortureWrapper"))
}

// need notes the interface types within t, of which the test needs values.
func (f *forwarder) need(t types.Type, depth int) {
	if depth > 4 {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		known := types.Identical(t, types.Universe.Lookup("error").Type()) || t.String() == "context.Context"
		seen := slices.ContainsFunc(f.stubs, func(s types.Type) bool { return types.Identical(s, t) })
		if u.NumMethods() > 0 && !known && !seen && f.canSpell(t) {
			f.stubs = append(f.stubs, t)
		}
	case *types.Struct:
		for field := range u.Fields() {
			f.need(field.Type(), depth+1)
		}
	case *types.Map:
		f.need(u.Key(), depth+1)
		f.need(u.Elem(), depth+1)
	case interface{ Elem() types.Type }:
		f.need(u.Elem(), depth+1)
	}
}

// canSpell reports whether the package can name the type.
func (f *forwarder) canSpell(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() == f.home {
		return true
	}
	path := named.Obj().Pkg().Path()
	return named.Obj().Exported() && !slices.Contains(strings.Split(path, "/"), "internal") &&
		!strings.HasPrefix(path, "vendor/")
}

// typeArgs returns type arguments that satisfy the constraints, of the predeclared types and those of the package.
func (f *forwarder) typeArgs(generic *types.Named) []types.Type {
	candidates := []types.Type{types.Typ[types.Int], types.Typ[types.String], types.NewSlice(types.Typ[types.Int])}
	add := func(scope *types.Scope) {
		for _, name := range scope.Names() {
			object, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || object.IsAlias() || !f.canSpell(object.Type()) {
				continue
			}
			if named, ok := object.Type().(*types.Named); ok && named.TypeParams().Len() == 0 && !types.IsInterface(named) {
				candidates = append(candidates, named, types.NewPointer(named))
			}
		}
	}
	pkg := generic.Obj().Pkg()
	add(pkg.Scope())
	for _, imported := range pkg.Imports() {
		if imported.Path() == "bytes" {
			add(imported.Scope())
		}
	}
	var search func(args []types.Type) []types.Type
	search = func(args []types.Type) []types.Type {
		if len(args) == generic.TypeParams().Len() {
			if _, err := types.Instantiate(nil, generic, args, true); err == nil {
				return args
			}
			return nil
		}
		for _, candidate := range candidates {
			if found := search(append(slices.Clip(args), candidate)); found != nil {
				return found
			}
		}
		return nil
	}
	return search(nil)
}

// write writes the file. The function has the signature of a test.
func (f *forwarder) write(t *testing.T, file, function string) {
	forward, testing := f.imported(forwardPath), f.imported("testing")
	var stubs bytes.Buffer
	for i, stub := range f.stubs {
		embedded, name := fmt.Sprintf("tortureEmbedded%s%d", f.suffix, i), fmt.Sprintf("tortureStub%s%d", f.suffix, i)
		fmt.Fprintf(&f.decls, "type %s = %s\n\ntype %s struct {\n%s\ntortureID %s.Int\n}\n\n",
			embedded, f.typ(stub), name, embedded, forward)
		// These are called by the wrapper itself: a retry closes the results that it drops, and ctx asks for the context.
		for _, method := range []string{"Close", "Context"} {
			object, _, _ := types.LookupFieldOrMethod(stub, false, nil, method)
			if object == nil {
				continue
			}
			if sig := object.Type().(*types.Signature); sig.Params().Len() == 0 && sig.Results().Len() == 1 {
				fmt.Fprintf(&f.decls, "func (*%s) %s() (tortureResult %s) {\n%s.Fill(&tortureResult, 1)\nreturn\n}\n\n",
					name, method, f.typ(sig.Results().At(0).Type()), forward)
			}
		}
		fmt.Fprintf(&stubs, "%s.Stub(func(tortureID %s.Int) %s { return &%s{tortureID: tortureID} })\n",
			forward, forward, embedded, name)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "package %s\n\nimport (\n", f.name)
	for _, path := range slices.Sorted(maps.Keys(f.imports)) {
		fmt.Fprintf(&text, "%s %q\n", f.imports[path], path)
	}
	fmt.Fprintf(&text, ")\n\nfunc %s(tortureT *%s.T) {\n%s%s}\n\n%s", function, testing, &stubs, &f.body, &f.decls)
	formatted, err := format.Source(text.Bytes())
	require.NoError(t, err, "%s", &text)
	require.NoError(t, os.WriteFile(filepath.Join(f.dir, file), formatted, 0o644))
}
