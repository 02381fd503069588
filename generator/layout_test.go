package generator_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator"
)

// TestLayouts generates in trees of several modules, testdata/layouts, vets what was made and runs their tests.
func TestLayouts(t *testing.T) {
	t.Parallel()
	repo, err := filepath.Abs("..")
	require.NoError(t, err)
	paths, err := filepath.Glob("../testdata/layouts/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			c := &corpus{dir: root}
			var outputs string
			for _, file := range archive.Files {
				if file.Name == "outputs.txt" {
					outputs = string(file.Data)
					continue
				}
				c.write(t, file.Name, strings.ReplaceAll(string(file.Data), "$RESILGEN", repo))
			}
			c.dir = filepath.Join(root, "app")
			switch name {
			case "symlink":
				if err := os.Symlink("real", c.dir); err != nil {
					t.Skip("no symbolic links here: ", err)
				}
			case "vendor":
				c.run(t, "go", "mod", "vendor")
			}
			result, err := generator.Generate(t.Context(), generator.Config{Dir: c.dir, Patterns: []string{"./..."}})
			require.NoError(t, err)
			require.Empty(t, result.Diagnostics)
			for _, output := range result.Outputs {
				require.NoError(t, output.Write())
			}
			require.Equal(t, outputs, made(t, root))
			command := func(args ...string) { c.runWith(t, append(os.Environ(), "GOFLAGS=-trimpath"), "go", args...) }
			command("vet", "./...")
			if name == "workspace" {
				command("test", "./...")
			}
		})
	}
}

// made lists the outputs in a tree.
func made(t *testing.T, root string) string {
	var list strings.Builder
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(root, path); strings.HasSuffix(path, "_resil.go") {
			list.WriteString(filepath.ToSlash(rel) + "\n")
		}
		return err
	}))
	return list.String()
}
