package config_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/config"
)

var update = flag.Bool("update", false, "record what the mistakes in testdata are reported as")

// mistaken returns all that is reported of a file, with its name cut off.
func mistaken(t *testing.T, text string) string {
	t.Helper()
	document, err := load(t, text)
	var lines []string
	if err != nil {
		require.Nil(t, document)
		lines = append(lines, err.Error())
	} else {
		for _, p := range document.Unknown {
			lines = append(lines, p.String())
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "resil.yaml:", "") + "\n"
}

// Each file of testdata/mistakes has several: NAME.yaml, and below it NAME.want, which is what is reported.
func TestMistakesAreReportedWhereTheyAre(t *testing.T) {
	paths, err := filepath.Glob("testdata/mistakes/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		reported := &txtar.Archive{Comment: archive.Comment}
		wanted := map[string]string{}
		for _, f := range archive.Files {
			if name, ok := strings.CutSuffix(f.Name, ".want"); ok {
				wanted[name] = string(f.Data)
			}
		}
		for _, f := range archive.Files {
			name, ok := strings.CutSuffix(f.Name, ".yaml")
			if !ok {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txt")+"/"+name, func(t *testing.T) {
				got := mistaken(t, strings.NewReplacer("⇥", "\t").Replace(string(f.Data)))
				require.NotEqual(t, "\n", got, "nothing is reported")
				reported.Files = append(reported.Files, f, txtar.File{Name: name + ".want", Data: []byte(got)})
				if !*update {
					require.Equal(t, wanted[name], got)
				}
			})
		}
		if *update {
			require.NoError(t, os.WriteFile(path, txtar.Format(reported), 0o644))
		}
	}
}

func TestAFileOfAliasesThatWouldBeEnormousIsRefused(t *testing.T) {
	var text strings.Builder
	text.WriteString("x-0: &a0 {maxAttempts: 2}\n")
	text.WriteString("x-1: &a1 {" + repeated("i%d: *a0", 100) + "}\n")
	text.WriteString("x-2: &a2 {retry: {instances: *a1}}\n")
	text.WriteString("resil: {tenants: {" + repeated("t%d: *a2", 2000) + "}}\n")
	_, err := load(t, text.String())
	require.ErrorContains(t, err, "the aliases of the file come to more than")
	require.Less(t, len(err.Error()), 200)
}

// repeated is a format with the numbers below n.
func repeated(format string, n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(format, i))
	}
	return strings.Join(all, ", ")
}

func TestAFileThatIsTooLargeIsRefused(t *testing.T) {
	_, err := load(t, "#"+strings.Repeat(" ", 16<<20))
	require.EqualError(t, err, "resil.yaml: the file has 16777217 bytes; it must have at most 16777216")
}

func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/mistakes/*.txt")
	require.NoError(f, err)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(f, err)
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".yaml") {
				f.Add(file.Data)
			}
		}
	}
	f.Add([]byte(pasted))
	f.Add([]byte("a: &a [*a]\nb: &b {<<: *b, c: *b}\nresil: *b\n"))
	path := filepath.Join(f.TempDir(), "resil.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		document, err := config.Load(path)
		if err != nil {
			require.Nil(t, document)
			require.Contains(t, err.Error(), path)
			return
		}
		require.NotNil(t, document)
		for _, s := range append(document.Configurations, document.Instances...) {
			require.NotEmpty(t, strings.TrimSpace(s.Name))
			require.Positive(t, s.Position.Line)
			for _, setting := range s.Settings {
				require.NotNil(t, setting.Value)
				require.Positive(t, setting.Position.Column)
			}
		}
	})
}
