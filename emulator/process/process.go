package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Child is a program in a process group of its own. It ends with this process. If
// this process is killed, only Linux ends the child. Its methods may be
// called by several goroutines at once.
type Child struct {
	cmd  *exec.Cmd
	log  string        // path of the file with the output
	from int64         // the first byte of the output in the log
	done chan struct{} // closed when the child has ended and err is set
	err  error
}

// errExited says how a child ended that reported no error.
var errExited = errors.New("exit status 0")

// Start starts a command: the program and its arguments. It appends both
// outputs to log. env is the environment as NAME=value; nil: that of this
// process. The child has its own descriptor of log, so you may close log at any time.
func Start(command, env []string, log *os.File) (*Child, error) {
	return StartIn("", command, env, log)
}

// StartIn is [Start] with a working directory for the child; "": that of this process.
func StartIn(dir string, command, env []string, log *os.File) (*Child, error) {
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("find the end of the log: %w", err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout, cmd.Stderr = log, log // the descriptor itself: nothing to copy, nothing lost in a crash
	cmd.SysProcAttr = processAttributes()
	c := &Child{cmd: cmd, log: log.Name(), from: from, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The system kills the child when the thread that started it ends, so
		// this goroutine keeps its thread until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		if c.err = cmd.Wait(); c.err == nil {
			c.err = errExited
		}
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// PID returns the id of the child's process and of its group.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Log returns the path of the file with the child's output.
func (c *Child) Log() string { return c.log }

// Done is closed when the child has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Ended reports whether the child has ended.
func (c *Child) Ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Err returns how the child ended: "exit status 1" or "signal: killed", both an
// [*exec.ExitError], or "exit status 0". It is nil while the child runs.
func (c *Child) Err() error {
	if !c.Ended() {
		return nil
	}
	return c.err
}

// Kill kills the child's process group at once, like a system that is out of
// memory. It does not wait until the child has ended. You may call it
// again.
func (c *Child) Kill() {
	if !c.Ended() {
		kill(c.cmd.Process)
	}
}

// Stop asks the child's process group to end, and kills the group if the child still
// runs after the grace. It returns when the child has ended. You may call it
// again.
func (c *Child) Stop(grace time.Duration) {
	if c.Ended() {
		return
	}
	askToEnd(c.cmd.Process)
	select {
	case <-c.done:
	case <-time.After(grace):
		kill(c.cmd.Process)
		<-c.done
	}
}
