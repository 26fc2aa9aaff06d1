// Package peak measures the most memory that a process has held.
package peak

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
)

// Memory returns the most resident memory that a process has held, in bytes. Linux has
// this number for every process. Elsewhere, Memory returns the memory that the Go runtime
// has obtained from the system so far, and only for this process. The runtime never lowers
// this number. If the number is unknown, Memory returns 0.
func Memory(pid int) int64 {
	// getrusage would be wrong: its number starts with the memory of the parent process.
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

// highWater returns the bytes of the line "VmHWM:   1234 kB" in a status file of Linux; 0 without
// this line.
func highWater(status []byte) int64 {
	for line := range bytes.Lines(status) {
		if fields := bytes.Fields(line); len(fields) == 3 && string(fields[0]) == "VmHWM:" {
			kilobytes, _ := strconv.ParseInt(string(fields[1]), 10, 64) // 0 if the format has changed
			return kilobytes << 10
		}
	}
	return 0
}
