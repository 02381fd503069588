package source_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/resilgen/resilgen/generator/source"
)

// drive answers a request as another build system's driver would: from the graph that the go command gives.
func drive(later string) error {
	var request packages.DriverRequest
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		return err
	}
	roots, err := packages.Load(&packages.Config{
		Mode:       request.Mode,
		BuildFlags: request.BuildFlags,
		Tests:      request.Tests,
		Env:        append(os.Environ(), "GOPACKAGESDRIVER=off"),
	}, os.Args[1:]...)
	if err != nil {
		return err
	}
	response := packages.DriverResponse{Compiler: "gc", Arch: runtime.GOARCH}
	for _, root := range roots {
		response.Roots = append(response.Roots, root.ID)
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.PkgPath == later {
			p.ExportFile, err = fromLaterGo(p.ExportFile)
		}
		response.Packages = append(response.Packages, p)
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(response)
}

// fromLaterGo copies export data with a version that no Go has yet.
func fromLaterGo(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	begin := []byte("\n$$B\nu")
	i := bytes.Index(data, begin)
	data[i+len(begin)] = 99
	later := filepath.Join(os.Getenv("TMPDIR"), "later.a")
	return later, os.WriteFile(later, data, 0o644)
}

const driven = `
-- client.go --
package shop

import (
	"context"

	"example.com/shop/items"
)

//resil:retry retryErrors=example.com/shop/items.ErrNone
type Client interface{ A(ctx context.Context, i items.Item) error }
-- client_test.go --
package shop

//resil:retry
type Fake interface{ B() error }
-- x_test.go --
package shop_test

import "example.com/shop"

//resil:retry
type External interface{ C(shop.Fake) error }
-- items/items.go --
package items

type Item struct{}

var ErrNone error
`

func driverEnv(t *testing.T, later string) []string {
	t.Helper()
	return append(os.Environ(), "GOPACKAGESDRIVER="+os.Args[0], driverVariable+"="+later, "TMPDIR="+t.TempDir())
}

func TestADriverTakesThePlaceOfTheGoCommand(t *testing.T) {
	t.Parallel()
	dir := module(t, driven)
	result, err := source.Load(context.Background(), source.Config{
		Dir: dir, Patterns: []string{"./..."}, Env: driverEnv(t, ""), Tags: "special",
	})
	require.NoError(t, err)
	d := &description{dir: dir, fset: result.Fset}
	for _, problem := range result.Problems.List {
		d.printf("%s: %s\n", d.at(problem.Pos), problem.Message)
	}
	for _, pkg := range result.Packages {
		d.pkg(pkg)
	}
	d.resolve(t, result, "client.go", "example.com/shop/items.ErrNone")
	d.resolve(t, result, "client.go", "example.com/shop/item.ErrNone")
	require.Equal(t, `package example.com/shop shop
	file client.go
	interface Client [retry]
		A(ctx context.Context, i example.com/shop/items.Item) error
package example.com/shop shop
	file client_test.go test
	interface Fake [retry]
		B() error
package example.com/shop_test shop_test
	file x_test.go test
	interface External [retry]
		C(example.com/shop.Fake) error
example.com/shop/items.ErrNone = var example.com/shop/items.ErrNone error
example.com/shop/item.ErrNone: no package example.com/shop/item; did you mean example.com/shop/items?
`, d.String())
}

func TestADriverThatFindsNothingIsAPatternError(t *testing.T) {
	t.Parallel()
	_, err := source.Load(context.Background(), source.Config{
		Dir: module(t, driven), Patterns: []string{"./missing/..."}, Env: driverEnv(t, ""),
	})
	var patternError *source.PatternError
	require.ErrorAs(t, err, &patternError)
}
