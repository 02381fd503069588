package main

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// A Machine is what the numbers depend on.
type Machine struct {
	Processor string
	Cores     int // that the process may use
	System    string
	Clock     string // what the kernel reads the time from; empty where it does not say
	Go        string
}

func thisMachine() Machine {
	m := Machine{
		Processor: runtime.GOARCH,
		Cores:     runtime.GOMAXPROCS(0),
		System:    runtime.GOOS + "/" + runtime.GOARCH,
		Go:        strings.TrimPrefix(runtime.Version(), "go"),
	}
	if model := setting("/proc/cpuinfo", "model name", ":"); model != "" {
		m.Processor = model
	} else if out, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output(); err == nil {
		m.Processor = strings.TrimSpace(string(out))
	}
	if name := strings.Trim(setting("/etc/os-release", "PRETTY_NAME", "="), `"`); name != "" {
		m.System = name + ", " + m.System
	}
	if source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource"); err == nil {
		m.Clock = strings.TrimSpace(string(source))
	}
	return m
}

// setting returns the first value of that key in a file of lines "key separator value", or nothing.
func setting(path, key, separator string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if k, value, ok := strings.Cut(lines.Text(), separator); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// A Module is a library that was measured.
type Module struct{ Path, Version string }

// peers returns the modules of the libraries beside ours, with the versions that are built in.
func peers() []Module {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var found []Module
	for _, m := range build.Deps {
		for _, prefix := range []string{
			"github.com/avast/retry-go", "github.com/cenkalti/backoff", "github.com/cep21/circuit",
			"github.com/eapache/go-resiliency", "github.com/failsafe-go/failsafe-go", "github.com/slok/goresilience",
			"github.com/sony/gobreaker", "go.uber.org/ratelimit", "golang.org/x/sync", "golang.org/x/time",
		} {
			if m.Path == prefix || strings.HasPrefix(m.Path, prefix+"/v") {
				found = append(found, Module{m.Path, m.Version})
			}
		}
	}
	return found
}
