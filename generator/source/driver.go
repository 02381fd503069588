package source

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// driverRoots lists the packages through the driver that GOPACKAGESDRIVER names, which serves build systems other than
// the go command. A driver cannot be asked in two steps, so this one load brings the export data of all imports.
func (l *loader) driverRoots() ([]*listed, error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedExportFile
	cfg := &packages.Config{Context: l.ctx, Dir: l.dir, Env: l.env, Mode: mode, Tests: true}
	if l.cfg.Tags != "" {
		cfg.BuildFlags = []string{"-tags=" + l.cfg.Tags}
	}
	loaded, err := packages.Load(cfg, l.cfg.Patterns...)
	if err != nil {
		return nil, &ListError{Err: err}
	}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.ID == p.PkgPath || l.exports.listed[p.PkgPath] == nil {
			l.exports.listed[p.PkgPath] = fromDriver(p)
		}
	})
	roots := map[string]*listed{}
	var order []*listed
	for _, p := range loaded {
		if len(p.GoFiles) == 0 || strings.HasSuffix(p.PkgPath, ".test") {
			continue
		}
		path, name, external := p.PkgPath, p.Name, strings.HasSuffix(p.Name, "_test")
		if external {
			path, name = strings.TrimSuffix(path, "_test"), strings.TrimSuffix(name, "_test")
		}
		root := roots[path]
		if root == nil {
			root = fromDriver(p)
			root.ImportPath, root.Name, root.GoFiles = path, name, nil
			roots[path] = root
			order = append(order, root)
		}
		for _, file := range p.GoFiles {
			switch {
			case external:
				addFile(&root.XTestGoFiles, file)
			case strings.HasSuffix(file, "_test.go"):
				addFile(&root.TestGoFiles, file)
			default:
				addFile(&root.GoFiles, file)
			}
		}
	}
	if len(order) == 0 {
		return nil, &PatternError{Pattern: strings.Join(l.cfg.Patterns, " "), Reason: "matches no package"}
	}
	return order, nil
}

// addFile adds a file once: the package and its variant with tests both have it.
func addFile(files *[]string, file string) {
	if !slices.Contains(*files, file) {
		*files = append(*files, file)
	}
}

func fromDriver(p *packages.Package) *listed {
	out := &listed{
		ImportPath: p.PkgPath,
		Name:       p.Name,
		GoFiles:    p.GoFiles,
		Export:     p.ExportFile,
		ImportMap:  map[string]string{},
	}
	if len(p.GoFiles) > 0 {
		out.Dir = filepath.Dir(p.GoFiles[0])
	}
	for path, imported := range p.Imports {
		if imported.PkgPath != path && imported.PkgPath != "" {
			out.ImportMap[path] = imported.PkgPath
		}
	}
	return out
}
