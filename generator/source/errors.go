package source

import (
	"errors"
	"fmt"
	"go/version"
	"strings"
)

// A PatternError reports a pattern that stands for no package.
type PatternError struct {
	Pattern string
	Reason  string // what is wrong; what would be right
}

func (e *PatternError) Error() string { return e.Pattern + ": " + e.Reason }

// A ListError reports that the go command, or the driver in its place, could not list packages at all.
type ListError struct {
	Stderr string // what the go command said
	Err    error
}

func (e *ListError) Error() string {
	if text := strings.TrimSpace(e.Stderr); text != "" {
		return "packages can't be listed: " + text
	}
	return "packages can't be listed: " + e.Err.Error()
}

// Unwrap returns the error of running it.
func (e *ListError) Unwrap() error { return e.Err }

// A ToolchainError reports that the go command that is used is newer than the one that built this program, so that
// this program understands neither its export data nor perhaps its language.
type ToolchainError struct {
	Package string // the first package that could not be read
	Built   string // the version of Go that built this program
	Go      string // the version of the go command; empty where it is not known
	Err     error
}

func (e *ToolchainError) Error() string {
	if version.IsValid(e.Go) && version.Compare(version.Lang(e.Go), version.Lang(e.Built)) <= 0 {
		return fmt.Sprintf("package %s comes from %s, whose export data the golang.org/x/tools in this program does not read yet "+
			"(%v); go get golang.org/x/tools@latest, and build it again: go tool resilgen does", e.Package, e.Go, e.Err)
	}
	return fmt.Sprintf("package %s comes from a newer Go than the %s that built this program (%v); build it with the same "+
		"toolchain: go tool resilgen does", e.Package, e.Built, e.Err)
}

// Unwrap returns the error of reading the package.
func (e *ToolchainError) Unwrap() error { return e.Err }

// ErrUnseen says that a directive names a package that was not given to [FromFiles], so that nothing is known of the name.
var ErrUnseen = errors.New("the package is not among the imports")

// A NameError reports that a name in a directive stands for nothing.
type NameError struct {
	Name    string // as in the directive
	Nearest string // what may be meant in its place; empty where nothing is near
	Reason  string // what is wrong; what would be right
}

func (e *NameError) Error() string { return e.Reason }
