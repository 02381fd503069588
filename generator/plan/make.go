package plan

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/source"
)

// Make returns the plans of pkg's output files, sorted by path, and adds what is wrong to problems: all of it, in one
// run. A file of which a wrapper is wrong is left out; a warning leaves out nothing.
func Make(pkg *source.Package, problems *directive.Problems) []*File {
	m := &maker{pkg: pkg, problems: problems, before: slices.Clone(problems.List), reported: make(map[report]bool),
		replayed: make(map[*directive.Directive]bool), configurations: make(map[instance]string)}
	for _, p := range m.before {
		m.reported[report{p.Pos, p.Message}] = true
	}
	for _, in := range pkg.Interfaces {
		w := &wrapper{in: in}
		m.wrappers = append(m.wrappers, w)
		m.guard(w, func() { m.collect(w) })
	}
	m.shareSettings()
	for _, w := range m.wrappers {
		m.guard(w, func() { m.build(w) })
	}
	m.checkReplayable()
	m.checkNames()
	m.checkConflicts()
	return m.files()
}

// A maker makes the plans of one package.
type maker struct {
	pkg      *source.Package
	problems *directive.Problems
	before   []directive.Problem // what was wrong before any plan was made
	// reported holds what was reported: a directive of an interface is looked at once for every method that takes it,
	// and once more in the package with its tests, where an interface of a test embeds its interface.
	reported map[report]bool
	errors   int // how many errors were found, repetitions counted
	wrappers []*wrapper
	shared   map[instance]*sharing
	// configurations holds the configuration of each instance that is built.
	configurations map[instance]string
	current        *wrapper // the one that is built
	// replayed holds the retries whose replayable=true serves a method.
	replayed map[*directive.Directive]bool
}

type report struct {
	pos     token.Pos
	message string
}

// A wrapper is a Wrapper on its way.
type wrapper struct {
	in       *source.Interface
	own      *directive.Directive // the interface's own wrapper directive, which is never inherited; or nil
	plan     *Wrapper
	methods  []*method
	expected []errorItem
	failed   bool
	place    place

	fallbacksUsed bool // a fallback is a method of plan.Fallbacks
}

// A method is a Method on its way.
type method struct {
	in        *source.Method
	plan      *Method
	chain     []placed // the policies, from the outside in
	fallbacks []placed
	ctx       *placed
	ordered   bool // an order directive says the order of chain
	ctxWrong  bool // reported: what needs the context has no fault of its own
}

func (m *method) name() string { return m.in.Func.Name() }

func (m *method) signature() *types.Signature { return m.in.Func.Type().(*types.Signature) }

// protected reports whether the method is more than passed through.
func (m *method) protected() bool { return len(m.chain) > 0 || len(m.fallbacks) > 0 }

// guard runs check and marks w as failed if it found an error.
func (m *maker) guard(w *wrapper, check func()) {
	before := m.errors
	check()
	if m.errors > before {
		w.failed = true
	}
}

// errorf adds an error unless it was added before, and returns it for its fixes.
func (m *maker) errorf(pos, end token.Pos, format string, args ...any) *directive.Problem {
	m.errors++
	r := report{pos, fmt.Sprintf(format, args...)}
	if m.reported[r] {
		return new(directive.Problem)
	}
	m.reported[r] = true
	return m.problems.Errorf(pos, end, "%s", r.message)
}

func (m *maker) warnf(pos, end token.Pos, format string, args ...any) {
	if r := (report{pos, fmt.Sprintf(format, args...)}); !m.reported[r] {
		m.reported[r] = true
		m.problems.Warnf(pos, end, "%s", r.message)
	}
}

// broken reports whether something between pos and end was wrong before any plan was made. What is missing there is not
// reported a second time as something that does nothing.
func (m *maker) broken(pos, end token.Pos) bool {
	return slices.ContainsFunc(m.before, func(p directive.Problem) bool {
		return !p.Warning && pos <= p.Pos && p.Pos <= end
	})
}

// brokenFile is broken for the whole file that pos is in.
func (m *maker) brokenFile(pos token.Pos) bool {
	file := m.pkg.FileOf(pos)
	return file != nil && m.broken(file.Syntax.FileStart, file.Syntax.FileEnd)
}

// text returns the value of an argument that is one name, and "" where there is no such argument.
func text(arg *directive.Arg) string {
	if arg == nil || len(arg.Value.Items) == 0 {
		return ""
	}
	return arg.Value.Items[0].Text
}

