package emulator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/relationindex/internal/config/emulatorenv"
	"example.com/relationindex/internal/process"
)

// Emulator is a Firestore emulator together with the broker that takes its events. Its methods may be called by several
// goroutines at once.
type Emulator struct {
	broker    *Broker
	server    *http.Server
	url       string // of the broker
	firestore *rest
	process   *process.Child // nil when somebody else started the emulator
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
// The emulator is the first of: the running one that RELATIONINDEX_FIRESTORE_EMULATOR names; the jar that
// FIRESTORE_EMULATOR_BINARY_PATH names; the component of the gcloud SDK on PATH; the newest that firebase-tools has
// downloaded. Java is JAVA_HOME's, or the one on PATH.
//
// A running emulator is never ended. It must have been started with --functions_emulator=HOST:PORT, and the broker must
// listen just there: name it in RELATIONINDEX_FUNCTIONS_EMULATOR, or its port in [Options.BrokerPort]. Its rules and Java
// flags are those it was started with.
func Start(ctx context.Context, o Options) (*Emulator, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("options of the emulator: %w", err)
	}
	o = o.withDefaults()
	env, err := emulatorenv.Load()
	if err != nil {
		return nil, err
	}
	e := &Emulator{log: o.Logger, done: make(chan struct{})}
	e.close = sync.OnceValue(e.end)
	if env.Running == "" {
		err = e.launch(ctx, env, o)
	} else {
		err = e.attach(ctx, env, o)
	}
	if err != nil {
		return nil, err
	}
	if err := e.verify(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	context.AfterFunc(ctx, func() { _ = e.Close() }) // who calls Close gets its error
	return e, nil
}

// launch starts an emulator of our own.
func (e *Emulator) launch(ctx context.Context, env emulatorenv.Environment, o Options) error {
	i, err := find(ctx, env)
	if err != nil {
		return err
	}
	l, err := listen(net.JoinHostPort(loopback, strconv.Itoa(o.BrokerPort)))
	if err != nil {
		return err
	}
	log, err := freshLog(o.LogFile)
	if err != nil {
		return errors.Join(fmt.Errorf("log file of the emulator: %w", err), l.Close())
	}
	defer log.Close() // the child has its own descriptor
	e.logFile = log.Name()
	e.process, e.firestore, err = launch(ctx, i, o, l.Addr().String(), log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	e.serve(l, o)
	go e.watch() //nolint:gosec,contextcheck // it lives as long as the emulator, not as the call
	return nil
}

// attach uses an emulator that somebody else started.
func (e *Emulator) attach(ctx context.Context, env emulatorenv.Environment, o Options) error {
	address, err := eventAddress(env, o)
	if err != nil {
		return err
	}
	e.firestore = newRest(env.Running)
	if err := e.firestore.ready(ctx); err != nil {
		return fmt.Errorf("RELATIONINDEX_FIRESTORE_EMULATOR=%s does not answer: %w", env.Running, err)
	}
	l, err := listen(address)
	if err != nil {
		return err
	}
	if o.RulesFile != "" || len(o.JavaArgs) > 0 {
		o.Logger.LogAttrs(ctx, slog.LevelWarn, "rules and Java flags are those that the running emulator was started with")
	}
	e.serve(l, o)
	return nil
}

// eventAddress is where a running emulator posts its events.
func eventAddress(env emulatorenv.Environment, o Options) (string, error) {
	_, port, _ := net.SplitHostPort(env.Running)
	if o.FirestorePort != 0 && strconv.Itoa(o.FirestorePort) != port {
		return "", fmt.Errorf("FirestorePort = %d: RELATIONINDEX_FIRESTORE_EMULATOR=%s has another", o.FirestorePort, env.Running)
	}
	wanted := strconv.Itoa(o.BrokerPort)
	if env.Functions == "" {
		if o.BrokerPort == 0 {
			return "", fmt.Errorf("RELATIONINDEX_FIRESTORE_EMULATOR=%s is set, but not where it posts its events: set RELATIONINDEX_FUNCTIONS_EMULATOR (or BrokerPort) to the address that it was given as --functions_emulator", env.Running)
		}
		return net.JoinHostPort(loopback, wanted), nil
	}
	if _, port, _ := net.SplitHostPort(env.Functions); o.BrokerPort != 0 && wanted != port {
		return "", fmt.Errorf("BrokerPort = %d: RELATIONINDEX_FUNCTIONS_EMULATOR=%s has another", o.BrokerPort, env.Functions)
	}
	return env.Functions, nil
}

func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for events: %w", err)
	}
	return l, nil
}

// serve makes the broker and lets it answer.
func (e *Emulator) serve(l net.Listener, o Options) {
	e.broker = newBroker(o, e.firestore)
	e.url = brokerURL(l.Addr())
	e.server = &http.Server{
		Handler:           e.broker.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelWarn),
	}
	go func() { _ = e.server.Serve(l) }() // ends with ErrServerClosed
}

// verify lets one event come through, so that an emulator that posts elsewhere is found out now.
func (e *Emulator) verify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	ctx, cancelBoth := e.broker.withBroker(ctx)
	defer cancelBoth()
	if err := e.firestore.register(ctx, barrierProject, barrierTrigger); err != nil {
		return fmt.Errorf("register the trigger of the barrier: %w", err)
	}
	if err := e.broker.barrier.cross(ctx); err != nil {
		return fmt.Errorf("no event came from the emulator at %s; was it started with --functions_emulator=%s? %w",
			e.firestore.base, strings.TrimPrefix(e.url, "http://"), err)
	}
	return nil
}

// watch waits for the end of our emulator.
func (e *Emulator) watch() {
	<-e.process.Done()
	if !e.closing.Load() {
		e.log.LogAttrs(context.Background(), slog.LevelError, "the emulator ended by itself",
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

// LogFile is the path of what the emulator printed. It stays after Close. "" for an emulator that somebody else started.
func (e *Emulator) LogFile() string { return e.logFile }

// Broker is where triggers are registered and awaited.
func (e *Emulator) Broker() *Broker { return e.broker }

// Done is closed when the emulator process has ended, by Close or by itself. For an emulator that somebody else started
// it is closed by Close.
func (e *Emulator) Done() <-chan struct{} { return e.done }

// Close ends the deliveries, the emulator if Start started it, and the broker, and returns when they are gone. It may be
// called again, and returns the same.
func (e *Emulator) Close() error { return e.close() }

func (e *Emulator) end() error {
	e.closing.Store(true)
	e.broker.stop(ErrClosed)
	if e.process == nil {
		close(e.done)
	} else {
		e.process.Stop(stopGrace)
		<-e.done
	}
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
