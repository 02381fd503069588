package limiter_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	flag.Parse()
	set := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if !set["rapid.checks"] {
		if err := flag.Set("rapid.checks", "1500"); err != nil { // some corners are rare, and a check is cheap
			panic(err)
		}
	}
	os.Exit(leakless(m.Run()))
}

// leakless is the exit code of tests that must not leave goroutines behind.
func leakless(code int) int {
	if code == 0 {
		if err := goleak.Find(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			return 1
		}
	}
	return code
}
