package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/source"
)

// goCommand notes what it is asked and does it, with modules of Go 1.25 made those of a later Go.
func goCommand(command string, args []string) error {
	notes, err := os.OpenFile(os.Getenv(notesVariable), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(notes, strings.Join(args, " "))
	if err := errors.Join(err, notes.Close()); err != nil {
		return err
	}
	out, err := exec.Command(command, args...).Output()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(bytes.ReplaceAll(out, []byte(`"GoVersion": "1.25"`), []byte(`"GoVersion": "1.99"`)))
	return err
}

func TestExportDataOfALaterGoAskForARebuild(t *testing.T) {
	t.Parallel()
	_, err := source.Load(context.Background(), source.Config{Dir: module(t, driven), Env: driverEnv(t, "context")})
	var toolchainError *source.ToolchainError
	require.ErrorAs(t, err, &toolchainError)
	require.Equal(t, "context", toolchainError.Package)
	require.ErrorContains(t, err, "build it with the same toolchain: go tool resilgen does")
	require.ErrorContains(t, toolchainError.Unwrap(), "version 99 is greater than maximum supported")
}

func TestExportDataThatOnlyXToolsCannotReadAskForItsUpdate(t *testing.T) {
	t.Parallel()
	later := errors.New("version 99 is greater than maximum supported")
	for _, test := range []struct{ built, command, remedy string }{
		{"go1.28", "go1.28.1", "golang.org/x/tools@latest"},
		{"go1.28.2", "go1.27.3", "golang.org/x/tools@latest"},
		{"go1.27.3", "go1.28", "build it with the same toolchain"},
		{"go1.27.3", "", "build it with the same toolchain"},
		{"go1.27.3", "devel", "build it with the same toolchain"},
	} {
		err := &source.ToolchainError{Package: "context", Built: test.built, Go: test.command, Err: later}
		require.ErrorContains(t, err, test.remedy)
		require.ErrorContains(t, err, later.Error())
	}
}

func TestALanguageOfALaterGoAsksForARebuild(t *testing.T) {
	laterGo(t)
	_, err := source.Load(context.Background(), source.Config{Dir: module(t, driven)})
	var toolchainError *source.ToolchainError
	require.ErrorAs(t, err, &toolchainError)
	require.Equal(t, "example.com/shop", toolchainError.Package)
	require.ErrorContains(t, err, "its go.mod says go1.99")
}

// laterGo puts a go command of a later Go into the path and returns the file in which it notes what it is asked.
func laterGo(t *testing.T) (notes string) {
	t.Helper()
	command, err := exec.LookPath("go")
	require.NoError(t, err)
	bin := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "go")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	notes = filepath.Join(bin, "notes")
	t.Setenv(goVariable, command)
	t.Setenv(notesVariable, notes)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return notes
}

// asked returns what the go command was asked to do with export data, call by call.
func asked(t *testing.T, notes string) []string {
	t.Helper()
	text, err := os.ReadFile(notes)
	require.NoError(t, err)
	var exports []string
	for line := range strings.Lines(string(text)) {
		_, packages, _ := strings.Cut(strings.TrimSpace(line), " -- ")
		if strings.Contains(line, "-export") {
			packages = "export " + packages
		}
		exports = append(exports, packages)
	}
	return exports
}

func TestOnlyWhatAnnotatedPackagesNeedIsCompiled(t *testing.T) {
	notes := laterGo(t)
	dir := module(t, `
-- go.mod --
module example.com/shop

go 1.24
-- client.go --
package shop

import "context"

//resil:retry retryErrors=database/sql.ErrNoRows
//resil:ratelimiter permits={unicode/utf8.RuneCountInString(sku)}
type Client interface{ A(ctx context.Context, sku string) error }
-- other/other.go --
package other

import "net/http"

var _ http.Handler
`)
	_, err := source.Load(context.Background(), source.Config{Dir: dir, Patterns: []string{"./..."}})
	require.NoError(t, err)
	// Both at the same time.
	require.ElementsMatch(t, []string{"./...", "export context database/sql unicode/utf8"}, asked(t, notes))

	require.NoError(t, os.Remove(notes))
	_, err = source.Load(context.Background(), source.Config{Dir: dir, Patterns: []string{"./other"}})
	require.NoError(t, err)
	require.Equal(t, []string{"./other"}, asked(t, notes))
}
