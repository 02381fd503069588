package source_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/resilgen/resilgen/generator/source"
)

// module writes a module of the files given in the form of a txtar archive.
func module(t *testing.T, text string) string {
	t.Helper()
	return write(t, txtar.Parse([]byte(text)))
}

const client = `
-- inventory/client.go --
package inventory

//resil:retry
type Client interface{ A() error }
-- inventory/only_windows.go --
package inventory
-- windows/client_windows.go --
package windows
-- empty/README --
nothing
`

func TestPatternsThatAreNoPackagesAreRefused(t *testing.T) {
	t.Parallel()
	dir := module(t, client)
	for _, test := range []struct{ pattern, reason string }{
		{"./inventory/client.go", "is a file; give its package: ./inventory"},
		{"inventory/client.go", "is a file; give its package: ./inventory"},
		{"missing.go", "is a file; give its package: ."},
		{"../x/y.go", "is a file; give its package: ../x"},
		{filepath.Join(dir, "inventory", "client.go"), "is a file; give its package: " + dir + "/inventory"},
		{"./missing", "stat " + dir + "/missing: directory not found"},
		{"./empty", "no Go files in " + dir + "/empty"},
		{"./empty/...", "matches no package"},
		{"./missing/...", "pattern ./missing/...: lstat ./missing/: no such file or directory"},
		{"./windows", "build constraints exclude all Go files in " + dir + "/windows; -tags may include them"},
		{
			"example.com/missing",
			"no required module provides package example.com/missing; to add it: go get example.com/missing",
		},
	} {
		t.Run(test.pattern, func(t *testing.T) {
			t.Parallel()
			_, err := source.Load(context.Background(), source.Config{
				Dir:      dir,
				Patterns: []string{"./inventory", test.pattern},
				Env:      append(os.Environ(), "GOOS=linux"),
			})
			var patternError *source.PatternError
			require.ErrorAs(t, err, &patternError)
			require.Equal(t, test.pattern, patternError.Pattern)
			require.Equal(t, test.reason, patternError.Reason)
			require.EqualError(t, err, test.pattern+": "+test.reason)
		})
	}
}

func TestAPathWithoutItsDotIsPointedOut(t *testing.T) {
	t.Parallel()
	_, err := source.Load(context.Background(), source.Config{Dir: module(t, client), Patterns: []string{"inventory"}})
	require.ErrorContains(t, err, "package inventory is not in std")
	require.ErrorContains(t, err, "; did you mean ./inventory?")
}

func TestThePatternIsTheDirectoryUnlessSaid(t *testing.T) {
	t.Parallel()
	dir := module(t, client)
	result, err := source.Load(context.Background(), source.Config{Dir: filepath.Join(dir, "inventory")})
	require.NoError(t, err)
	require.Len(t, result.Packages, 1)
	pkg := result.Packages[0]
	require.Equal(t, "example.com/shop/inventory", pkg.Path)
	require.Equal(t, filepath.Join(dir, "inventory"), pkg.Dir)
	require.Same(t, result.Fset, pkg.Fset)
	file := filepath.Join(dir, "inventory", "client.go")
	require.Equal(t, file, pkg.Files[0].Path)
	require.Equal(t, file, result.Fset.Position(pkg.Interfaces[0].Spec.Pos()).Filename)
	require.Same(t, pkg.Files[0], pkg.FileOf(pkg.Interfaces[0].Spec.Pos()))
	require.Nil(t, pkg.FileOf(0))
}

func TestPatternsMayBeWrittenInManyWays(t *testing.T) {
	t.Parallel()
	dir := module(t, client)
	for _, pattern := range []string{
		"./inventory", "./inventory/", "./inventory/../inventory", "./...", "./inv...", "example.com/shop/inventory",
		"example.com/shop/...", filepath.Join(dir, "inventory"),
	} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			result, err := source.Load(context.Background(), source.Config{Dir: dir, Patterns: []string{pattern}})
			require.NoError(t, err)
			require.Len(t, result.Packages, 1)
			require.Equal(t, "example.com/shop/inventory", result.Packages[0].Path)
		})
	}
}

