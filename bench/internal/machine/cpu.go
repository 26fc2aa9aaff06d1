package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// EmulatorTime returns the processor time of the emulators that this process started, from /proc; 0 on a
// system without /proc.
func EmulatorTime() (time.Duration, error) {
	return children(func(name string) bool { return name == "java" })
}

// Time returns the processor time of this process and of those that it started, of which a system without /proc
// says nothing.
func Time() (time.Duration, error) {
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		return 0, fmt.Errorf("processor time: %w", err)
	}
	used, err := children(func(string) bool { return true })
	return used + time.Duration(self.Utime.Nano()+self.Stime.Nano()), err
}

// children returns the processor time of the processes with these names that this process started.
func children(named func(string) bool) (used time.Duration, err error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, path := range stats {
		line, err := os.ReadFile(path) //nolint:gosec // of /proc
		if err != nil {
			continue // the process has ended
		}
		head, rest, _ := strings.Cut(string(line), ") ")
		_, name, _ := strings.Cut(head, "(")
		fields := strings.Fields(rest) // state, ppid, …, utime and stime in ticks of 10 ms
		if len(fields) < 13 || fields[1] != strconv.Itoa(os.Getpid()) || !named(name) {
			continue
		}
		var user, system time.Duration
		if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		used += (user + system) * 10 * time.Millisecond
	}
	return used, nil
}
