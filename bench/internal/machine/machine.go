// Package machine describes the machine of a benchmark, and measures the processor time of the emulator.
package machine

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
)

// Print prints the machine of a benchmark, in lines of the benchmark format. The testing package
// prints its processor.
func Print(out io.Writer) {
	fmt.Fprintf(out, "cores: %d\nmemory-gib: %s\ngo: %s\n", runtime.NumCPU(), memory(), runtime.Version())
}

// memory returns the machine's memory in GiB; "?" if it is unknown.
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
