package plan

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"

	"github.com/resilgen/resilgen/generator/directive"
)

// CheckTogether reports what the plans of several packages would write to one place: one file twice, or one name twice
// in one package.
func CheckTogether(files []*File, problems *directive.Problems) {
	type name struct{ home, name string }
	outputs, names := map[string]*File{}, map[name]*File{}
	for _, f := range files {
		home, _ := f.Home()
		report := func(at types.Object, format string, args ...any) {
			problems.Errorf(at.Pos(), at.Pos()+token.Pos(len(at.Name())), "%s, or choose another directory",
				fmt.Sprintf(format, args...))
		}
		if before := outputs[f.Output]; before != nil {
			report(f.Wrappers[0].Interface, "%s in %s is written for %s of package %s too; rename one of the files",
				filepath.Base(f.Output), home, filepath.Base(before.Source), before.Package.Path())
			continue
		}
		outputs[f.Output] = f
		for _, w := range f.Wrappers {
			for _, c := range []struct{ key, name string }{{"name", w.Name}, {"constructor", w.Constructor}} {
				before := names[name{home, c.name}]
				names[name{home, c.name}] = f
				if before != nil && before.Package.Path() != f.Package.Path() {
					report(w.Interface, "%s is declared in %s for package %s too; set another name with //resil:wrapper %s=",
						c.name, home, before.Package.Path(), c.key)
				}
			}
		}
	}
}
