//go:build long

package dev

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/relationindex/testkit/program"
)

func TestMain(m *testing.M) { program.Main(m, nil) }

// wantGone finds that dev, which end ends by the signal, leaves none of its children
// behind, of which there are least or more. Only when it is killed they end after it.
func wantGone(t *testing.T, pid, least int, signal os.Signal, end func()) {
	t.Helper()
	children := below(t, pid)
	if len(children) < least {
		t.Errorf("dev has the children %v, want %d: Java and the functions, and Node where there is Auth", children, least)
	}
	end()
	gone := func() bool {
		alive := running(t)
		return !slices.ContainsFunc(children, func(pid int) bool { _, ok := alive[pid]; return ok })
	}
	if gone() {
		return
	}
	if signal != os.Kill || program.Until(context.WithoutCancel(t.Context()), gone) != nil {
		t.Errorf("some of %v outlive dev, ended by %v", children, signal)
	}
}

// running are the pids of all that run, each with its parent's. The dead that
// nobody has asked about yet do not run.
func running(t *testing.T) map[int]int {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "ps", "-A", "-o", "pid=,ppid=,stat=").Output()
	if err != nil {
		t.Fatal(err)
	}
	parents := map[int]int{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 || strings.HasPrefix(f[2], "Z") {
			continue
		}
		pid, _ := strconv.Atoi(f[0])
		parents[pid], _ = strconv.Atoi(f[1])
	}
	return parents
}

// below are the children of a process, and theirs.
func below(t *testing.T, pid int) []int {
	t.Helper()
	parents := running(t)
	found := []int{pid}
	for i := 0; i < len(found); i++ {
		for child, parent := range parents {
			if parent == found[i] {
				found = append(found, child)
			}
		}
	}
	return found[1:]
}
