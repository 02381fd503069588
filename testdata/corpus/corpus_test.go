package corpus

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record the sums of what is generated, and the refusals")

// TestCorpus takes one library at a time: some of them are large.
func TestCorpus(t *testing.T) {
	resilgen := filepath.Join(t.TempDir(), "resilgen")
	command(t, "../..", "go", "build", "-o", resilgen, "./cmd/resilgen")
	sources, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	var made strings.Builder
	content, err := os.ReadFile("outputs.sum")
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 0 {
			sums[fields[len(fields)-1]] = line
		}
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_resil.go") {
			continue
		}
		pkg := filepath.Dir(source)
		t.Run(pkg, func(t *testing.T) {
			output := strings.TrimSuffix(source, ".go") + "_resil.go"
			said, err := exec.Command(resilgen, "./"+pkg).CombinedOutput()
			if _, missing := os.Stat(filepath.Join(pkg, "refused.txt")); missing == nil {
				refused(t, filepath.Join(pkg, "refused.txt"), said, err)
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			generated, err := os.ReadFile(output)
			if err != nil {
				t.Fatal(err)
			}
			line := fmt.Sprintf("%x %7d %s\n", sha256.Sum256(generated), bytes.Count(generated, []byte("\n")), output)
			made.WriteString(line)
			if !*update && sums[output] != line {
				t.Errorf("outputs.sum has\n%sand what is generated\n%sRead the difference, then: go test -update",
					sums[output], line)
			}
			if said := command(t, ".", resilgen, "-check", "./"+pkg); len(said) > 0 {
				t.Errorf("a second run says %s", said)
			}
			command(t, ".", "go", "build", "./"+pkg)
			command(t, ".", "go", "vet", "./"+pkg)
		})
	}
	if *update && !t.Failed() {
		if err := os.WriteFile("outputs.sum", []byte(made.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// refused checks that the generator says what it is wanted to say of a package that it can't wrap.
func refused(t *testing.T, path string, said []byte, failure error) {
	if failure == nil {
		t.Fatal("it was not refused")
	}
	if *update {
		if err := os.WriteFile(path, said, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, said) {
		t.Errorf("it says\n%sand should say\n%s", said, want)
	}
}

func command(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said)
	}
	return said
}
