package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"sync"

	"example.com/relationindex/emulator/front"
	"example.com/relationindex/emulator/process"
	"example.com/relationindex/emulator/siteguard"
)

// Options configures the emulator. Only Project is required.
type Options struct {
	// Project is the project of the accounts if a client names none. An id that begins with "demo-" is no
	// real project's.
	Project string

	// Port is the TCP port on 127.0.0.1 for clients; 0 takes a free one. The emulator behind it has a free one.
	Port int

	// Guard decides which requests are answered. The emulator itself answers every page, and shows passwords.
	Guard siteguard.Guard

	// LogFile is the path for the emulator's output; an existing file is emptied. "": a file that is removed with the
	// emulator; errors show its last lines.
	LogFile string
}

var projectID = regexp.MustCompile(`^[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// Emulator is a running Auth emulator. Its methods may be called by several goroutines at once.
type Emulator struct {
	host    string
	dir     string // firebase-tools writes its files there
	process *process.Child
	front   *front.Front // the proxy before the emulator
	closing chan struct{}
	close   func() error
}

// Start starts the emulator, and returns when it answers. The emulator ends when ctx ends or [Emulator.Close] is called, and
// with this process. If firebase-tools or Node is missing, the error wraps [ErrNotInstalled]. If the emulator ended, the error
// shows the end of its log.
func Start(ctx context.Context, o Options) (*Emulator, error) {
	if !projectID.MatchString(o.Project) {
		return nil, fmt.Errorf("options of the Auth emulator: Project = %q: must be lower-case letters, digits and dashes, such as demo-test", o.Project)
	}
	if o.Port < 0 || o.Port > 65535 {
		return nil, fmt.Errorf("options of the Auth emulator: Port = %d: must be 0 (a free one) to 65535", o.Port)
	}
	program, err := find()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "auth-emulator-")
	if err != nil {
		return nil, fmt.Errorf("directory of the Auth emulator: %w", err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(o.Port)))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("port of the Auth emulator: %w", err), os.RemoveAll(dir))
	}
	e := &Emulator{host: l.Addr().String(), dir: dir, closing: make(chan struct{})}
	var inner string
	if e.process, inner, err = launch(ctx, program, dir, o); err != nil {
		return nil, errors.Join(err, l.Close(), os.RemoveAll(dir))
	}
	e.front = front.Serve(l, inner, o.Guard, nil)
	e.close = sync.OnceValue(e.end)
	context.AfterFunc(ctx, func() { _ = e.Close() }) // a caller of Close gets its error
	return e, nil
}

// Host returns the emulator's host:port, the value for FIREBASE_AUTH_EMULATOR_HOST.
func (e *Emulator) Host() string { return e.host }

// Done is closed when the emulator has ended, by Close or by itself. Err returns the reason.
func (e *Emulator) Done() <-chan struct{} { return e.process.Done() }

// Err returns why the emulator ended by itself, with the end of its log. It is nil while the emulator runs, and after
// Close.
func (e *Emulator) Err() error {
	select {
	case <-e.closing:
		return nil
	default:
	}
	if !e.process.Ended() {
		return nil
	}
	return e.process.Failure(what)
}

// Close ends the emulator, and returns when it has ended. You may call it again; it returns the same error.
func (e *Emulator) Close() error { return e.close() }

func (e *Emulator) end() error {
	close(e.closing)
	err := e.front.Close()
	e.process.Stop(stopGrace)
	if rest := os.RemoveAll(e.dir); rest != nil {
		err = errors.Join(err, fmt.Errorf("remove what the Auth emulator has left: %w", rest))
	}
	return err
}
