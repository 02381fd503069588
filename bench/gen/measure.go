package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A sample is what one or several processes took.
type sample struct {
	wall, cpu time.Duration
	peak      int64 // of the largest process, those that it started included, in bytes
}

// A step is one process.
type step struct {
	dir  string // below the case's
	args []string
}

// measure runs the steps one after the other.
func measure(dir string, steps []step) (sample, error) {
	var total sample
	for _, s := range steps {
		var said bytes.Buffer
		cmd := exec.Command(s.args[0], s.args[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(dir, s.dir), &said, &said
		start := time.Now()
		err := cmd.Run()
		total.wall += time.Since(start)
		if err != nil {
			return total, fmt.Errorf("%s: %w\n%s", strings.Join(s.args[:min(len(s.args), 4)], " "), err, &said)
		}
		// The usage that wait4 gives includes the processes that the process has waited for: the go command's.
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		total.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		total.peak = max(total.peak, usage.Maxrss*peakUnit)
	}
	return total, nil
}

// median returns the middle one of the values of the samples.
func median[T cmp.Ordered](samples []sample, value func(sample) T) T {
	values := make([]T, len(samples))
	for i, s := range samples {
		values[i] = value(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func wallOf(samples []sample) time.Duration {
	return median(samples, func(s sample) time.Duration { return s.wall })
}

func cpuOf(samples []sample) time.Duration {
	return median(samples, func(s sample) time.Duration { return s.cpu })
}

func peakOf(samples []sample) int64 { return median(samples, func(s sample) int64 { return s.peak }) }
