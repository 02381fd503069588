package emit

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/dave/jennifer/jen"
)

// imports holds the packages that a file imports, and by which names.
type imports struct {
	self     string // import path of the package that the file belongs to: it is not imported
	mu       sync.Mutex
	packages map[string]string // the packages' own names, by path; guarded by mu
	names    map[string]string // by path; complete once they are settled
	all      []string          // all names
	renamed  bool              // one is not the package's own
}

func newImports(self string) *imports {
	return &imports{self: self, packages: map[string]string{}, names: map[string]string{}}
}

// name returns the name by which the package is known in the file. It is preliminary before settle.
func (i *imports) name(path, own string) string {
	if name := i.names[path]; name != "" {
		return name
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.packages[path] = own
	return own
}

// settle gives each package its name in the file, in the order of their paths: its own, or, where that is taken, one
// with the path's element before it, as in mathrand. Names of s are taken.
func (i *imports) settle(s *scope) {
	for _, path := range i.paths() {
		own := i.packages[path]
		i.names[path] = s.name(own, parent(path, own)+own)
		i.all = append(i.all, i.names[path])
		i.renamed = i.renamed || i.names[path] != own
	}
}

func (i *imports) paths() []string { return slices.Sorted(maps.Keys(i.packages)) }

// parent returns the path's last element that says something beside the package's name, as part of an identifier.
func parent(path, own string) string {
	elements := strings.Split(path, "/")
	if len(elements) == 1 && isStandard(path) {
		return "std"
	}
	for i := len(elements) - 2; i >= 0; i-- {
		element := identifier(elements[i])
		if i == 0 { // example.com
			element = identifier(strings.Split(elements[i], ".")[0])
		}
		if element != "" && element != own && !isVersion(elements[i]) {
			return element
		}
	}
	return "other"
}

// identifier returns the element without what can't stand at the start of an identifier or in it.
func identifier(element string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, element)
	return strings.TrimLeftFunc(letters, unicode.IsDigit)
}

// isVersion reports whether a path element is a major version, as in v2.
func isVersion(element string) bool {
	digits, ok := strings.CutPrefix(element, "v")
	_, err := strconv.Atoi(digits)
	return ok && err == nil
}

// declaration returns the import declaration: the standard library's packages, then all others, each sorted by path.
func (i *imports) declaration() jen.Code {
	var standard, others []jen.Code
	for _, importPath := range i.paths() {
		spec := jen.Lit(importPath)
		if name := i.names[importPath]; name != path.Base(importPath) {
			spec = jen.Id(name).Lit(importPath)
		}
		if isStandard(importPath) {
			standard = append(standard, spec)
		} else {
			others = append(others, spec)
		}
	}
	if len(standard) > 0 && len(others) > 0 {
		standard = append(standard, jen.Line())
	}
	specs := append(standard, others...)
	if len(specs) == 1 {
		return jen.Id("import").Add(specs[0])
	}
	return jen.Id("import").Defs(specs...)
}

// isStandard tells packages of the standard library from others as goimports does: there is no dot in the first element.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
