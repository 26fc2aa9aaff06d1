// Package machine tells what machine a benchmark runs on, and how much of its processor each part of a system has used.
package machine

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
)

// Print says what machine a benchmark runs on, in lines of the benchmark
// format; the testing package says its processor.
func Print(out io.Writer) {
	fmt.Fprintf(out, "cores: %d\nmemory-gib: %s\ngo: %s\n", runtime.NumCPU(), memory(), runtime.Version())
}

// memory is the machine's, in GiB; "?" where nobody knows.
func memory() string {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return "?"
	}
	for line := range bytes.Lines(info) {
		if fields := bytes.Fields(line); len(fields) == 3 && string(fields[0]) == "MemTotal:" {
			kib, _ := strconv.ParseFloat(string(fields[1]), 64)
			return strconv.FormatFloat(kib/(1<<20), 'f', 0, 64)
		}
	}
	return "?"
}
