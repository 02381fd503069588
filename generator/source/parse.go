package source

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/resilgen/resilgen/generator/directive"
)

const directivePrefix = "//resil:"

// A parsed file is a Go file of a root package.
type parsed struct {
	path     string
	output   bool // it carries our Header
	suspect  bool // it is broken, and its text has directives that the parser may not have found
	syntax   *ast.File
	broken   *directive.Problem // its first syntax error
	marks    []mark
	problems directive.Problems // in the text of its directives
}

// annotated reports whether the file has comments that are, or were meant to be, directives.
func (f *parsed) annotated() bool { return len(f.marks) > 0 || f.suspect }

// A mark is a comment that is, or was meant to be, a directive.
type mark struct {
	comment   *ast.Comment
	group     *ast.CommentGroup
	directive *directive.Directive // nil where nothing of it can be used
}

// spelled reports whether the comment has the form of a directive. What has not was reported when it was parsed.
func (m mark) spelled() bool { return strings.HasPrefix(m.comment.Text, directivePrefix) }

// word returns the comment up to its first space: the directive as written.
func (m mark) word() string { return strings.Fields(m.comment.Text)[0] }

// A directory is a root package with all its files.
type directory struct {
	*listed
	source  []*parsed // GoFiles and CgoFiles
	test    []*parsed // TestGoFiles
	xtest   []*parsed // XTestGoFiles
	outputs []string  // absolute paths of all files with our Header, whatever build they belong to
	sources []string  // absolute paths of all other Go files
}

func (d *directory) all() []*parsed { return slices.Concat(d.source, d.test, d.xtest) }

func (d *directory) annotated() bool { return annotated(d.all()) }

// read returns the paths of the source files that were read as far as they go. A broken file is none of them: it may
// hold directives that were not found.
func (d *directory) read() []string {
	var paths []string
	for _, f := range d.all() {
		if !f.output && f.broken == nil {
			paths = append(paths, f.path)
		}
	}
	slices.Sort(paths)
	return paths
}

func annotated(files []*parsed) bool {
	return slices.ContainsFunc(files, func(f *parsed) bool { return !f.output && f.annotated() })
}

// scan reads the files of all roots and parses those whose text may hold a directive.
func (l *loader) scan(roots []*listed) ([]*directory, error) {
	var dirs []*directory
	var work []func() error
	for _, p := range roots {
		d := &directory{
			listed: p,
			source: newFiles(p.files()),
			test:   newFiles(p.absolute(p.TestGoFiles)),
			xtest:  newFiles(p.absolute(p.XTestGoFiles)),
		}
		dirs = append(dirs, d)
		for _, files := range [][]*parsed{d.source, d.test, d.xtest} {
			for i, f := range files {
				if scanned := l.ahead.file(f.path); scanned != nil {
					files[i] = scanned
				} else {
					work = append(work, func() error { return l.scanFile(f) })
				}
			}
		}
	}
	if err := parallel(work); err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if err := d.readDir(); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

func newFiles(paths []string) []*parsed {
	files := make([]*parsed, len(paths))
	for i, path := range paths {
		files[i] = &parsed{path: path}
	}
	return files
}

func (l *loader) scanFile(f *parsed) error {
	src, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	f.output = hasHeader(src)
	// Nearly all files end here, and these two spellings are far quicker to look for than the word in all of them.
	if f.output || !bytes.Contains(src, []byte("esil")) && !bytes.Contains(src, []byte("ESIL")) || !mentions(src) {
		return nil
	}
	if err := l.parse(f, src); err != nil {
		return err
	}
	f.suspect = f.broken != nil && bytes.Contains(src, []byte(directivePrefix))
	f.findMarks()
	return nil
}

// findMarks reads the comments of a parsed file.
func (f *parsed) findMarks() {
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			if !mentions([]byte(comment.Text)) {
				continue
			}
			if d, ours := directive.Parse(comment, &f.problems); ours {
				f.marks = append(f.marks, mark{comment: comment, group: group, directive: d})
			}
		}
	}
}

// mentions reports whether the text may hold a directive or something that was meant to be one.
func mentions(src []byte) bool {
	for {
		i := bytes.IndexAny(src, "rR")
		if i < 0 || len(src)-i < len("resil") {
			return false
		}
		if bytes.EqualFold(src[i:i+len("resil")], []byte("resil")) {
			return true
		}
		src = src[i+1:]
	}
}

// hasHeader reports whether the file's first line is our Header, also after a version control system has changed the
// ends of its lines.
func hasHeader(src []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(src, []byte("\ufeff")), []byte("\n"))
	return string(bytes.TrimSuffix(line, []byte("\r"))) == Header
}

// parse parses a file, which it reads if src is nil. The syntax is there even if the file is broken, as far as it goes.
func (l *loader) parse(f *parsed, src []byte) error {
	if src == nil {
		var err error
		if src, err = os.ReadFile(f.path); err != nil {
			return err
		}
	}
	const mode = parser.ParseComments | parser.SkipObjectResolution | parser.AllErrors
	syntax, err := parser.ParseFile(l.fset, f.path, src, mode)
	f.syntax = syntax
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		l.breakAt(f, list[0])
	}
	return nil
}

// breakAt notes the first syntax error of a file.
func (l *loader) breakAt(f *parsed, err *scanner.Error) {
	f.broken = &directive.Problem{Pos: l.offset(f.syntax, err.Pos.Offset), Message: err.Msg}
}

func (l *loader) offset(syntax *ast.File, offset int) token.Pos {
	file := l.fset.File(syntax.FileStart)
	return file.Pos(min(offset, file.Size()))
}

// parseRest parses what a kept package has beside the files that the scan parsed.
func (l *loader) parseRest(d *directory) error {
	var work []func() error
	for _, f := range d.all() {
		if !f.output && f.syntax == nil {
			work = append(work, func() error { return l.parse(f, nil) })
		}
	}
	return parallel(work)
}

// readDir sorts all Go files of the directory, also those of other builds, into our outputs and sources.
func (d *directory) readDir() error {
	known := map[string]*parsed{}
	for _, f := range d.all() {
		known[f.path] = f
	}
	var err error
	d.outputs, d.sources, err = readGoFiles(d.Dir, known)
	return err
}

// readGoFiles returns the absolute paths of the Go files in a directory, our outputs and all others. Those that are known
// are not read again.
func readGoFiles(dir string, known map[string]*parsed) (outputs, sources []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || name[0] == '_' || name[0] == '.' {
			continue
		}
		path := filepath.Join(dir, name)
		f := known[path]
		output := f != nil && f.output
		if f == nil {
			if output, err = isOutput(path); err != nil {
				return nil, nil, err
			}
		}
		if output {
			outputs = append(outputs, path)
		} else {
			sources = append(sources, path)
		}
	}
	return outputs, sources, nil
}

func isOutput(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, len(Header)+8)
	n, _ := f.Read(start)
	return hasHeader(start[:n]), nil
}

// parallel does all work, as much at a time as there are processors, and returns the first error in order.
func parallel(work []func() error) error {
	errs := make([]error, len(work))
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i, do := range work {
		limit <- struct{}{}
		group.Go(func() {
			defer func() { <-limit }()
			errs[i] = do()
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
