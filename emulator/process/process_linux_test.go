package process

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// parentOf makes this binary start a child that writes to the FIFO, and wait to
// be killed: see TestKilledParentLeavesNoChild.
var parentOf = flag.String("process.parent-of", "", "start a child that writes to this FIFO")

func TestMain(m *testing.M) {
	flag.Parse()
	if *parentOf != "" {
		fmt.Fprintln(os.Stderr, beParent(*parentOf))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func beParent(fifo string) error {
	log, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	c, err := Start([]string{"sh", "-c", `exec 3>"$0"; echo runs >&3; exec sleep 1000`, fifo}, nil, log)
	if err != nil {
		return err
	}
	<-c.Done()
	return c.Err()
}

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
