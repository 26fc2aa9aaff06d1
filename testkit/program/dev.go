package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Dev is a running dev command.
type Dev struct {
	Ready
	Cmd    *exec.Cmd
	Stdout *bytes.Buffer // its output after the first line
	Stderr *bytes.Buffer
	Ended  chan error // gets the process's error when it ends, once
}

// Ready is the line that dev --json prints.
type Ready struct {
	Project       string `json:"project"`
	Database      string `json:"database"`
	FirestoreHost string `json:"firestoreHost"`
	FunctionsURL  string `json:"functionsURL"`
	WebURL        string `json:"webURL"`
	AuthHost      string `json:"authHost"`
	FeedURL       string `json:"feedURL"`
}

// FreePorts are arguments for a dev that runs beside others.
var FreePorts = []string{"--firestore-port", "0", "--auth-port", "0", "--web-port", "0", "--functions-port", "0"}

// StartDev starts dev --json with additional variables, and waits for its first line. Logs go below
// dir. The process runs until [Dev.End]. An error has the output in place of that line.
func StartDev(dir string, env []string, args ...string) (*Dev, error) {
	p := &Dev{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Ended: make(chan error, 1)}
	p.Cmd = exec.Command(Path, append(append([]string{"dev", "--json"}, FreePorts...), args...)...)
	p.Cmd.Env = append(append(p.Cmd.Environ(), env...), "TMPDIR="+dir)
	p.Cmd.Stderr = p.Stderr
	out, err := p.Cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Cmd.Start(); err != nil {
		return nil, err
	}
	first := make(chan string, 1)
	go func() {
		buffer := make([]byte, 64<<10)
		n, _ := out.Read(buffer) // an error shows in the decoding
		first <- string(buffer[:n])
		_, _ = p.Stdout.ReadFrom(out) // until the process ends
		p.Ended <- p.Cmd.Wait()
	}()
	line := <-first
	if err := json.Unmarshal([]byte(line), &p.Ready); err != nil {
		return nil, fmt.Errorf("dev printed %q and %q: %w", line, p.Stderr, errors.Join(err, <-p.Ended))
	}
	return p, nil
}

// End sends a signal, and waits. It returns an error if dev failed, or printed more than its line.
func (p *Dev) End(signal os.Signal) error {
	if err := p.Cmd.Process.Signal(signal); err != nil {
		return err
	}
	var errs []error
	if err := <-p.Ended; err != nil {
		errs = append(errs, fmt.Errorf("dev after %v: %w", signal, err))
	}
	if p.Stdout.Len() > 0 || p.Stderr.Len() > 0 {
		errs = append(errs, fmt.Errorf("dev printed more than its line: %q, %q", p.Stdout, p.Stderr))
	}
	return errors.Join(errs...)
}
