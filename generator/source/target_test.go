package source_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/source"
)

// loaded returns the package in a directory.
func loaded(t *testing.T, cfg source.Config) *source.Package {
	t.Helper()
	result, err := source.Load(context.Background(), cfg)
	require.NoError(t, err)
	require.Len(t, result.Packages, 1)
	return result.Packages[0]
}

const targets = `
-- inventory/client.go --
package inventory

//resil:retry
type Client interface{ A() error }
-- named/a.go --
package other
-- named/ignored.go --
//go:build ignore

package main
-- tested/a_test.go --
package subject_test
-- windows/a_windows.go --
package windowed
-- windows/a_linux.go --
package linuxed
-- tagged/a.go --
//go:build special

package special
-- tagged/b.go --
//go:build !special

package plain
`

func TestTheTargetHasTheNameOfItsPackageOrOfItsDirectory(t *testing.T) {
	t.Parallel()
	dir := module(t, targets)
	env := append(os.Environ(), "GOOS=linux")
	pkg := loaded(t, source.Config{Dir: dir, Patterns: []string{"./inventory"}, Env: env})
	for _, test := range []struct{ out, path, name string }{
		{"./resilient", "example.com/shop/inventory/resilient", "resilient"},
		{"resilient/", "example.com/shop/inventory/resilient", "resilient"},
		{"..", "example.com/shop", "shop"},
		{"../go-redis.v9", "example.com/shop/go-redis.v9", "goredisv9"},
		{"./resilient/v2", "example.com/shop/inventory/resilient/v2", "resilient"},
		{"../v2", "example.com/shop/v2", "shop"},
		{"./my_wrappers", "example.com/shop/inventory/my_wrappers", "my_wrappers"},
		{"./Upper", "example.com/shop/inventory/Upper", "upper"},
		{"./2nd", "example.com/shop/inventory/2nd", "nd"},
		{"./_x_test", "example.com/shop/inventory/_x_test", "x"},
		{"./42", "example.com/shop/inventory/42", "wrappers"},
		{"./type", "example.com/shop/inventory/type", "typewrappers"},
		{"./main", "example.com/shop/inventory/main", "mainwrappers"},
		{"../named", "example.com/shop/named", "other"},
		{"../tested", "example.com/shop/tested", "subject"},
		{"../windows", "example.com/shop/windows", "linuxed"},
		{"../tagged", "example.com/shop/tagged", "plain"},
		{filepath.Join(dir, "named"), "example.com/shop/named", "other"},
	} {
		target, err := pkg.Target(test.out)
		require.NoError(t, err, test.out)
		require.Equal(t, test.path, target.Path, test.out)
		require.Equal(t, test.name, target.Name, test.out)
	}
	pkg = loaded(t, source.Config{Dir: dir, Patterns: []string{"./inventory"}, Env: env, Tags: "other,special"})
	target, err := pkg.Target("../tagged")
	require.NoError(t, err)
	require.Equal(t, "special", target.Name)
}

func TestTheOwnDirectoryIsNoTarget(t *testing.T) {
	t.Parallel()
	dir := module(t, targets)
	pkg := loaded(t, source.Config{Dir: dir, Patterns: []string{"./inventory"}})
	if err := os.Symlink("inventory", filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for _, out := range []string{".", "../inventory", "../link", "./new/..", filepath.Join(dir, "inventory")} {
		target, err := pkg.Target(out)
		require.NoError(t, err)
		require.Nil(t, target, out)
	}
}

// The path of a symbolic link is one more import path for the same directory; the package keeps the one it has.
func TestASymbolicLinkLeadsToThePackageThatItPointsTo(t *testing.T) {
	t.Parallel()
	dir := module(t, targets)
	if err := os.Symlink("../named", filepath.Join(dir, "inventory", "link")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, "inventory", "away")))
	root := filepath.Join(t.TempDir(), "root")
	require.NoError(t, os.Symlink(dir, root))

	pkg := loaded(t, source.Config{Dir: root, Patterns: []string{"./inventory"}})
	target, err := pkg.Target("./link")
	require.NoError(t, err)
	require.Equal(t, "example.com/shop/named", target.Path)
	require.Equal(t, filepath.Join(root, "inventory", "link"), target.Dir, "as the user sees it")
	_, err = pkg.Target("./away")
	var targetError *source.TargetError
	require.ErrorAs(t, err, &targetError)
	require.EqualError(t, err, "it is outside of module example.com/shop; choose a directory there")
}

func TestPackagesOfOthersHaveNoTarget(t *testing.T) {
	t.Parallel()
	dir := module(t, `
-- go.mod --
module example.com/shop

go 1.25

require example.com/dep v1.0.0
-- shop.go --
package shop

import _ "example.com/dep"
-- vendor/modules.txt --
# example.com/dep v1.0.0
## explicit; go 1.25
example.com/dep
-- vendor/example.com/dep/dep.go --
package dep

//resil:retry
type Client interface{ A() error }
`)
	pkg := loaded(t, source.Config{
		Dir: dir, Patterns: []string{"example.com/dep"}, Env: append(os.Environ(), "GOFLAGS=-mod=vendor", "GOWORK=off"),
	})
	_, err := pkg.Target("./resilient")
	require.EqualError(t, err, "package example.com/dep belongs to module example.com/dep, which is not yours to write into; "+
		"declare an interface in a package of your own that embeds this one")
}

func TestWithoutModulesTheTargetIsRelativeToThePackage(t *testing.T) {
	t.Parallel()
	dir := module(t, `
-- src/example.com/shop/inventory/client.go --
package inventory

//resil:retry
type Client interface{ A() error }
`)
	pkg := loaded(t, source.Config{
		Dir: dir, Patterns: []string{"example.com/shop/inventory"},
		Env: append(os.Environ(), "GO111MODULE=off", "GOFLAGS=", "GOPATH="+dir),
	})
	target, err := pkg.Target("../wrappers")
	require.NoError(t, err)
	require.Equal(t, "example.com/shop/wrappers", target.Path)
	_, err = pkg.Target("../../../../outside")
	require.EqualError(t, err, "it is outside of package example.com/shop/inventory; choose a directory there")
}
