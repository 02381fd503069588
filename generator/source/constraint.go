package source

import (
	"go/ast"
	"go/build/constraint"
	"path/filepath"
	"strings"
)

// constraintOf returns the build constraint of a file as one expression: its //go:build line together with the system
// and architecture in its name, which the output's name no longer tells, and cgo for a file that uses it.
func constraintOf(path string, syntax *ast.File) string {
	var expr constraint.Expr
	if e := writtenConstraint(syntax); e != nil {
		expr = e
	}
	goos, goarch := nameConstraint(filepath.Base(path))
	for _, tag := range []string{goos, goarch, cgoTag(syntax)} {
		if tag == "" {
			continue
		}
		if e := constraint.Expr(&constraint.TagExpr{Tag: tag}); expr == nil {
			expr = e
		} else {
			expr = &constraint.AndExpr{X: expr, Y: e}
		}
	}
	if expr == nil {
		return ""
	}
	return expr.String()
}

// writtenConstraint returns the file's //go:build line, or, where it has none, the old // +build lines taken together.
func writtenConstraint(syntax *ast.File) constraint.Expr {
	var old constraint.Expr
	for _, group := range syntax.Comments {
		if group.Pos() >= syntax.Package {
			break
		}
		for _, comment := range group.List {
			text := strings.TrimSpace(comment.Text)
			plus := constraint.IsPlusBuild(text) && group != syntax.Doc
			if !plus && !constraint.IsGoBuild(text) {
				continue
			}
			expr, err := constraint.Parse(text)
			switch {
			case err != nil:
			case !plus:
				return expr
			case old == nil:
				old = expr
			default:
				old = &constraint.AndExpr{X: old, Y: expr}
			}
		}
	}
	return old
}

// nameConstraint returns the GOOS and GOARCH that a file's name demands, by the go command's rule: name_GOOS,
// name_GOARCH or name_GOOS_GOARCH, all before the first dot and an ending _test. A name that starts with the system is
// no constraint, and unix never is one.
func nameConstraint(base string) (goos, goarch string) {
	name, _, _ := strings.Cut(base, ".")
	i := strings.Index(name, "_")
	if i < 0 {
		return "", ""
	}
	parts := strings.Split(name[i+1:], "_")
	if parts[len(parts)-1] == "test" {
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 0 {
		return "", ""
	}
	last := parts[len(parts)-1]
	switch {
	case knownOS[last]:
		return last, ""
	case !knownArch[last]:
		return "", ""
	case len(parts) > 1 && knownOS[parts[len(parts)-2]]:
		return parts[len(parts)-2], last
	default:
		return "", last
	}
}

func cgoTag(syntax *ast.File) string {
	for _, spec := range syntax.Imports {
		if spec.Path.Value == `"C"` {
			return "cgo"
		}
	}
	return ""
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, word := range strings.Fields(words) {
		m[word] = true
	}
	return m
}

// The systems and architectures that the go command recognises in file names, past and future ones included.
var (
	knownOS = set("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris " +
		"wasip1 windows zos")
	knownArch = set("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 " +
		"mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")
)
