package source_test

import (
	"os"
	"testing"
)

const (
	// driverVariable makes the test binary a driver of package packages. Its value names a package whose export data are
	// to seem those of a later Go.
	driverVariable = "RESILGEN_TEST_DRIVER"
	// goVariable makes the test binary a go command of a later Go. Its value is the path of the real one.
	goVariable = "RESILGEN_TEST_GO"
	// notesVariable names the file in which that go command notes what it was asked, a line a call.
	notesVariable = "RESILGEN_TEST_NOTES"
)

func TestMain(m *testing.M) {
	if later, ok := os.LookupEnv(driverVariable); ok {
		if err := drive(later); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		return
	}
	if command, ok := os.LookupEnv(goVariable); ok {
		if err := goCommand(command, os.Args[1:]); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
