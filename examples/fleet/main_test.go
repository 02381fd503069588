package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test binary be a process of the fleet, which run starts as it starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-node" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestTheFleetKeepsTheLimit(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("this test needs a redis-server: run make redis, or apt-get install redis-server")
	}
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, "", 4))
	t.Log(out.String())
	rows := regexp.MustCompile(`(?m)^ +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$`).FindAllStringSubmatch(out.String(), -1)
	require.Len(t, rows, 4)
	together := 0
	for _, row := range rows {
		n, err := strconv.Atoi(row[5])
		require.NoError(t, err)
		together += n
	}
	// What comes when depends on the machine too: a slow one delays requests that were admitted earlier.
	require.Greater(t, together, 100)
	require.LessOrEqual(t, together, 5*100)
	last := rows[3]
	require.Equal(t, "0", last[2], "node-1 was killed")
	require.NotEqual(t, "0", last[3])
	require.NotEqual(t, "0", last[4])
}
