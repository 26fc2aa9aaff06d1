package scale

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time that each part of a system has used: of the
// emulator, of the functions' processes together, and of this process, which is
// the clients, the broker, the balancer and the meter.
type cpu struct{ emulator, functions, rest time.Duration }

// cpuNow reads the times of this process and its children from /proc, where
// the system has one; elsewhere children count as nothing.
func cpuNow(tb testing.TB) cpu {
	tb.Helper()
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		tb.Fatal(err)
	}
	used := cpu{rest: time.Duration(self.Utime.Nano() + self.Stime.Nano())}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		tb.Fatal(err)
	}
	for _, path := range stats {
		line, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		name, rest, _ := strings.Cut(string(line), ") ")
		fields := strings.Fields(rest) // state, ppid, …, utime and stime in ticks of 10 ms
		if len(fields) < 13 || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		var user, system time.Duration
		if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
			tb.Fatal(err)
		}
		if ticks := (user + system) * 10 * time.Millisecond; strings.HasSuffix(name, "(java") {
			used.emulator += ticks
		} else {
			used.functions += ticks
		}
	}
	return used
}

// since is what was used since before, for each of n events.
func (c cpu) since(before cpu, n int) cpu {
	of := func(now, then time.Duration) time.Duration { return (now - then) / time.Duration(n) }
	return cpu{of(c.emulator, before.emulator), of(c.functions, before.functions), of(c.rest, before.rest)}
}

func (c cpu) String() string {
	return fmt.Sprintf("emulator %v, functions %v, clients and broker %v", c.emulator, c.functions, c.rest)
}
