package plan

import (
	"cmp"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/resilgen/resilgen/generator/source"
)

// nameWrapper settles the names of the wrapper: those of its directive, or Resilient<Interface> and New<Name>, with a
// small first letter for what is not exported.
func (m *maker) nameWrapper(w *wrapper) {
	w.plan.Name = source.WrapperName(w.in.Object.Name())
	if w.own != nil {
		if arg := w.own.Arg("name"); arg != nil {
			w.plan.Name = text(arg)
		}
	}
	prefix := "new"
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
	claims := make(map[string]map[string]claim) // by the import path of where they are declared
	for _, w := range m.wrappers {
		m.current = w
		claimed := claims[m.home()]
		if claimed == nil {
			claimed = make(map[string]claim)
			claims[m.home()] = claimed
		}
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
	case m.declaredAt(c.name).IsValid():
		m.errorf(pos, end, "%s is declared at %s already; %s", c.name, m.line(m.declaredAt(c.name)), remedy)
	case taken && before.w == c.w:
		m.errorf(pos, end, "%s is the name of the type already; %s", c.name, remedy)
	case taken:
		m.errorf(pos, end, "%s is declared by the wrapper of %s already; %s", c.name, before.w.in.Object.Name(), remedy)
	default:
		claimed[c.name] = c
	}
}

// declaredAt returns where the package of the wrapper declares a name without us, NoPos where it does not.
func (m *maker) declaredAt(name string) token.Pos {
	if m.elsewhere() {
		t := m.current.place.target
		return cmp.Or(t.Names[name], t.Imports[name])
	}
	if obj := m.declared(name); obj != nil {
		return obj.Pos()
	}
	return token.NoPos
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

// checkOutput reports a file that stands where the output belongs and is not ours, or not of this package.
func (m *maker) checkOutput(w *wrapper) {
	output, sources := w.output(), m.pkg.Sources
	from := w.in.File.Syntax.Name
	pos, end, in := from.Pos(), from.End(), ""
	if t := w.place.target; t != nil {
		sources, in = t.Sources, " in "+t.Path
		pos, end = w.place.pos, w.place.end
		if by := m.pkg.Holder(output); slices.Contains(t.Outputs, output) && by != "" {
			m.errorf(pos, end, "%s%s holds the wrappers of package %s; rename %s, choose another directory, or generate both "+
				"packages in one run if that one writes elsewhere now", filepath.Base(output), in, by,
				filepath.Base(w.in.File.Path))
			return
		}
	}
	if !slices.Contains(sources, output) {
		return
	}
	m.errorf(pos, end, "%s%s exists and was not written by resilgen; rename it, because the wrappers of %s are written there",
		filepath.Base(output), in, filepath.Base(w.in.File.Path))
}
