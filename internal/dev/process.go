package dev

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

const (
	stopGrace = 5 * time.Second // from asking a child to end to killing it
	tailLines = 15              // of a log that an error shows
)

// process is a child in a process group of its own. It ends with this process,
// even one that is killed, where the system can see to that.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the child has ended and err is set
	err  error
}

// startProcess starts a command with this environment, and with both of its
// outputs appended to log.
func startProcess(command, env []string, log *os.File) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec // the caller's own program
	cmd.Env = env
	cmd.Stdout, cmd.Stderr = log, log // the child's own descriptor: nothing to copy, nothing lost in a crash
	cmd.SysProcAttr = processAttributes()
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The system kills the child when the thread that started it ends, so
		// this goroutine keeps its thread until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	return p, <-started
}

// stop asks the child's process group to end, kills it after the grace, and
// returns when the child has ended. It may be called again.
func (p *process) stop() {
	select {
	case <-p.done:
		return
	default:
	}
	askToEnd(p.cmd.Process)
	select {
	case <-p.done:
	case <-time.After(stopGrace):
		kill(p.cmd.Process)
		<-p.done
	}
}

// ended is the error for what ended without being asked to, with the last
// lines of its log.
func ended(what, logFile string) error {
	words, err := tail(logFile, tailLines)
	if err != nil {
		words = err.Error()
	}
	return fmt.Errorf("%s ended unexpectedly; the end of %s:\n%s", what, logFile, words)
}

// tail returns the last lines of a file, at most n of them and 8 KiB.
func tail(path string, n int) (string, error) {
	f, err := os.Open(path) //nolint:gosec // a log of ours
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := f.Seek(-8<<10, io.SeekEnd); err != nil { // a shorter file
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
	}
	text, err := io.ReadAll(f)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	lines = lines[max(0, len(lines)-n):]
	return string(bytes.Join(lines, []byte("\n"))), err
}
