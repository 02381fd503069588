package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A listed package is what the go command says about a package.
type listed struct {
	Dir          string
	ImportPath   string
	Name         string
	Match        []string // the patterns that it matched
	Module       *module
	GoFiles      []string // in Dir
	CgoFiles     []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string // of the files without tests; only where it was asked for
	ImportMap    map[string]string
	Export       string // path of the export data; empty where the package does not compile
	Error        *listedError
}

type module struct {
	Path      string
	Dir       string
	Main      bool // it is one that is worked on, not one that is required
	GoVersion string
}

type listedError struct{ Err string }

// files returns the absolute paths of the package's files, the tests' not among them.
func (p *listed) files() []string { return p.absolute(p.GoFiles, p.CgoFiles) }

func (p *listed) absolute(lists ...[]string) []string {
	var paths []string
	for _, name := range slices.Concat(lists...) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		paths = append(paths, name)
	}
	return paths
}

func (p *listed) goVersion() string {
	if p.Module == nil || p.Module.GoVersion == "" {
		return ""
	}
	return "go" + p.Module.GoVersion
}

// rootFields are the fields that the first step reads. Export is none of them: it would compile the packages.
const rootFields = "Dir,ImportPath,Name,Match,Module,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,ImportMap,Error"

// roots lists the packages that match the patterns.
func (l *loader) roots() ([]*listed, error) {
	for _, pattern := range l.cfg.Patterns {
		if err := l.refuseFile(pattern); err != nil {
			return nil, err
		}
	}
	if l.driver {
		return l.driverRoots()
	}
	args := append([]string{"-json=" + rootFields, "--"}, l.cfg.Patterns...)
	packages, stderr, err := l.list(l.ctx, append([]string{"-find"}, args...)...)
	if err == nil && slices.ContainsFunc(packages, outsideModules) {
		packages, stderr, err = l.list(l.ctx, args...)
	}
	if err != nil {
		return nil, err
	}
	matched := map[string]bool{}
	var roots []*listed
	for _, p := range packages {
		for _, pattern := range p.Match {
			matched[cleanPattern(pattern)] = true
		}
		if len(p.GoFiles)+len(p.CgoFiles)+len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			roots = append(roots, p)
			continue
		}
		if p.Error != nil {
			return nil, l.noPackage(p)
		}
	}
	for _, pattern := range l.cfg.Patterns {
		if !matched[cleanPattern(pattern)] {
			return nil, &PatternError{Pattern: pattern, Reason: "matches no package" + afterColon(stderr)}
		}
	}
	return roots, nil
}

// outsideModules reports whether the imports of a package may mean others than they say, because they are vendored in
// the standard library or in a GOPATH. The go command finds that out unless -find keeps it from looking at imports.
func outsideModules(p *listed) bool { return p.Module == nil && len(p.files()) > 0 }

// cleanPattern makes a pattern comparable with how the go command repeats it: ./x/ is ./x there.
func cleanPattern(pattern string) string { return path.Clean(filepath.ToSlash(pattern)) }

func afterColon(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.Contains(text, "matched no packages") {
		return ""
	}
	return ": " + text
}

// refuseFile refuses a pattern that is a Go file: the go command would make a package of it alone.
func (l *loader) refuseFile(pattern string) error {
	if !strings.HasSuffix(pattern, ".go") {
		return nil
	}
	file := pattern
	if !filepath.IsAbs(file) {
		file = filepath.Join(l.dir, file)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil
	}
	dir := filepath.ToSlash(filepath.Dir(pattern))
	if !filepath.IsAbs(pattern) && dir != "." && !strings.HasPrefix(dir, "../") && dir != ".." {
		dir = "./" + dir
	}
	return &PatternError{Pattern: pattern, Reason: "is a file; give its package: " + dir}
}

func (l *loader) noPackage(p *listed) error {
	pattern := p.ImportPath
	if len(p.Match) > 0 {
		pattern = p.Match[0]
	}
	reason := strings.Join(strings.Fields(p.Error.Err), " ")
	if strings.Contains(reason, "build constraints exclude all Go files") {
		reason += "; -tags may include them"
	}
	first, _, _ := strings.Cut(pattern, "/")
	if info, err := os.Stat(filepath.Join(l.dir, filepath.FromSlash(strings.TrimSuffix(pattern, "/...")))); err == nil &&
		info.IsDir() && first != "." && first != ".." && !filepath.IsAbs(pattern) {
		reason += "; did you mean ./" + pattern + "?"
	}
	return &PatternError{Pattern: pattern, Reason: reason}
}

// setEnv prepares the environment of the go command.
func (l *loader) setEnv() {
	l.env = l.cfg.Env
	if l.env == nil {
		l.env = os.Environ()
	}
	// PWD keeps the user's path through a symbolic link.
	l.env = append(slices.Clip(l.env), "PWD="+l.dir)
	goarch := runtime.GOARCH
	l.build = build.Default
	l.build.BuildTags = strings.FieldsFunc(l.cfg.Tags, func(r rune) bool { return r == ',' || r == ' ' })
	for _, entry := range l.env {
		switch key, value, _ := strings.Cut(entry, "="); {
		case key == "GOPACKAGESDRIVER":
			l.driver = value != "" && value != "off"
		case key == "GOARCH" && value != "":
			goarch = value
		case key == "GOOS" && value != "":
			l.build.GOOS = value
		}
	}
	l.build.GOARCH = goarch
	l.sizes = types.SizesFor("gc", goarch)
}

// list runs go list -e and returns the packages that it prints, and what it says beside them.
func (l *loader) list(ctx context.Context, args ...string) (packages []*listed, said string, err error) {
	flags := []string{"list", "-e"}
	if l.cfg.Tags != "" {
		flags = append(flags, "-tags="+l.cfg.Tags)
	}
	args = append(flags, args...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = l.dir
	cmd.Env = l.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return nil, "", ctxErr
		}
		return nil, "", &ListError{Stderr: stderr.String(), Err: err}
	}
	for decoder := json.NewDecoder(&stdout); ; {
		p := &listed{}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			return packages, stderr.String(), nil
		} else if err != nil {
			return nil, "", &ListError{Err: fmt.Errorf("reading its output: %w", err)}
		}
		packages = append(packages, p)
	}
}
