package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/resilgen/resilgen/runtime/resil"
)

// A FileOption changes how [File] reads its file.
type FileOption func(*source)

// defaultInterval is how often a watched file is looked at.
const defaultInterval = 500 * time.Millisecond

// Watch makes settings follow the file while the runtime lives. It is looked at every 500 ms.
func Watch() FileOption { return WatchEvery(defaultInterval) }

// WatchEvery is [Watch] with another interval, which must be positive.
func WatchEvery(interval time.Duration) FileOption {
	return func(s *source) { s.watch, s.interval = true, interval }
}

// File gives a runtime the settings that stand in a YAML or JSON file of at most 16 MiB, and those of the environment.
// Without [Watch] the file is read when New or Apply is called, and not again. A file that can't be read, or that has a
// mistake, is an error of New and Apply that names every mistake with its line and column.
func File(path string, opts ...FileOption) resil.Option {
	s := &source{name: path, open: func() ([]byte, error) { return os.ReadFile(path) }, path: path}
	for _, opt := range opts {
		if opt != nil {
			opt(s)
		}
	}
	return resil.WithSource(s)
}

// FS is [File] for a file of a file system, such as an embed.FS. It is not watched.
func FS(files fs.FS, path string) resil.Option {
	return resil.WithSource(&source{name: path, open: func() ([]byte, error) {
		if files == nil {
			return nil, errors.New("the file system is nil")
		}
		return fs.ReadFile(files, path)
	}})
}

// Parse is [File] for a text. Messages name it "configuration".
func Parse(text []byte) resil.Option {
	text = slices.Clone(text)
	return resil.WithSource(&source{name: "configuration", open: func() ([]byte, error) { return text, nil }})
}

// Environment gives a runtime the settings of the environment alone, for programs without a file. [File], [FS] and
// [Parse] have them too.
func Environment() resil.Option {
	return resil.WithSource(&source{name: "environment", open: func() ([]byte, error) { return nil, nil }})
}

// Load returns what a file says, without the environment and without a runtime, for tools. The error joins all
// mistakes, each a resil.Problem. Keys that are not known are none but stand in the document.
func Load(path string) (*resil.Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return read(path, data)
}

// unreadable says that a file can't be read.
func unreadable(path string, err error) error {
	var located *fs.PathError
	if errors.As(err, &located) {
		err = located.Err
	}
	return fmt.Errorf("%s: the file can't be read: %w", path, err)
}
