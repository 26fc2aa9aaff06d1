// Package peak measures the most memory that a process has held.
package peak

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
)

// Memory is the most memory that a process has held resident, in bytes.
// Linux tells it, of every process. Elsewhere only this process has one: what
// the Go runtime has taken from the system, which it never counts down. It is 0
// where nobody knows.
func Memory(pid int) int64 {
	// Not getrusage: its figure starts with that of the program which started this one.
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err == nil {
		return highWater(status)
	}
	if pid != os.Getpid() {
		return 0
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys) //nolint:gosec // far from 1<<63
}

// highWater is the line "VmHWM:   1234 kB" of a status file of Linux; 0 if it has none.
func highWater(status []byte) int64 {
	for line := range bytes.Lines(status) {
		if fields := bytes.Fields(line); len(fields) == 3 && string(fields[0]) == "VmHWM:" {
			kilobytes, _ := strconv.ParseInt(string(fields[1]), 10, 64) // 0: not what it was
			return kilobytes << 10
		}
	}
	return 0
}
