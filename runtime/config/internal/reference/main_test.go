package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheGuideIsUpToDate(t *testing.T) {
	want, err := guide()
	require.NoError(t, err)
	got, err := os.ReadFile("../../../../docs/configuration.md")
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run go generate ./runtime/config")
}
