package plan_test

import (
	"context"
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

var update = flag.Bool("update", false, "write what was found into the archives of testdata")

// The archives of testdata hold cases: directories with Go files, the problems that are found in them (want), and the
// plan that is made of them (plan). The archive module.txtar is what they import. All of them are one module, loaded
// once; it has the path of this one, so that its stubs have the import paths of the runtime packages.
type suite struct {
	dir      string
	archives map[string]*txtar.Archive
	result   *source.Result
}

var load = sync.OnceValues(func() (*suite, error) {
	dir, err := os.MkdirTemp("", "plan")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // as the go command names it
		return nil, err
	}
	s := &suite{dir: dir, archives: make(map[string]*txtar.Archive)}
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			return nil, err
		}
		base := strings.TrimSuffix(filepath.Base(name), ".txtar")
		root := filepath.Join(dir, base)
		if base == "module" {
			root = dir
		} else {
			s.archives[base] = archive
		}
		for _, file := range archive.Files {
			to := filepath.Join(root, file.Name)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(to, file.Data, 0o644); err != nil {
				return nil, err
			}
		}
	}
	s.result, err = source.Load(context.Background(), source.Config{Dir: dir, Patterns: []string{"./..."}})
	return s, err
})

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if s, err := load(); err == nil {
		os.RemoveAll(s.dir)
	}
	os.Exit(code)
}

func TestCases(t *testing.T) {
	s, err := load()
	require.NoError(t, err)
	for base, archive := range s.archives {
		t.Run(base, func(t *testing.T) {
			for _, name := range cases(archive) {
				t.Run(name, func(t *testing.T) {
					problems, dump := s.check(filepath.Join(s.dir, base, name))
					if *update {
						set(archive, name+"/want", problems)
						set(archive, name+"/plan", dump)
						return
					}
					require.Equal(t, get(archive, name+"/want"), problems)
					require.Equal(t, get(archive, name+"/plan"), dump)
				})
			}
			if *update {
				require.NoError(t, os.WriteFile("testdata/"+base+".txtar", txtar.Format(archive), 0o644))
			}
		})
	}
}

func TestProblemsComeInTheSameOrderEachTime(t *testing.T) {
	s, err := load()
	require.NoError(t, err)
	for _, pkg := range s.result.Packages {
		var first, second directive.Problems
		plan.Make(pkg, &first)
		plan.Make(pkg, &second)
		require.Equal(t, first, second, pkg.Path)
	}
}

func TestEveryFunctionThatAKeyNamesIsChecked(t *testing.T) {
	s, err := load()
	require.NoError(t, err)
	var wrong string
	for _, file := range s.archives["functions"].Files {
		if path.Base(file.Name) == "want" {
			wrong += string(file.Data)
		}
	}
	for _, spec := range directive.Table {
		for _, key := range spec.Keys {
			if key.Type == directive.Function {
				require.Contains(t, wrong, " "+key.Name+"=", "a function that does not fit %s", spec.Name)
			}
		}
	}
}

// cases returns the directories of the archive that have Go files.
func cases(archive *txtar.Archive) []string {
	var names []string
	for _, file := range archive.Files {
		if dir := path.Dir(file.Name); path.Ext(file.Name) == ".go" && !slices.Contains(names, dir) {
			names = append(names, dir)
		}
	}
	return names
}

func get(archive *txtar.Archive, name string) string {
	for _, file := range archive.Files {
		if file.Name == name {
			return string(file.Data)
		}
	}
	return ""
}

// set replaces a file of the archive, or adds it behind the others of its directory.
func set(archive *txtar.Archive, name, data string) {
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if data == "" {
		return
	}
	at := 0
	for i, file := range archive.Files {
		if path.Dir(file.Name) == path.Dir(name) {
			at = i + 1
		}
	}
	archive.Files = slices.Insert(archive.Files, at, txtar.File{Name: name, Data: []byte(data)})
}

