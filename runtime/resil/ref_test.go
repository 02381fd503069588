package resil_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLookupOfAConstantNameIsInlined asks the compiler, which says so for each type that a Ref is made of. Every layer of
// every call pays for this lookup.
func TestLookupOfAConstantNameIsInlined(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles the package")
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-m", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `ref\.go:\d+:\d+: can inline \(\*Ref\[go\.shape\.[^\n]*\]\)\.For\n`, string(out))
}
