package processes

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/emulator/process"
	"example.com/relationindex/schema"
)

// ErrNotUp means that a worker was killed and its successor does not answer yet.
var ErrNotUp = errors.New("the worker is being replaced")

// workers are the processes that serve the functions, each in its place. Another process takes the place of a killed one.
type workers struct {
	command []string
	cfg     schema.Config
	logFile string // of all workers
	kills   atomic.Int64
	killed  func(i int) // called after each kill of a worker
	failed  chan error  // gets the first error of a worker that ended without a kill, or could not be replaced

	ctx    context.Context // of replacements; ends with close
	cancel context.CancelFunc
	watch  sync.WaitGroup // a goroutine for each place

	mu     sync.Mutex
	places []place
	turn   int // the place that pick tries next
}

// workers.mu guards place, but not the child and the URL that it points to.
type place struct {
	child *process.Child
	url   *url.URL // nil while the child accepts no requests: not yet, or not any more
}

func newWorkers(command []string, cfg schema.Config, logFile string, n int) *workers {
	w := &workers{command: command, cfg: cfg, logFile: logFile, failed: make(chan error, 1), places: make([]place, n), killed: func(int) {}}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// start starts all workers and returns when they answer.
func (w *workers) start(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for i := range w.places {
		g.Go(func() error { return w.fill(ctx, i) })
	}
	return g.Wait()
}

// fill starts the process of a place, and returns when it answers.
func (w *workers) fill(ctx context.Context, i int) error {
	w.mu.Lock()
	cfg := w.cfg
	w.mu.Unlock()
	child, address, err := startFunctions(ctx, w.command, cfg, w.logFile)
	if err != nil {
		return err
	}
	to, err := url.Parse(address)
	if err != nil {
		child.Stop(stopGrace)
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.places[i] = place{child, to}
	w.watch.Go(func() { w.keep(i, child) })
	return nil
}

// keep waits for the end of a place's process. If that process was killed, keep starts another.
func (w *workers) keep(i int, child *process.Child) {
	select {
	case <-child.Done():
	case <-w.ctx.Done():
		child.Stop(stopGrace)
		return
	}
	w.mu.Lock()
	killed := w.places[i].url == nil
	w.places[i].url = nil
	w.mu.Unlock()
	var err error
	switch {
	case w.ctx.Err() != nil:
		return
	case killed:
		err = w.fill(w.ctx, i)
	default:
		err = child.Failure("the functions")
	}
	if err != nil && w.ctx.Err() == nil {
		select {
		case w.failed <- err:
		default: // one error is enough to end the system
		}
	}
}

// kill kills a worker and returns when it is dead.
func (w *workers) kill(i int) error {
	if i < 0 || i >= len(w.places) {
		return fmt.Errorf("worker %d: must be 0 to %d", i, len(w.places)-1)
	}
	w.mu.Lock()
	p := w.places[i]
	w.places[i].url = nil
	w.mu.Unlock()
	if p.url == nil {
		return fmt.Errorf("worker %d: %w", i, ErrNotUp)
	}
	w.kills.Add(1)
	p.child.Kill()
	<-p.child.Done()
	w.killed(i)
	return nil
}

// killAll kills all workers, except workers that are being replaced.
func (w *workers) killAll() error {
	for i := range w.places {
		if err := w.kill(i); err != nil && !errors.Is(err, ErrNotUp) {
			return err
		}
	}
	return nil
}

// reconfigure replaces all workers by workers with another configuration, and returns when the new ones answer.
func (w *workers) reconfigure(ctx context.Context, cfg schema.Config) error {
	w.mu.Lock()
	cfg.Project, cfg.EmulatorHost, cfg.AuthEmulatorHost = w.cfg.Project, w.cfg.EmulatorHost, w.cfg.AuthEmulatorHost
	w.cfg = cfg
	w.mu.Unlock()
	if err := w.killAll(); err != nil {
		return err
	}
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for len(w.pids()) < len(w.places) {
		select {
		case <-look.C:
		case err := <-w.failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// pick returns the URL of an instance's worker. For -1, it returns that of the worker whose turn it is. If this worker does not
// answer, pick returns the URL of the next one that does; nil if there is none.
func (w *workers) pick(instance int) *url.URL {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := instance
	if instance < 0 {
		next = w.turn
	}
	for range w.places {
		p := w.places[next%len(w.places)]
		next++
		if p.url != nil {
			if instance < 0 {
				w.turn = next % len(w.places)
			}
			return p.url
		}
	}
	return nil
}

// pids returns the process ids of the workers that answer.
func (w *workers) pids() (ids []int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.places {
		if p.url != nil {
			ids = append(ids, p.child.PID())
		}
	}
	return ids
}

// close ends all workers, including new ones, and returns when no process is left.
func (w *workers) close() error {
	w.cancel()
	w.watch.Wait()
	return nil
}