func itemEnd(item directive.Item) token.Pos { return item.Pos + token.Pos(len(item.Text)) }

// line returns pos as file:line, the file without its directory, which is the package's.
func (m *maker) line(pos token.Pos) string {
	p := m.pkg.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// build makes the plan of a wrapper whose directives are collected.
func (m *maker) build(w *wrapper) {
	m.current = w
	before := m.errors
	m.placeOutput(w)
	m.nameWrapper(w)
	m.settle(w)
	m.checkWritable(w)
	m.checkUniverse(w)
	w.plan.Foreign = embedsForeign(w.in.Object)
	working := false
	for _, method := range w.methods {
		method.plan = &Method{Func: method.in.Func, Context: Context{Param: -1}, Ordered: method.ordered}
		w.plan.Methods = append(w.plan.Methods, method.plan)
		errors := m.errors
		m.findContext(method)
		method.ctxWrong = m.errors > errors
		if method.in.ReturnsError() {
			m.buildChain(w, method)
			m.buildFallbacks(w, method)
			m.warnOfChain(w, method)
		}
		m.describeResults(w, method)
		working = working || method.protected()
	}
	if w.failed || m.errors > before || m.brokenFile(w.in.Spec.Pos()) {
		return // what follows says that something is of no use, which may come from what is wrong
	}
	m.checkContextReach(w)
	if w.own != nil {
		m.checkUse(w, working)
	}
}

// settle resolves what the wrapper directive says of the wrapper as a whole, beside its names.
func (m *maker) settle(w *wrapper) {
	if w.own == nil {
		return
	}
	if arg := w.own.Arg("fallbacks"); arg != nil {
		w.plan.Fallbacks = m.fallbacksType(w, arg)
	}
	if arg := w.own.Arg("expected"); arg != nil {
		w.expected = m.errorItems(arg)
		w.plan.Expected = setOf(arg, w.expected)
	}
	if arg := w.own.Arg("forward"); arg != nil {
		m.forward(w, arg)
	}
}

// checkUse reports settings of the wrapper directive that nothing uses.
func (m *maker) checkUse(w *wrapper, working bool) {
	name := w.in.Object.Name()
	if !working {
		m.errorf(w.own.Pos, w.own.End, "the wrapper of %s would do nothing; write a policy on the interface or on a method, "+
			"or remove the directive", name)
		return
	}
	if arg := w.own.Arg("fallbacks"); arg != nil && !w.fallbacksUsed {
		m.errorf(arg.Pos, arg.End, "fallbacks=%s does nothing: no fallback of %s is a method of it; name one in a fallback "+
			"list, or remove the argument", arg.Text, name)
	}
	if arg := w.own.Arg("expected"); arg != nil && !slices.ContainsFunc(w.methods, countsErrors) {
		m.errorf(arg.Pos, arg.End, "expected=%s does nothing: no method of %s has a retry, circuitbreaker or timelimiter; "+
			"add one, or remove the argument", arg.Text, name)
	}
}

// countsErrors reports whether a policy of the method asks what an error means.
func countsErrors(method *method) bool {
	return slices.ContainsFunc(method.chain, func(d placed) bool {
		return d.Spec.Name == kindRetry || d.Spec.Name == kindBreaker || d.Spec.Name == kindTimeLimiter
	})
}

// files returns the plans of the files without a failed wrapper.
func (m *maker) files() []*File {
	var files []*File
	byOutput := make(map[string]*File)
	names := make(map[string][]string)
	for _, w := range m.wrappers {
		output := w.output()
		file := byOutput[output]
		if file == nil {
			file = &File{
				Source:     w.in.File.Path,
				Output:     output,
				Package:    m.pkg.Types,
				Target:     w.place.target,
				Constraint: w.in.File.Constraint,
			}
			byOutput[output] = file
			files = append(files, file)
		}
		file.Wrappers = append(file.Wrappers, w.plan)
		home, _ := file.Home()
		names[home] = append(names[home], w.plan.Name, w.plan.Constructor)
	}
	files = slices.DeleteFunc(files, func(f *File) bool {
		return slices.ContainsFunc(m.wrappers, func(w *wrapper) bool { return w.failed && w.output() == f.Output })
	})
	for _, f := range files {
		home, _ := f.Home()
		f.Names = names[home]
	}
	slices.SortFunc(files, func(a, b *File) int { return cmp.Compare(a.Output, b.Output) })
	return files
}
