package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// tools are the commands that are timed, built once, with the versions of this module's go.mod.
type tools struct {
	dir      string
	versions map[string]string
}

// generators in the order in which they are reported.
var modules = []struct{ name, module, command string }{
	{"mockery", "github.com/vektra/mockery/v3", "github.com/vektra/mockery/v3"},
	{"moq", "github.com/matryer/moq", "github.com/matryer/moq"},
	{"mockgen", "go.uber.org/mock", "go.uber.org/mock/mockgen"},
}

func buildTools(root, dir string) (*tools, error) {
	t := &tools{dir: dir, versions: map[string]string{}}
	if _, err := command(root, "go", "build", "-o", t.path("resilgen"), "./cmd/resilgen"); err != nil {
		return nil, err
	}
	for _, m := range modules {
		if _, err := command(".", "go", "build", "-o", t.path(m.name), m.command); err != nil {
			return nil, err
		}
		version, err := command(".", "go", "list", "-m", "-f", "{{.Version}}", m.module)
		if err != nil {
			return nil, err
		}
		t.versions[m.name] = strings.TrimSpace(version)
	}
	return t, nil
}

func (t *tools) path(name string) string { return filepath.Join(t.dir, name) }

func command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said)
	}
	return string(said), nil
}
