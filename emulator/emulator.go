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
	"example.com/relationindex/emulator/siteguard"
)

// Emulator is a Firestore emulator together with the broker that takes its events. Its methods may be called by several
// goroutines at once.
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

// verifyTimeout is for the first event to come through an emulator that has just answered.
const verifyTimeout = time.Minute

// Start finds the emulator, starts it and a broker for its events, and returns when an event has come through.
// Everything ends when ctx ends or [Emulator.Close] is called. The error wraps [ErrNotInstalled] if that is why.
//
// The emulator is the first of: the jar that FIRESTORE_EMULATOR_BINARY_PATH names; the component of the gcloud SDK on
// PATH; the newest that firebase-tools has downloaded. Java is JAVA_HOME's, or the one on PATH.
func Start(ctx context.Context, o Options) (*Emulator, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("options of the emulator: %w", err)
	}
	o = o.withDefaults()
	e := &Emulator{log: o.Logger, done: make(chan struct{})}
	e.close = sync.OnceValue(e.end)
	if err := e.launch(ctx, o); err != nil {
		return nil, err
	}
	if err := e.verify(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	context.AfterFunc(ctx, func() { _ = e.Close() }) // who calls Close gets its error
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

// serve makes the broker and lets it answer, but for the pages of other sites.
func (e *Emulator) serve(l net.Listener, o Options) {
	e.broker = newBroker(o, e.firestore)
	e.url = "http://" + l.Addr().String()
	e.server = &http.Server{
		Handler:           siteguard.New(l.Addr(), e.broker.handler()),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelWarn),
	}
	go func() { _ = e.server.Serve(l) }() // ends with ErrServerClosed
}

// verify lets one event come through, so that an emulator that posts none is found out now.
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

// FirestoreHost is the emulator's host:port, the value for FIRESTORE_EMULATOR_HOST.
func (e *Emulator) FirestoreHost() string { return e.firestore.host }

// URL is the broker's base URL without a slash at its end, "http://127.0.0.1:8081". GET URL/idle?project=P&timeout=60s is
// [Broker.Idle] for programs in other languages; P is a [Name].
func (e *Emulator) URL() string { return e.url }

// LogFile is the path of what the emulator printed. It stays after Close.
func (e *Emulator) LogFile() string { return e.logFile }

// Broker is where triggers are registered and awaited.
func (e *Emulator) Broker() *Broker { return e.broker }

// Done is closed when the emulator process has ended, by Close or by itself.
func (e *Emulator) Done() <-chan struct{} { return e.done }

// Close ends the deliveries, the emulator and the broker, and returns when they are gone. It may be called again, and
// returns the same.
func (e *Emulator) Close() error { return e.close() }

func (e *Emulator) end() error {
	e.closing.Store(true)
	e.broker.stop(ErrClosed)
	e.process.Stop(stopGrace)
	<-e.done
	e.firestore.client.CloseIdleConnections()
	// What still asks is answered.
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
