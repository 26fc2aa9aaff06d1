package emulator_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
)

func TestKilledParentLeavesNoChild(t *testing.T) {
	fifo := newFIFO(t)
	parent := exec.CommandContext(t.Context(), os.Args[0], "-process.parent-of", fifo)
	parent.Stderr = os.Stderr
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	untilGone := running(t, fifo)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(untilGone); err != nil {
		t.Error(err)
	}
	var exit *exec.ExitError
	if err := parent.Wait(); !errors.As(err, &exit) {
		t.Errorf("the parent ended with %v", err)
	}
}
