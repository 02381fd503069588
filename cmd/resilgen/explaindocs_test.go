package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/explain"
)

// fenced returns the first block of a language in a Markdown text.
func fenced(t *testing.T, text, language string) string {
	t.Helper()
	_, after, found := strings.Cut(text, "```"+language+"\n")
	require.True(t, found, "no block of %s", language)
	block, _, _ := strings.Cut(after, "```")
	return block
}

func TestTheExampleOfTheDocsIsWhatTheCommandPrints(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../docs/explain.md")
	require.NoError(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, "resil.yaml")
	require.NoError(t, os.WriteFile(file, []byte(fenced(t, string(docs), "yaml")), 0o600))

	pkg := "../../examples/quickstart/inventory"
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitOK, run(context.Background(), []string{"explain", "-config", file, pkg}, &stdout, &stderr))
	require.Empty(t, stderr.String())
	abs, err := filepath.Abs(pkg)
	require.NoError(t, err)
	// What is printed there is relative to the package's directory.
	printed := strings.NewReplacer(dir+string(filepath.Separator), "", pkg+"/", "", abs+"/", "").Replace(stdout.String())
	require.Equal(t, fenced(t, string(docs), "text"), printed)
}

func TestTheDocsHaveEveryFieldOfTheJSON(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../docs/explain.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(docs), "\n## JSON\n")
	require.True(t, found)
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Slice, reflect.Pointer:
			walk(of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
				require.NotEmpty(t, name, "%s.%s", of, of.Field(i).Name)
				require.Regexp(t, "`([a-z]+\\[\\]\\.)*"+name+"(\\[\\])?`", table)
				walk(of.Field(i).Type)
			}
		}
	}
	walk(reflect.TypeFor[explain.Report]())
}
