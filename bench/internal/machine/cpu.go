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

// CPU is the processor time of each part of a system: the emulator, all processes of the functions,
// and this process, which has the clients, the broker, the balancer and the meter.
type CPU struct{ Emulator, Functions, Rest time.Duration }

// Now reads the times of this process and its children from /proc. On a system without /proc, the
// times of children are 0.
func Now() (CPU, error) {
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		return CPU{}, fmt.Errorf("processor time: %w", err)
	}
	used := CPU{Rest: time.Duration(self.Utime.Nano() + self.Stime.Nano())}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return CPU{}, err
	}
	for _, path := range stats {
		line, err := os.ReadFile(path) //nolint:gosec // of /proc
		if err != nil {
			continue // the process has ended
		}
		name, rest, _ := strings.Cut(string(line), ") ")
		fields := strings.Fields(rest) // state, ppid, …, utime and stime in ticks of 10 ms
		if len(fields) < 13 || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		var user, system time.Duration
		if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
			return CPU{}, fmt.Errorf("%s: %w", path, err)
		}
		if ticks := (user + system) * 10 * time.Millisecond; strings.HasSuffix(name, "(java") {
			used.Emulator += ticks
		} else {
			used.Functions += ticks
		}
	}
	return used, nil
}

// Since returns the time used since before, divided by n events.
func (c CPU) Since(before CPU, n int) CPU {
	of := func(now, then time.Duration) time.Duration { return (now - then) / time.Duration(n) }
	return CPU{of(c.Emulator, before.Emulator), of(c.Functions, before.Functions), of(c.Rest, before.Rest)}
}

// All returns the sum of all parts.
func (c CPU) All() time.Duration { return c.Emulator + c.Functions + c.Rest }

func (c CPU) String() string {
	return fmt.Sprintf("emulator %v, functions %v, clients and broker %v", c.Emulator, c.Functions, c.Rest)
}
