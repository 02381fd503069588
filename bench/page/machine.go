package page

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
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

// ThisMachine returns the machine that the process runs on.
func ThisMachine() Machine {
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

// String returns the machine as it stands in a sentence.
func (m Machine) String() string {
	text := m.Processor + ", " + Plural(m.Cores, "core") + "; " + m.System + "; Go " + m.Go
	if m.Clock != "" {
		text += "; clock source " + m.Clock
	}
	return text
}
