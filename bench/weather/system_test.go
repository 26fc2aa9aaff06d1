package weather

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/bench/internal/machine"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/schema"
)

var scale = flag.Float64("scale", 0.1, "multiplies long waits: see \"Scale\" in docs/weather.md")

// patience is the longest time that a write may take to reach its readers. After that it counts as never found.
const patience = 5 * time.Minute

// aWhile is the shortest time of writing in which the emulator's share of the processors means something.
const aWhile = 10 * time.Second

// restPatience is how long what nobody waits for may take after that, before it counts as never at rest.
const restPatience = 2 * time.Minute

// system runs the functions in production's weather, and beside those of posts and of follows a trigger that does nothing.
type system struct {
	*processes.System
	tb      testing.TB
	watch   *watch
	meter   wire.Meter        // of the functions
	clients *firestore.Client // under the weather, as the functions are

	written atomic.Int64         // posts and follows so far, for their ids
	bare    []*instances.Service // of the no-op triggers
}

// options of a system beside the functions' configuration.
type options struct {
	functions schema.Config
	sweep     time.Duration // 0: the default
	ramp      bool          // the ramp of a new collection is not scaled
}

func start(tb testing.TB, o options) *system {
	tb.Helper()
	s := &system{tb: tb, watch: newWatch()}
	o.functions.CopiedFields = []string{"text"}
	if _, ok := tb.(*testing.B); ok {
		fmt.Fprintln(os.Stdout) // after the benchmark's name
	}
	system := processes.Options{
		Project: "demo-weather", Functions: o.functions, Workers: 2, SweepEvery: o.sweep,
		Command: []string{os.Args[0], "functions"}, Interceptors: []wire.Interceptor{s.watch.Interceptor(), s.meter.Interceptor()},
		EmulatorArgs: []string{"-Xmx12g"},
	}
	system.SetProductionWeather(*scale, 1)
	system.Weather.Building, system.Weather.Spells.Share = 0, 0
	if o.ramp {
		system.Weather.Ramp.Step = time.Duration(float64(system.Weather.Ramp.Step) / *scale)
	}
	var err error
	if s.System, err = processes.Start(context.WithoutCancel(tb.Context()), system); err != nil {
		tb.Fatal("this needs the Firestore emulator:", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
		if !tb.Failed() {
			if err := s.RemoveLogs(); err != nil {
				tb.Error(err)
			}
		}
	})
	s.clients, err = wire.Open(tb.Context(), s.Config().Project, s.FirestoreHost())
	must(tb, err)
	tb.Cleanup(func() { _ = s.clients.Close() })
	s.startBare()
	return s
}

// startBare registers the no-op triggers, beside those of posts and of follows.
func (s *system) startBare() {
	s.tb.Helper()
	services := map[string]*instances.Service{}
	o := instances.Production()
	o.Scale = *scale
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		services[r.URL.Path].Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if document, err := url.PathUnescape(r.Header.Get("Ce-Document")); err == nil {
				s.watch.delivered(document, time.Now())
			}
			w.WriteHeader(http.StatusNoContent)
		})).ServeHTTP(w, r)
	}))
	s.tb.Cleanup(server.Close)
	for _, t := range triggers.Events(s.Config()) {
		if t.Name != "OnPostWritten" && t.Name != "OnFollowerWritten" {
			continue
		}
		service := instances.NewService(o, t.Concurrency, t.MaxInstances)
		services["/"+t.Name], s.bare = service, append(s.bare, service)
		must(s.tb, s.Broker().Register(s.tb.Context(), s.Config().Project, emulator.Trigger{
			Name: "Bare" + t.Name, EventType: t.EventType, Document: t.Document,
			Concurrency: t.Concurrency, Timeout: t.Timeout, URL: server.URL + "/" + t.Name,
		}))
	}
}

// restart restarts all instances, also those of the no-op triggers.
func (s *system) restart() error {
	for _, service := range s.bare {
		service.Stop(nil)
	}
	return s.KillAll()
}

// together measures functions that run at once and take about d. restarted restarts all instances after half of d.
func (s *system) together(restarted bool, d time.Duration, happens ...func(context.Context) error) result {
	return s.measure(func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		for _, do := range happens {
			group.Go(func() error { return do(ctx) })
		}
		if restarted {
			group.Go(func() error {
				select {
				case <-time.After(d / 2):
					return s.restart()
				case <-ctx.Done():
					return nil
				}
			})
		}
		return group.Wait()
	})
}

// measure runs a case, waits until all its writes have reached their readers and all jobs have ended, and returns the result.
func (s *system) measure(do func(ctx context.Context) error) result {
	s.tb.Helper()
	s.Broker().Pauses("") // forgets earlier pauses
	logged, before, began := s.logged(), s.now(), time.Now()
	ctx, cancel := context.WithCancel(s.tb.Context())
	var asking sync.WaitGroup
	s.watch.ask = func(x *sample) { asking.Go(func() { s.ask(ctx, x) }) }
	r := result{err: do(ctx)}
	r.wrote = time.Since(began)
	busy := func() float64 {
		return (s.now() - before).Seconds() / time.Since(began).Seconds() / float64(runtime.NumCPU())
	}
	r.emulator = busy()
	s.waitForReaders(ctx)
	if r.wrote < aWhile {
		r.emulator = busy()
	}
	r.samples = s.watch.take()
	cancel()
	asking.Wait()
	ctx, cancel = context.WithTimeout(s.tb.Context(), restPatience)
	defer cancel()
	err := s.Idle(ctx)
	if _, busy := errors.AsType[*emulator.NotIdleError](err); busy {
		r.left, err = err.Error(), nil
	}
	r.rest = time.Since(began)
	r.err = errors.Join(r.err, err)
	r.reasons, err = s.reasons(logged)
	r.err = errors.Join(r.err, err)
	return r
}

// waitForReaders waits until each reader has found what was written, for patience at most. Readers that wait for long ask, some
// at a time: the answer to a commit may have been lost.
func (s *system) waitForReaders(ctx context.Context) {
	asked := time.Now()
	until(func() bool {
		if time.Since(asked) > askLate {
			s.askLate(ctx)
			asked = time.Now()
		}
		unseen, _ := s.watch.unseen()
		return unseen == 0
	})
}

// until waits until is returns true, for patience at most.
func until(is func() bool) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !is() && time.Now().Before(deadline); <-tick.C {
	}
}

// result has the measurements of a case.
type result struct {
	samples  []*sample
	emulator float64       // share of the processors while clients wrote, or until readers had found all if clients wrote for less than aWhile
	wrote    time.Duration // how long clients wrote
	rest     time.Duration // until nothing was left to do
	left     string        // what was left to do after restPatience; "": nothing
	reasons  []string      // how runs and deliveries ended
	err      error         // the case did not do all that it should
}

// now returns the emulator's processor time.
func (s *system) now() time.Duration {
	now, err := machine.EmulatorTime()
	must(s.tb, err)
	return now
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func name[N int | int64](kind string, n N) string { return fmt.Sprintf("%s-%020d", kind, n) }
