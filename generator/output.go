package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
)

// An Output is one generated file as it is and as it should be.
type Output struct {
	Path string // absolute
	Old  []byte // nil where the file does not exist
	New  []byte // nil where the file is a leftover that goes: its source has no directive any more, or is gone
}

// Stale reports whether the file differs from what it should be.
func (o Output) Stale() bool { return !bytes.Equal(o.Old, o.New) || (o.Old == nil) != (o.New == nil) }

// Removed reports whether the file goes.
func (o Output) Removed() bool { return o.New == nil }

// Name returns the path for people, relative to the working directory where that is shorter.
func (o Output) Name() string { return filepath.ToSlash(shortPath(o.Path)) }

// Diff returns the change as a unified diff, empty where there is none.
func (o Output) Diff() string {
	name := o.Name()
	before, after := name, name
	if o.Old == nil {
		before = os.DevNull
	}
	if o.New == nil {
		after = os.DevNull
	}
	return string(diff.Diff(before, o.Old, after, o.New))
}

// Write brings the file to what it should be: nothing is touched when it is already, a new content replaces the old one
// in one step, a leftover is removed.
func (o Output) Write() error {
	switch {
	case !o.Stale():
		return nil
	case o.Removed():
		return os.Remove(o.Path)
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(o.Path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(o.Path), 0o755); err != nil {
		return err
	}
	// In the same directory, since a rename replaces the old file in one step only within a file system; with a name
	// that the go command passes over, should the process die half-way.
	temp, err := os.CreateTemp(filepath.Dir(o.Path), "."+filepath.Base(o.Path)+".*")
	if err != nil {
		return err
	}
	_, writeErr := temp.Write(o.New)
	err = errors.Join(writeErr, temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), o.Path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", o.Path, err), os.Remove(temp.Name()))
	}
	return nil
}

// readOutput reads what there is at path; nothing is no error.
func readOutput(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && content == nil {
		content = []byte{}
	}
	return content, err
}
