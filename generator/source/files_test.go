package source_test

import (
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/source"
)

// fromFiles gives files, by name, as one package.
func fromFiles(t *testing.T, path string, files ...string) *source.Result {
	fset := token.NewFileSet()
	p := source.Parsed{
		Path: path, Fset: fset, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Import: func(importPath string) (*types.Package, error) {
			if importPath != "context" {
				return nil, source.ErrUnseen
			}
			return importer.ForCompiler(fset, "source", nil).Import(importPath)
		},
	}
	for i := 0; i < len(files); i += 2 {
		syntax, err := parser.ParseFile(fset, "/src/"+files[i], files[i+1], parser.ParseComments)
		require.NoError(t, err)
		p.Files = append(p.Files, syntax)
	}
	return source.FromFiles(p)
}

const annotated = `

type Client interface {
	//resil:retry
	Do() error
}
`

// A package together with its tests, as go vet gives it, is taken apart: what is not a test sees no test.
func TestTestFilesAreApart(t *testing.T) {
	t.Parallel()
	result := fromFiles(t, "example.com/p", "a.go", "package p"+annotated, "b.go", "package p\n\nfunc B() {}\n",
		"c_test.go", "package p\n\n//resil:retry\ntype Tested interface{ Do() error }\n\nfunc C() {}\n")
	require.Empty(t, result.Problems.List)
	require.Len(t, result.Packages, 2)
	own, tests := result.Packages[0], result.Packages[1]
	require.Equal(t, []string{"example.com/p", "p", "/src"}, []string{own.Path, own.Name, own.Dir})
	require.Nil(t, own.Types.Scope().Lookup("C"))
	require.NotNil(t, own.Types.Scope().Lookup("B"))
	require.NotNil(t, tests.Types.Scope().Lookup("C"))
	require.Equal(t, "Tested", tests.Interfaces[0].Object.Name())
	require.Len(t, tests.Interfaces, 1)
}

func TestExternalTestsAreAPackageOfTheirOwn(t *testing.T) {
	t.Parallel()
	result := fromFiles(t, "example.com/p_test", "x_test.go", "package p_test"+annotated)
	require.Empty(t, result.Problems.List)
	require.Len(t, result.Packages, 1)
	require.Equal(t, "example.com/p_test", result.Packages[0].Path)
	require.Equal(t, "p_test", result.Packages[0].Name)
}

func TestOutputsAreLeftOutOfFiles(t *testing.T) {
	t.Parallel()
	output := source.Header + "\n\npackage p\n\ntype ResilientClient struct{}\n"
	result := fromFiles(t, "example.com/p", "a.go", "package p"+annotated, "a_resil.go", output)
	require.Len(t, result.Packages, 1)
	require.Nil(t, result.Packages[0].Types.Scope().Lookup("ResilientClient"))
	require.Empty(t, fromFiles(t, "example.com/p", "a_resil.go", output).Packages)
}

func TestFilesWithoutAnnotationsGiveNothing(t *testing.T) {
	t.Parallel()
	require.Empty(t, fromFiles(t, "example.com/p", "a.go", "package p\n\nimport \"nowhere\"\n").Packages)
}

// What no file imports is not known, which is no reason to say that it does not exist.
func TestNamesOfUnknownPackagesAreUnseen(t *testing.T) {
	t.Parallel()
	pkg := fromFiles(t, "example.com/p", "a.go", "package p"+annotated).Packages[0]
	_, err := pkg.Resolve(pkg.Files[0], "database/sql.ErrNoRows")
	require.ErrorIs(t, err, source.ErrUnseen)
	canceled, err := pkg.Resolve(pkg.Files[0], "context.Canceled")
	require.NoError(t, err)
	require.Equal(t, "Canceled", canceled.Name())
	_, err = pkg.Resolve(pkg.Files[0], "context.Cancelled")
	var wrong *source.NameError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "context.Canceled", wrong.Nearest)
}
