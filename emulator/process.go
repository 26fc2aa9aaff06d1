package emulator

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// The emulator takes about 2 s to end when asked; after this it is killed.
const stopGrace = 10 * time.Second

// process is a child in a process group of its own, which ends with this process as far as the system can see to that.
type process struct {
	cmd  *exec.Cmd
	log  string        // path of the file with what it prints
	from int64         // where that begins
	done chan struct{} // closed when the child has ended
}

// startProcess starts the program with both of its outputs appended to log.
func startProcess(program string, args []string, log *os.File) (*process, error) {
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log // the child's own descriptor: nothing to copy, nothing lost in a crash
	cmd.SysProcAttr = processAttributes()
	p := &process{cmd: cmd, log: log.Name(), from: from, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The system ends the child when the thread that started it ends, so this goroutine keeps its thread until
		// the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in cmd.ProcessState
			close(p.done)
		}
	}()
	return p, <-started
}

// ended says whether the child has ended.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop asks the process group to end, kills it after the grace, and returns when the child has ended. It may be called
// again.
func (p *process) stop(grace time.Duration) {
	if p.ended() {
		return
	}
	askToEnd(p.cmd.Process)
	select {
	case <-p.done:
	case <-time.After(grace):
		kill(p.cmd.Process)
		<-p.done
	}
}

// lastWords returns the last lines that the child printed, at most n and 8 KiB, without the lines of Java's stack traces.
func (p *process) lastWords(n int) (string, error) {
	f, err := os.Open(p.log)
	if err != nil {
		return "", err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	begin := max(p.from, end-8<<10)
	text, err := io.ReadAll(io.NewSectionReader(f, begin, end-begin))
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "\tat ") })
	return strings.Join(lines[max(0, len(lines)-n):], "\n"), nil
}

// freshLog opens the log file that path names, emptied, or a new one for "".
func freshLog(path string) (*os.File, error) {
	if path == "" {
		return os.CreateTemp("", "firestore-emulator-*.log")
	}
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
}
