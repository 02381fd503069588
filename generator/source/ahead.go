package source

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ahead is what is looked up while the go command lists the roots: their files, and the export data of what the
// annotated ones import. It is a guess, made from the directories that the patterns name. What it has is used where it
// is asked for; what it lacks is looked up then, so that it decides nothing but how long a load takes.
type ahead struct {
	cancel  context.CancelFunc
	scanned chan struct{} // closed when files and paths are complete
	listed  chan struct{} // closed when exports is
	files   map[string]*parsed
	paths   []string // import paths
	exports map[string]*listed
}

// mostDirectories is how many directories are looked at in advance. Of more, most have no directive, and the go command
// is as long about it.
const mostDirectories = 500

// lookAhead begins. The caller stops it when the load is over.
func (l *loader) lookAhead() *ahead {
	ctx, cancel := context.WithCancel(l.ctx)
	a := &ahead{cancel: cancel, scanned: make(chan struct{}), listed: make(chan struct{})}
	go func() {
		defer close(a.listed)
		a.files, a.paths = l.guess()
		close(a.scanned)
		if len(a.paths) == 0 || ctx.Err() != nil {
			return
		}
		if packages, err := l.listExports(ctx, false, a.paths); err == nil {
			a.exports = map[string]*listed{}
			for _, p := range packages {
				a.exports[p.ImportPath] = p
			}
		}
	}()
	return a
}

func (a *ahead) stop() {
	a.cancel()
	<-a.listed
}

// file returns the file of that path as it was scanned, or nil.
func (a *ahead) file(path string) *parsed {
	if a == nil {
		return nil
	}
	<-a.scanned
	return a.files[path]
}

// export returns the package of that import path, or nil.
func (a *ahead) export(path string) *listed {
	if a == nil {
		return nil
	}
	if <-a.scanned; !slices.Contains(a.paths, path) {
		return nil
	}
	<-a.listed
	return a.exports[path]
}

// guess scans the directories that the patterns name, and returns their files and the import paths that those of the
// annotated packages have. There are none if anything is wrong: the load itself will say so.
func (l *loader) guess() (files map[string]*parsed, paths []string) {
	if l.driver {
		return nil, nil
	}
	files = map[string]*parsed{}
	var work []func() error
	dirs := l.directories()
	perDir := make([][]*parsed, len(dirs))
	for i, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, nil
		}
		for _, entry := range entries {
			if name := entry.Name(); strings.HasSuffix(name, ".go") && name[0] != '_' && name[0] != '.' {
				f := &parsed{path: filepath.Join(dir, name)}
				files[f.path] = f
				perDir[i] = append(perDir[i], f)
				work = append(work, func() error { return l.scanFile(f) })
			}
		}
	}
	if parallel(work) != nil {
		return nil, nil
	}
	for _, in := range perDir {
		paths = append(paths, l.guessImports(in)...)
	}
	slices.Sort(paths)
	return files, slices.Compact(paths)
}

// guessImports returns what the files of an annotated package import and name. Tests are left to the load: which of
// their files belong together is for the go command to say.
func (l *loader) guessImports(files []*parsed) []string {
	isTest := func(f *parsed) bool { return strings.HasSuffix(f.path, "_test.go") }
	if !annotated(files) || annotated(slices.DeleteFunc(slices.Clone(files), func(f *parsed) bool { return !isTest(f) })) {
		return nil
	}
	var paths []string
	for _, f := range files {
		if built, err := l.build.MatchFile(filepath.Split(f.path)); err != nil || !built || isTest(f) || f.output {
			continue
		}
		if f.syntax == nil && l.parse(f, nil) != nil {
			return nil
		}
		paths = slices.Concat(paths, importPaths(f.syntax), namedPaths(f))
	}
	return slices.DeleteFunc(paths, func(p string) bool { return !importable(p) })
}

// directories returns the directories that the patterns name, where all of them are paths.
func (l *loader) directories() []string {
	var dirs []string
	for _, pattern := range l.cfg.Patterns {
		dir, below := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
		local := dir == "." || dir == ".." || strings.HasPrefix(dir, "./") || strings.HasPrefix(dir, "../") ||
			filepath.IsAbs(dir)
		if !local || strings.Contains(dir, "...") {
			return nil
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(l.dir, dir)
		}
		if !below {
			dirs = append(dirs, filepath.Clean(dir))
			continue
		}
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || len(dirs) > mostDirectories:
				return fs.SkipAll
			case !entry.IsDir():
				return nil
			case path != dir && skipped(path):
				return fs.SkipDir
			}
			dirs = append(dirs, path)
			return nil
		})
		if err != nil || len(dirs) > mostDirectories {
			return nil
		}
	}
	return dirs
}

// skipped reports whether the pattern ... does not reach into a directory.
func skipped(dir string) bool {
	name := filepath.Base(dir)
	if name == "testdata" || name == "vendor" || name[0] == '.' || name[0] == '_' {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
