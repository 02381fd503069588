package source

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// exports holds the packages that the roots import. Each is read when it is first asked for: from export data, or, where
// the compiler could make none because the package itself waits for an output of ours, from its source without bodies.
// It is not safe for concurrent use.
type exports struct {
	*loader
	listed map[string]*listed
	read   map[string]*types.Package // by path; shared by everything that is read from export data
	source map[string]*sourcePackage
	std    []string // the standard library, listed when a path is found nowhere
}

type sourcePackage struct {
	types *types.Package // nil while it is being checked
}

func newExports(l *loader) *exports {
	return &exports{
		loader: l,
		listed: map[string]*listed{},
		read:   map[string]*types.Package{},
		source: map[string]*sourcePackage{},
	}
}

// listImports lists, with export data, what the units import and what their directives name beside that.
func (l *loader) listImports(units []*unit) error {
	wanted := map[string]bool{}
	l.annotated = map[string]bool{}
	for _, u := range units {
		if !annotated(u.own) {
			continue
		}
		if u.path == u.dir.ImportPath {
			l.annotated[u.path] = true
		}
		files := u.files
		if u.self != nil {
			files = slices.Concat(files, u.self.files)
		}
		for _, f := range files {
			for _, p := range importPaths(f.syntax) {
				if u.self == nil || p != u.self.path {
					wanted[u.resolve(p)] = true
				}
			}
			for _, p := range namedPaths(f) {
				wanted[p] = true
				if importable(p) {
					l.annotated[p] = true
				}
			}
		}
	}
	return l.exports.prepare(slices.Sorted(maps.Keys(wanted)))
}

// prepare lists, with export data, the paths that are not listed yet. What lies below a package without export data is
// listed too, since it may have to be read from source as well.
func (e *exports) prepare(paths []string) error {
	paths = slices.DeleteFunc(paths, func(p string) bool { return e.listed[p] != nil || !importable(p) })
	if len(paths) == 0 || e.driver {
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		found := e.ahead.export(p)
		if found != nil {
			e.listed[p] = found
		}
		return found != nil
	})
	if len(missing) > 0 {
		if err := e.add(false, missing); err != nil {
			return err
		}
	}
	var broken []string
	for _, p := range paths {
		if e.listed[p] != nil && e.listed[p].Export == "" && len(e.listed[p].files()) > 0 {
			broken = append(broken, p)
		}
	}
	if len(broken) == 0 {
		return nil
	}
	e.cfg.Logf("no export data, reading the source: %s", strings.Join(broken, " "))
	return e.add(true, broken)
}

func (e *exports) add(deps bool, paths []string) error {
	packages, err := e.listExports(e.ctx, deps, paths)
	if err != nil {
		return err
	}
	for _, p := range packages {
		e.listed[p.ImportPath] = p
	}
	return nil
}

// listExports lists packages, and what they are made of if deps is set, with their export data.
func (l *loader) listExports(ctx context.Context, deps bool, paths []string) ([]*listed, error) {
	const fields = "Dir,ImportPath,Name,Module,GoFiles,CgoFiles,ImportMap,Export,Error"
	args := append([]string{"-export", "-deps=" + strconv.FormatBool(deps), "-json=" + fields, "--"}, paths...)
	packages, _, err := l.list(ctx, args...)
	return packages, err
}

// Find returns a package that a directive may name though nothing imports it.
func (e *exports) Find(importPath string) (*types.Package, error) {
	if err := e.prepare([]string{importPath}); err != nil {
		return nil, err
	}
	return e.Import(importPath)
}

// Import returns the package of that path, after vendoring, with the wrappers that are planned for it.
func (e *exports) Import(importPath string) (*types.Package, error) {
	pkg, err := e.existing(importPath)
	return e.withStandIns(importPath, pkg, err)
}

// existing returns the package as it is.
func (e *exports) existing(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := e.read[importPath]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	p := e.listed[importPath]
	switch {
	case p == nil:
		return nil, fmt.Errorf("no package %s", importPath)
	case p.Export != "":
		return e.readExport(p)
	case len(p.files()) > 0:
		return e.readSource(p)
	case p.Error != nil:
		return nil, errors.New(strings.Join(strings.Fields(p.Error.Err), " "))
	default:
		return nil, fmt.Errorf("no Go files in package %s", importPath)
	}
}

func (e *exports) readExport(p *listed) (*types.Package, error) {
	file, err := os.Open(p.Export)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	//lint:ignore SA1019 go/packages reads the same files with it; there is no other way before Go 1.29.
	reader, err := gcexportdata.NewReader(bufio.NewReader(file))
	if err != nil {
		return nil, e.checkVersion(p, err)
	}
	pkg, err := gcexportdata.Read(reader, e.fset, e.read, p.ImportPath)
	if err != nil {
		return nil, e.checkVersion(p, err)
	}
	return pkg, nil
}

// checkVersion notes an error of reading export data that means a newer toolchain. Package gcexportdata has no type for
// it.
func (e *exports) checkVersion(p *listed, err error) error {
	text := err.Error()
	if e.tooNew == nil && (strings.Contains(text, "maximum supported version") ||
		strings.Contains(text, "newer version") || strings.Contains(text, "unexpected export data")) {
		e.tooNew = &ToolchainError{Package: p.ImportPath, Built: runtime.Version(), Go: e.goCommandVersion(), Err: err}
	}
	return err
}

// goCommandVersion returns the version of the go command, empty where it does not tell.
func (l *loader) goCommandVersion() string {
	if l.driver {
		return ""
	}
	cmd := exec.CommandContext(l.ctx, "go", "env", "GOVERSION")
	cmd.Dir, cmd.Env = l.dir, l.env
	out, _ := cmd.Output()
	return strings.TrimSpace(string(out))
}
