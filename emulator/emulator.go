package emulator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"example.com/relationindex/emulator/install"
	"example.com/relationindex/emulator/process"
)

// Emulator is a running Firestore emulator and the broker that takes its events. It is
// safe for concurrent use.
type Emulator struct {
	broker    *Broker
	server    *http.Server
	url       string // of the broker
	firestore *rest
	process   *process.Child
	logFile   string
	log       *slog.Logger

	done    chan struct{}
	closing atomic.Bool
	close   func() error // end, once
}

// verifyTimeout bounds the time until the first event has come through.
const verifyTimeout = time.Minute

// Start starts the emulator and a broker for its events, and returns when an event has
// come through. Both end when ctx ends or [Emulator.Close] is called. The error wraps
// [ErrNotInstalled] if the emulator or Java was not found.
//
// The emulator is the first of: the jar that FIRESTORE_EMULATOR_BINARY_PATH names; the
// component of the gcloud SDK on PATH; the newest jar that firebase-tools has downloaded. Java
// is from JAVA_HOME, or from PATH without one.
func Start(ctx context.Context, o Options) (*Emulator, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("options of the emulator: %w", err)
	}
	o = o.withDefaults()
	for try := 1; ; try++ {
		e, err := start(ctx, o)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = e.Close() }) // a caller of Close gets its error
			return e, nil
		}
		// Another server took the port meanwhile, and answered as the emulator would.
		if o.FirestorePort != 0 || try == process.PortTries || !errors.Is(err, process.ErrPortTaken) {
			return nil, err
		}
	}
}

func start(ctx context.Context, o Options) (*Emulator, error) {
	e := &Emulator{log: o.Logger, done: make(chan struct{})}
	e.close = sync.OnceValue(e.end)
	if err := e.launch(ctx, o); err != nil {
		return nil, err
	}
	if err := e.verify(ctx); err != nil {
		if e.process.Ended() {
			err = fmt.Errorf("%w: %w", err, e.process.Failure(what))
		}
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// launch starts the emulator and the broker.
func (e *Emulator) launch(ctx context.Context, o Options) error {
	paths, err := install.Find(ctx)
	if err != nil {
		return fmt.Errorf("%w:\n  %w", ErrNotInstalled, err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(o.BrokerPort)))
	if err != nil {
		return fmt.Errorf("listen for events: %w", err)
	}
	log, err := freshLog(o.LogFile)
	if err != nil {
		return errors.Join(fmt.Errorf("log file of the emulator: %w", err), l.Close())
	}
	defer log.Close() // the child has its own descriptor
	e.logFile = log.Name()
	e.process, e.firestore, err = launch(ctx, paths, o, l.Addr().String(), log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	e.serve(l, o)
	go e.watch() //nolint:gosec,contextcheck // it lives as long as the emulator, not as the call
	return nil
}

// serve starts the broker. It rejects requests from pages of other sites.
func (e *Emulator) serve(l net.Listener, o Options) {
	e.broker = newBroker(o, e.firestore)
	e.url = "http://" + l.Addr().String()
	e.server = &http.Server{
		Handler:           o.Guard.Handler(e.broker.handler()),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelWarn),
	}
	go func() { _ = e.server.Serve(l) }() // ends with ErrServerClosed
}

// verify waits until one event has come through, because an emulator may post none.
func (e *Emulator) verify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	ctx, cancelBoth := e.broker.withBroker(ctx)
	defer cancelBoth()
	if err := e.firestore.register(ctx, barrierProject, barrierTrigger); err != nil {
		return fmt.Errorf("register the trigger of the barrier: %w", err)
	}
	if err := e.broker.barrier.cross(ctx); err != nil {
		return fmt.Errorf("no event came from the emulator at %s: %w", e.firestore.base, err)
	}
	return nil
}

// watch waits for the end of the emulator.
func (e *Emulator) watch() {
	<-e.process.Done()
	if !e.closing.Load() {
		e.log.LogAttrs(context.Background(), slog.LevelError, "the emulator exited unexpectedly",
			slog.String(keyLogFile, e.logFile), slog.Any(keyError, e.process.Failure(what)))
		e.broker.stop(ErrEnded)
	}
	close(e.done)
}

// FirestoreHost returns the emulator's host:port, the value for FIRESTORE_EMULATOR_HOST.
func (e *Emulator) FirestoreHost() string { return e.firestore.host }

// URL returns the broker's base URL, such as "http://127.0.0.1:8081". Programs in other
// languages call [Broker.Idle] with GET URL/idle?project=P&timeout=60s; P is a [Name].
func (e *Emulator) URL() string { return e.url }

// LogFile returns the path of the emulator's output. The file stays after Close.
func (e *Emulator) LogFile() string { return e.logFile }

// Broker returns the broker, to register triggers and to wait for them.
func (e *Emulator) Broker() *Broker { return e.broker }

// Done returns a channel that is closed when the emulator process has ended.
func (e *Emulator) Done() <-chan struct{} { return e.done }

// Close ends the deliveries, the emulator and the broker, and returns when they have
// ended. You may call it again; it returns the same error.
func (e *Emulator) Close() error { return e.close() }

func (e *Emulator) end() error {
	e.closing.Store(true)
	e.broker.stop(ErrClosed)
	e.process.Stop(stopGrace)
	<-e.done
	e.firestore.client.CloseIdleConnections()
	// Requests under way get their answer.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if e.server.Shutdown(ctx) == nil {
		return nil
	}
	if err := e.server.Close(); err != nil {
		return fmt.Errorf("close the broker: %w", err)
	}
	return nil
}
