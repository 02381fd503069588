package source

import (
	"errors"
	"go/ast"
	"go/types"
	"slices"

	"github.com/resilgen/resilgen/generator/directive"
)

// A unit is what is checked as one package. A directory has up to three: the package, the package together with its
// tests (only where a test file is annotated), and the external test package.
type unit struct {
	dir     *directory
	path    string // import path
	name    string
	files   []*parsed // all that are checked; no outputs of ours
	own     []*parsed // those whose directives are this unit's
	outputs []string
	self    *selfImport // of an external test package: the package under test
}

// A selfImport is what an external test package gets when it imports the package that it tests and that package's own
// test files add to it.
type selfImport struct {
	path  string
	files []*parsed
	types *types.Package
}

// units divides a directory. All outputs are the first unit's; a directory that has nothing but outputs is one unit.
func (l *loader) units(d *directory) ([]*unit, error) {
	files, tests, external := sources(d.source), sources(d.test), sources(d.xtest)
	all := []*unit{
		{dir: d, path: d.ImportPath, name: d.Name, files: files, own: files},
		{dir: d, path: d.ImportPath, name: d.Name, files: slices.Concat(files, tests), own: tests},
		{dir: d, path: d.ImportPath + "_test", name: d.Name + "_test", files: external, own: external},
	}
	if len(d.test) > 0 && annotated(external) {
		files, err := l.exports.readFiles(slices.Concat(d.source, d.test))
		if err != nil {
			return nil, err
		}
		all[2].self = &selfImport{path: d.ImportPath, files: files}
	}
	units := slices.DeleteFunc(slices.Clone(all), func(u *unit) bool { return !annotated(u.own) })
	if len(units) == 0 {
		units = all[:1]
	}
	units[0].outputs = d.outputs
	return units, nil
}

func sources(files []*parsed) []*parsed {
	return slices.DeleteFunc(slices.Clone(files), func(f *parsed) bool { return f.output })
}

// resolve maps an import path through vendoring.
func (u *unit) resolve(importPath string) string {
	if mapped := u.dir.ImportMap[importPath]; mapped != "" {
		return mapped
	}
	return importPath
}

// A checked unit is a unit with its types.
type checked struct {
	*unit
	problems *directive.Problems
	pkg      *types.Package
	info     *types.Info
	errs     []types.Error
	reported map[int]bool                 // the errors that became problems, by index
	specs    map[*types.TypeName]declared // the package's own type declarations
	owned    map[*ast.CommentGroup]bool   // the comments that belong to an interface or a method
	marks    map[*ast.CommentGroup][]mark // of the package's directives
}

type declared struct {
	file *parsed
	spec *ast.TypeSpec
	decl *ast.GenDecl
}

// A method is one that is written in an interface.
type method struct {
	field *ast.Field
	in    *types.TypeName
}

// check type-checks a unit and finds its annotated interfaces.
func (l *loader) check(u *unit, problems *directive.Problems) *Package {
	pkg := &Package{
		Path:    u.path,
		Name:    u.name,
		Dir:     u.dir.Dir,
		Fset:    l.fset,
		Types:   types.NewPackage(u.path, u.name),
		Outputs: u.outputs,
		Sources: u.dir.sources,
		Read:    u.dir.read(),
		Out:     l.cfg.Out,
		Order:   l.cfg.Order,
	}
	pkg.target = func(out string) (*Target, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.target(u.dir.listed, out)
	}
	if !annotated(u.own) {
		return pkg
	}
	c := &checked{
		unit:     u,
		problems: problems,
		info:     &types.Info{Defs: map[*ast.Ident]types.Object{}, Scopes: map[ast.Node]*types.Scope{}},
		reported: map[int]bool{},
		specs:    map[*types.TypeName]declared{},
		owned:    map[*ast.CommentGroup]bool{},
		marks:    map[*ast.CommentGroup][]mark{},
	}
	cfg := l.config(u.dir.listed, importerFunc(func(importPath string) (*types.Package, error) {
		return l.importFor(u, importPath)
	}))
	cfg.Error = func(err error) {
		if te := (types.Error{}); errors.As(err, &te) {
			c.errs = append(c.errs, te)
		}
	}
	c.pkg, _ = cfg.Check(u.path, l.fset, syntaxOf(u.files, u.name), c.info) // its errors went to cfg.Error
	pkg.Types, pkg.scopes = c.pkg, c.info.Scopes
	pkg.named = func(importPath string) (*types.Package, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if u.self != nil && importPath == u.self.path {
			return l.importFor(u, importPath)
		}
		return l.imports.Find(u.resolve(importPath))
	}
	pkg.chain = func(from string, to *Target) []string {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.chain(from, to)
	}
	pkg.holder = func(output string) string { return l.result.holder(output) }
	pkg.paths = func() []string {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.imports.suggestions(c.pkg)
	}
	c.find(pkg)
	for i, err := range c.errs {
		if !c.reported[i] {
			l.cfg.Logf("passed over: %v", err)
		}
	}
	return pkg
}

func (l *loader) importFor(u *unit, importPath string) (*types.Package, error) {
	if u.self == nil || importPath != u.self.path {
		return l.imports.Import(u.resolve(importPath))
	}
	if u.self.types == nil {
		u.self.types = l.exports.checkSource(u.dir.listed, u.self.files)
	}
	return u.self.types, nil
}
