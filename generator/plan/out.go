package plan

import (
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/generator/source"
)

// place says where the output of a wrapper goes. Its package is another one than the interface's where target is set.
type place struct {
	target   *source.Target
	pos, end token.Pos // of what sent it there
	said     string    // that, as in out=./resilient
	stay     string    // what to do for an output beside its source
}

// placeOutput finds the package that the wrapper belongs to, and reports what keeps it from using the interface.
func (m *maker) placeOutput(w *wrapper) {
	name := w.in.Spec.Name
	p := place{pos: name.Pos(), end: name.End(), said: "-out " + m.pkg.Out}
	p.stay = "write //resil:wrapper out=. on " + name.Name + ", which keeps its wrapper here"
	out := m.pkg.Out
	if w.own != nil {
		if arg := w.own.Arg("out"); arg != nil {
			p.pos, p.end, p.said = arg.Pos, arg.End, "out="+arg.Text
			p.stay = "remove " + p.said
			out = text(arg)
		}
	}
	if out == "" || filepath.Clean(out) == "." {
		return
	}
	var err error
	if p.target, err = m.pkg.Target(out); err != nil {
		if !m.unseen(err) {
			m.errorf(p.pos, p.end, "%s: %v", p.said, err)
		}
		return
	}
	if p.target == nil {
		return
	}
	w.place = p
	fail := func(format string, args ...any) {
		m.errorf(p.pos, p.end, "%s: %s, or %s", p.said, fmt.Sprintf(format, args...), p.stay)
	}
	switch {
	case w.in.File.Test:
		fail("a package can't import what %s declares; move %s into a file that is no test", filepath.Base(w.in.File.Path),
			name.Name)
	case m.pkg.Name == "main":
		fail("no package can import package main; move %s into a package of its own", name.Name)
	case !name.IsExported():
		fail("%s is not exported, so package %s can't use it; export it", name.Name, p.target.Name)
	case !importable(m.pkg.Path, p.target.Path):
		fail("package %s can't import the internal package %s; choose a directory below %s", p.target.Path, m.pkg.Path,
			internalTo(m.pkg.Path))
	default:
		m.checkChain(m.pkg.Path, func(chain string) { fail("%s would be an import cycle; choose another directory", chain) })
	}
}

// checkChain reports that the package of the wrapper can't import another one, because it is imported there.
func (m *maker) checkChain(from string, fail func(chain string)) {
	if chain := m.pkg.ImportChain(from, m.current.place.target); chain != nil {
		fail(chain[len(chain)-1] + " -> " + strings.Join(chain, " -> "))
	}
}

// home returns the import path of the package that the wrapper belongs to.
func (m *maker) home() string {
	if m.current != nil && m.current.place.target != nil {
		return m.current.place.target.Path
	}
	return m.pkg.Path
}

// elsewhere reports whether the wrapper belongs to another package than the interface, where nothing unexported counts.
func (m *maker) elsewhere() bool { return m.current != nil && m.current.place.target != nil }

// output returns the file that the wrapper is written to.
func (w *wrapper) output() string {
	output := source.OutputName(w.in.File.Path)
	if w.place.target != nil {
		output = filepath.Join(w.place.target.Dir, filepath.Base(output))
	}
	return output
}

// Home returns the import path and the name of the package that the file belongs to.
func (f *File) Home() (path, name string) {
	if f.Target != nil {
		return f.Target.Path, f.Target.Name
	}
	return f.Package.Path(), f.Package.Name()
}

// Declared returns the names that the package of the file declares, those of its wrappers among them.
func (f *File) Declared() []string {
	if f.Target == nil {
		return append(f.Package.Scope().Names(), f.Names...)
	}
	return append(slices.Collect(maps.Keys(f.Target.Names)), f.Names...)
}
