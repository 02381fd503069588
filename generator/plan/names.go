package plan

import (
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// outputOf returns the file that the wrappers of a source file are written to.
func outputOf(path string) string {
	if stem, ok := strings.CutSuffix(path, "_test.go"); ok {
		return stem + "_resil_test.go"
	}
	return strings.TrimSuffix(path, ".go") + "_resil.go"
}

// nameWrapper settles the names of the wrapper: those of its directive, or Resilient<Interface> and New<Name>, with a
// small first letter for what is not exported.
func (m *maker) nameWrapper(w *wrapper) {
	name := w.in.Object.Name()
	prefix := "resilient"
	if token.IsExported(name) {
		prefix = "Resilient"
	}
	w.plan.Name = prefix + upperFirst(name)
	if w.own != nil {
		if arg := w.own.Arg("name"); arg != nil {
			w.plan.Name = text(arg)
		}
	}
	prefix = "new"
	if token.IsExported(w.plan.Name) {
		prefix = "New"
	}
	w.plan.Constructor = prefix + upperFirst(w.plan.Name)
	if w.own != nil {
		if arg := w.own.Arg("constructor"); arg != nil {
			w.plan.Constructor = text(arg)
		}
	}
}

func upperFirst(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}

// A claim is a name that a wrapper declares.
type claim struct {
	name, key string // key of the wrapper directive that sets it
	w         *wrapper
}

// checkNames reports names that the package's outputs could not declare, and outputs that have no place.
func (m *maker) checkNames() {
	claimed := make(map[string]claim)
	for _, w := range m.wrappers {
		m.guard(w, func() {
			m.checkOutput(w)
			for _, c := range []claim{{w.plan.Name, "name", w}, {w.plan.Constructor, "constructor", w}} {
				m.checkName(c, claimed)
			}
		})
	}
}

func (m *maker) checkName(c claim, claimed map[string]claim) {
	pos, end := c.w.in.Spec.Name.Pos(), c.w.in.Spec.Name.End()
	remedy := "set another one with //resil:wrapper " + c.key + "="
	if c.w.own != nil {
		if arg := c.w.own.Arg(c.key); arg != nil {
			pos, end, remedy = arg.Pos, arg.End, "choose another one"
		}
	}
	before, taken := claimed[c.name]
	switch {
	case types.Universe.Lookup(c.name) != nil || c.name == "init" || c.name == "main":
		m.errorf(pos, end, "%s has a meaning in Go already; %s", c.name, remedy)
	case m.declared(c.name) != nil:
		m.errorf(pos, end, "%s is declared at %s already; %s", c.name, m.line(m.declared(c.name).Pos()), remedy)
	case taken && before.w == c.w:
		m.errorf(pos, end, "%s is the name of the type already; %s", c.name, remedy)
	case taken:
		m.errorf(pos, end, "%s is declared by the wrapper of %s already; %s", c.name, before.w.in.Object.Name(), remedy)
	default:
		claimed[c.name] = c
	}
}

// declared returns what the package, or an import in one of its files, declares under name.
func (m *maker) declared(name string) types.Object {
	scope := m.pkg.Types.Scope()
	if obj := scope.Lookup(name); obj != nil {
		return obj
	}
	for i := range scope.NumChildren() {
		if obj := scope.Child(i).Lookup(name); obj != nil {
			return obj
		}
	}
	return nil
}

// checkOutput reports a file that stands where the output belongs and is not ours.
func (m *maker) checkOutput(w *wrapper) {
	output := outputOf(w.in.File.Path)
	if !slices.Contains(m.pkg.Sources, output) {
		return
	}
	pos := w.in.File.Syntax.Name
	m.errorf(pos.Pos(), pos.End(), "%s exists and was not written by resilgen; rename it, because the wrappers of %s are "+
		"written there", filepath.Base(output), filepath.Base(w.in.File.Path))
}