// check returns what Make finds wrong in the packages of a directory, and the plan.
func (s *suite) check(dir string) (problems, dump string) {
	list := directive.Problems{List: slices.Clone(s.result.Problems.List)}
	for _, pkg := range s.result.Packages {
		if pkg.Dir == dir {
			for _, file := range plan.Make(pkg, &list) {
				dump += dumpFile(file)
			}
		}
	}
	found := list.List[len(s.result.Problems.List):]
	slices.SortStableFunc(found, func(a, b directive.Problem) int {
		p, q := s.position(a.Pos), s.position(b.Pos)
		if p.Filename != q.Filename {
			return strings.Compare(p.Filename, q.Filename)
		}
		return p.Offset - q.Offset
	})
	for _, problem := range found {
		p := s.position(problem.Pos)
		kind := ""
		if problem.Warning {
			kind = "warning: "
		}
		problems += fmt.Sprintf("%s:%d:%d-%d: %s%s\n", filepath.Base(p.Filename), p.Line, p.Column,
			s.position(problem.End).Column, kind, problem.Message)
	}
	return problems, dump
}

func (s *suite) position(pos token.Pos) token.Position { return s.result.Fset.Position(pos) }

func dumpFile(f *plan.File) string {
	var b strings.Builder
	q := func(p *types.Package) string {
		if p == f.Package {
			return ""
		}
		return p.Name()
	}
	fmt.Fprintf(&b, "file %s -> %s", filepath.Base(f.Source), filepath.Base(f.Output))
	if f.Constraint != "" {
		fmt.Fprintf(&b, " (%s)", f.Constraint)
	}
	b.WriteByte('\n')
	for _, w := range f.Wrappers {
		fmt.Fprintf(&b, "wrapper %s by %s of %s (%s)", w.Name, w.Constructor, w.Interface.Name(), w.Label)
		if w.Fallbacks != nil {
			fmt.Fprintf(&b, " fallbacks %s", types.TypeString(w.Fallbacks, q))
		}
		if w.Expected != nil {
			fmt.Fprintf(&b, " expected %s", dumpSet(w.Expected, q))
		}
		for _, forward := range w.Forwards {
			fmt.Fprintf(&b, " forward %s", types.TypeString(forward.Interface.Type(), q))
			for _, method := range forward.Methods {
				fmt.Fprintf(&b, ".%s", method.Func.Name())
			}
		}
		if w.Foreign {
			b.WriteString(" foreign")
		}
		b.WriteByte('\n')
		for _, m := range w.Methods {
			dumpMethod(&b, m, q)
		}
	}
	return b.String()
}

func dumpMethod(b *strings.Builder, m *plan.Method, q types.Qualifier) {
	fmt.Fprintf(b, "%s context %d", m.Func.Name(), m.Context.Param)
	for _, step := range m.Context.Steps {
		fmt.Fprintf(b, ".%s", step.Name)
		if step.Call {
			b.WriteString("()")
		}
	}
	if m.Context.Rebind {
		b.WriteString(" rebind")
	}
	if m.Unmark {
		b.WriteString(" unmark")
	}
	if m.Read {
		b.WriteString(" read later")
	}
	if m.Same {
		b.WriteString(" returns its own")
	}
	b.WriteByte('\n')
	dumpFallback(b, "\t", m.Fallback, q)
	for _, layer := range m.Chain {
		fmt.Fprintf(b, "\t%s %s", layer.Spec.Name, layer.Name)
		for _, value := range layer.Values {
			fmt.Fprintf(b, " [%s]", dumpNameValue(value, q))
		}
		if layer.Configuration != "" {
			fmt.Fprintf(b, " from %s", layer.Configuration)
		}
		for _, option := range layer.Options {
			fmt.Fprintf(b, " %s(%s)", layer.OptionName(&option), dumpValue(option, q))
		}
		for _, fn := range []struct {
			name string
			*plan.Func
		}{{"result", layer.Result}, {"transition", layer.Transition}, {"consume", layer.Consume}, {"drain", layer.Drain}} {
			if fn.Func != nil {
				fmt.Fprintf(b, " %s %s", fn.name, fn.Object.Name())
			}
		}
		for _, param := range layer.Rearm {
			fmt.Fprintf(b, " rearm %d", param)
		}
		if layer.Once {
			b.WriteString(" once")
		}
		for _, drop := range layer.Drops {
			fmt.Fprintf(b, " drop %s", dumpDrop(drop))
		}
		if layer.Detach {
			b.WriteString(" detach")
		}
		if layer.Keep != nil {
			fmt.Fprintf(b, " keep %s", dumpBody(*layer.Keep))
		}
		if layer.Pool {
			b.WriteString(" pool")
		}
		if layer.Permits != (plan.Count{}) && layer.Permits != (plan.Count{Const: 1}) {
			fmt.Fprintf(b, " permits %s", dumpCount(layer.Permits, q))
		}
		if layer.Mark {
			b.WriteString(" mark")
		}
		b.WriteByte('\n')
		dumpFallback(b, "\t\t", layer.Fallback, q)
	}
}

