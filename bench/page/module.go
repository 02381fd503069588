package page

import (
	"io"
	"runtime/debug"
	"slices"
	"strings"
)

// A Module is a library that was measured.
type Module struct{ Path, Version string }

// Modules returns those of the modules with these paths, major version suffix aside, that are built in, with their
// versions.
func Modules(paths ...string) []Module {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var found []Module
	for _, m := range build.Deps {
		if slices.ContainsFunc(paths, func(path string) bool {
			return m.Path == path || strings.HasPrefix(m.Path, path+"/v")
		}) {
			found = append(found, Module{m.Path, m.Version})
		}
	}
	return found
}

// WriteModules writes a table of modules, if there are any.
func WriteModules(w io.Writer, modules []Module) {
	if len(modules) == 0 {
		return
	}
	t := Table{Header: []string{"module", "version"}, Text: 2}
	for _, m := range modules {
		t.Row(m.Path, m.Version)
	}
	t.Write(w)
}
