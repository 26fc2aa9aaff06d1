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
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/bench/internal/machine"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/devhost"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
)

var scale = flag.Float64("scale", 0.1, "what waits of minutes and hours are multiplied by: see docs/weather.md")

// patience is how long what was written may take to reach its readers, before it counts as never.
const patience = 5 * time.Minute

// system is the functions in production's weather, and a trigger that does nothing beside each of them.
type system struct {
	*devhost.System
	tb      testing.TB
	watch   *watch
	clients *firestore.Client // under the weather, as the functions are

	written atomic.Int64 // posts and follows so far, for their ids
}

// options of a system beside the functions' configuration.
type options struct {
	functions config.Functions
	workers   int
	sweep     time.Duration
	entry     time.Duration // replaces the latency of an index entry, unless 0
}

func start(tb testing.TB, o options) *system {
	tb.Helper()
	s := &system{tb: tb, watch: newWatch()}
	o.functions.CopiedFields = []string{"text"}
	system := devhost.Options{
		Project: "demo-weather", Functions: o.functions, Workers: max(o.workers, 1), SweepEvery: o.sweep,
		Command: []string{os.Args[0], "functions"}, Interceptors: []wire.Interceptor{s.watch.Interceptor()},
		EmulatorArgs: []string{"-Xmx12g"},
	}
	system.SetProductionWeather(*scale, 1)
	system.Weather.Building, system.Weather.Spells.Share = 0, 0
	if o.entry > 0 {
		system.Weather.Latency.Entry = o.entry
	}
	var err error
	if s.System, err = devhost.Start(context.WithoutCancel(tb.Context()), system); err != nil {
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

// startBare registers a trigger that does nothing beside those of posts and of follows.
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
	for _, t := range triggers.Events(s.System.Config()) {
		if t.Name != "OnPostWritten" && t.Name != "OnFollowerWritten" {
			continue
		}
		services["/"+t.Name] = instances.NewService(o, t.Concurrency, t.MaxInstances)
		must(s.tb, s.Broker().Register(s.tb.Context(), s.Config().Project, emulator.Trigger{
			Name: "Bare" + t.Name, EventType: t.EventType, Document: t.Document,
			Concurrency: t.Concurrency, Timeout: t.Timeout, URL: server.URL + "/" + t.Name,
		}))
	}
}

// measure runs a case, waits until all that it wrote has reached its readers and all jobs have ended, and returns the
// samples, and how much of the machine's processor the emulator used while clients wrote.
func (s *system) measure(do func(ctx context.Context)) result {
	s.tb.Helper()
	before, began := s.now(), time.Now()
	do(s.tb.Context())
	used, took := s.now().Since(before, 1), time.Since(began)
	busy := used.Emulator.Seconds() / took.Seconds() / float64(runtime.NumCPU())
	for deadline := time.Now().Add(patience); s.watch.unseen() > 0 && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
	r := result{samples: s.watch.take(), emulator: busy, wrote: took}
	ctx, cancel := context.WithTimeout(s.tb.Context(), patience)
	defer cancel()
	err := s.Idle(ctx)
	if _, busy := errors.AsType[*emulator.NotIdleError](err); busy {
		r.left = err.Error()
	} else {
		must(s.tb, err)
	}
	r.rest = time.Since(began)
	return r
}

// result is what a case has measured.
type result struct {
	samples  []*sample
	emulator float64       // share of the processors while clients wrote
	wrote    time.Duration // how long clients wrote
	rest     time.Duration // until nothing was left to do
	left     string        // what was left to do after all patience; "": nothing
}

func (s *system) now() machine.CPU {
	now, err := machine.Now()
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