func dumpFallback(b *strings.Builder, indent string, f *plan.Fallback, q types.Qualifier) {
	if f == nil {
		return
	}
	fmt.Fprintf(b, "%sfallback %s\n", indent, f.Name)
	for _, h := range f.Handlers {
		fmt.Fprintf(b, "%s\t%s", indent, h.Func.Object.Name())
		if h.Func.Method {
			b.WriteString(" (method)")
		}
		fmt.Fprintf(b, " %s", [...]string{"params and error", "error", "params"}[h.Form])
		if h.Param != nil {
			fmt.Fprintf(b, " %s", types.TypeString(h.Param, q))
		}
		fmt.Fprintf(b, ": %s", dumpMatches(h.Matches, q))
		if h.Cancelled {
			b.WriteString(" even when cancelled")
		}
		b.WriteByte('\n')
	}
}

func dumpDrop(d plan.Drop) string {
	if d.Body != nil {
		return dumpBody(*d.Body)
	}
	text := fmt.Sprintf("%d.%s", d.Result, d.Close.Name())
	if d.Nilable {
		text += " unless nil"
	}
	return text
}

func dumpBody(b plan.Body) string {
	text := fmt.Sprint(b.Result)
	if b.Field {
		text += ".Body"
	}
	if b.Pointer {
		text += " unless nil"
	}
	return text
}

func dumpCount(c plan.Count, q types.Qualifier) string {
	if c.Expr == nil {
		return fmt.Sprint(c.Const)
	}
	return dumpExpr(c.Expr, false) + " " + types.TypeString(c.Expr.Type, q)
}

// dumpNameValue writes a value of a name with a ? behind everything that may be nil.
func dumpNameValue(v plan.Value, q types.Qualifier) string {
	text := dumpExpr(v.Expr, true)
	if v.Nilable {
		text += "?"
	}
	if v.Deref {
		text = "*" + text
	}
	return text + " " + types.TypeString(v.Expr.Type, q) + " as " + [...]string{"text", "int", "stringer"}[v.Form]
}

func dumpExpr(e *plan.Expr, nilable bool) string {
	paths := make([]string, len(e.Args))
	for i, arg := range e.Args {
		paths[i] = fmt.Sprint(arg.Param)
		for _, step := range arg.Steps {
			if nilable && step.Nilable {
				paths[i] += "?"
			}
			paths[i] += "." + step.Name
			if step.Call {
				paths[i] += "()"
			}
		}
	}
	text := strings.Join(paths, ", ")
	if e.Func != nil {
		text = e.Func.Name() + "(" + text + ")"
	}
	return text
}

func dumpValue(o plan.Option, q types.Qualifier) string {
	switch o.Key.Type {
	case directive.Text:
		return o.Value.Items[0].Text
	case directive.Int:
		return fmt.Sprint(o.Value.Int)
	case directive.Float, directive.Percent:
		return fmt.Sprint(o.Value.Float)
	case directive.Bool:
		return fmt.Sprint(o.Value.Bool)
	case directive.Duration:
		return o.Value.Duration.String()
	case directive.Enum:
		return o.Value.Choice.Go
	case directive.Function:
		return types.ObjectString(o.Func.Object, q)
	case directive.Errors:
		return dumpSet(o.Errors, q)
	}
	return "?"
}

func dumpSet(set *plan.ErrorSet, q types.Qualifier) string {
	return fmt.Sprintf("%q %s", set.Text, dumpMatches(set.Matches, q))
}

func dumpMatches(matches []plan.Match, q types.Qualifier) string {
	texts := make([]string, len(matches))
	for i, m := range matches {
		switch {
		case m.Any:
			texts[i] = "any"
		case m.Type != nil:
			texts[i] = "as " + types.TypeString(m.Type, q)
		case m.Value != nil:
			texts[i] = "is " + m.Value.Pkg().Name() + "." + m.Value.Name()
		default:
			texts[i] = "if " + m.Predicate.Pkg().Name() + "." + m.Predicate.Name()
		}
	}
	return strings.Join(texts, ", ")
}
