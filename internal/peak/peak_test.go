package peak

import (
	"os"
	"testing"
)

func TestMemory(t *testing.T) {
	held := make([]byte, 32<<20)
	for n := range held {
		held[n] = 1
	}
	if peak := Memory(os.Getpid()); peak < int64(len(held)) || peak > 1<<40 {
		t.Errorf("peak memory %d, and %d bytes were held", peak, len(held))
	}
	if peak := Memory(-1); peak != 0 {
		t.Errorf("a process that is not there has a peak memory of %d", peak)
	}
}

func TestHighWater(t *testing.T) {
	for status, want := range map[string]int64{
		"Name:\tx\nVmPeak:\t  99 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 5 kB\n": 1234 << 10,
		"Name:\tx\n":      0,
		"VmHWM:\tmany kB": 0,
		"VmHWM:\t1234\n":  0,
		"":                0,
	} {
		if got := highWater([]byte(status)); got != want {
			t.Errorf("highWater(%q) = %d, want %d", status, got, want)
		}
	}
}