func TestWithoutAModuleTheGoCommandIsQuoted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := source.Load(context.Background(), source.Config{Dir: dir, Env: append(os.Environ(), "GO111MODULE=on")})
	require.ErrorContains(t, err, "go.mod file not found")
}

func TestAFlawInGoModIsQuoted(t *testing.T) {
	t.Parallel()
	dir := module(t, "-- go.mod --\nmodule example.com/shop\n\nnonsense\n-- a.go --\npackage a\n")
	_, err := source.Load(context.Background(), source.Config{Dir: dir})
	var listError *source.ListError
	require.ErrorAs(t, err, &listError)
	require.ErrorContains(t, err, "unknown directive: nonsense")
	require.Error(t, listError.Unwrap())
}

func TestCancellingEndsTheLoad(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := source.Load(ctx, source.Config{Dir: module(t, client)})
	require.ErrorIs(t, err, context.Canceled)
}

func TestErrorsThatAreToleratedAreLogged(t *testing.T) {
	t.Parallel()
	dir := module(t, `
-- client.go --
package shop

//resil:retry
type Client interface{ A() error }

var _ = NewResilientClient

func broken() { return undefined }
`)
	var log strings.Builder
	var mu sync.Mutex
	result, err := source.Load(context.Background(), source.Config{Dir: dir, Logf: func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&log, format+"\n", args...)
	}})
	require.NoError(t, err)
	require.Empty(t, result.Problems.List)
	require.Equal(t, "packages read: 1, with annotations or outputs: 1\n"+
		"passed over: "+dir+"/client.go:6:9: undefined: NewResilientClient\n", log.String())
}

func TestLineEndsOfWindowsAndByteOrderMarksChangeNothing(t *testing.T) {
	t.Parallel()
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	dir := module(t, "-- client.go --\n"+crlf(`package shop

// Client is documented.
//
//resil:retry name=client maxAttempts=2
type Client interface {
	A() error //resil:timelimiter name=a
}

//resil:retry name=torn

func f() {}
`)+"-- client_resil.go --\n"+crlf(source.Header+"\n\npackage shop\n\ntype Client struct{}\n")+
		"-- old_resil.go --\n\ufeff"+source.Header+"\n\npackage shop\n")
	result, err := source.Load(context.Background(), source.Config{Dir: dir})
	require.NoError(t, err)
	d := &description{dir: dir, fset: result.Fset}
	for _, problem := range result.Problems.List {
		d.printf("%s: %s\n", d.at(problem.Pos), problem.Message)
	}
	d.pkg(result.Packages[0])
	require.Equal(t, `client.go:10:1: //resil:retry stands alone; put it directly above an interface or one of its methods
package example.com/shop shop
	output client_resil.go
	output old_resil.go
	file client.go
	interface Client [retry=client]
		A() error [timelimiter=a]
`, d.String())
}

func TestPathsKeepASymbolicLink(t *testing.T) {
	t.Parallel()
	dir := module(t, client)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	result, err := source.Load(context.Background(), source.Config{Dir: link, Patterns: []string{"./inventory"}})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(link, "inventory", "client.go"), result.Packages[0].Files[0].Path)
	require.Equal(t, result.Packages[0].Read, []string{result.Packages[0].Files[0].Path})
}

func TestNothingAnnotatedIsNothingFound(t *testing.T) {
	t.Parallel()
	dir := module(t, "-- a.go --\npackage a\n\n// The word resilgen is no directive.\nvar A = \"//resil:retry\"\n")
	result, err := source.Load(context.Background(), source.Config{Dir: dir})
	require.NoError(t, err)
	require.Empty(t, result.Packages)
	require.Empty(t, result.Problems.List)
}
