package source

import (
	"maps"
	"slices"
)

// listDeps lists everything that the annotated packages and the packages that their directives name are made of.
func (l *loader) listDeps() {
	if l.deps != nil {
		return
	}
	l.deps = map[string]*listed{}
	if l.driver || l.exports == nil || len(l.annotated) == 0 {
		return
	}
	args := append([]string{"-deps", "-json=Dir,ImportPath,Imports", "--"}, slices.Sorted(maps.Keys(l.annotated))...)
	packages, _, err := l.list(l.ctx, args...)
	if err != nil {
		l.cfg.Logf("cycles of imports are not looked for: %v", err)
		return
	}
	for _, p := range packages {
		l.deps[p.ImportPath] = p
	}
}

// chain returns the shortest way from a package to the target along imports. Directories are compared, since one can have
// several import paths.
func (l *loader) chain(from string, to *Target) []string {
	l.listDeps()
	before := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		p := l.deps[at]
		if at == to.Path || p != nil && p.Dir != "" && at != from && realDir(p.Dir) == to.real {
			var chain []string
			for ; at != ""; at = before[at] {
				chain = append(chain, at)
			}
			slices.Reverse(chain)
			return chain
		}
		if p == nil {
			continue
		}
		for _, imported := range p.Imports {
			if _, seen := before[imported]; !seen {
				before[imported] = at
				queue = append(queue, imported)
			}
		}
	}
	return nil
}
