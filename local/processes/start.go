package processes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/emulator/front"
	"example.com/relationindex/internal/rulestext"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/local/site"
)

// Start starts a system, and returns when it accepts events. Everything ends when ctx ends or [System.Close] is called. If the
// emulator or Java is missing, the error wraps [emulator.ErrNotInstalled], and says how to get it.
func Start(ctx context.Context, o Options) (*System, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.SweepEvery, o.Expiry = cmp.Or(o.SweepEvery, defaultSweepEvery), cmp.Or(o.Expiry, defaultExpiry)
	s := &System{options: o, cfg: o.Functions, guard: o.guard(), cancel: func() {}, closing: make(chan struct{}), done: make(chan struct{})}
	s.cfg.Project = o.Project
	s.close = sync.OnceValue(s.end)
	for _, step := range []func(context.Context) error{
		s.makeDir, s.takePorts, s.startEmulators, s.importAll, s.beginHorizon, s.startWeather, s.startExpiry, s.startFunctions,
		s.register, s.letClientsIn, s.serveSite,
	} {
		if err := step(ctx); err != nil {
			err = errors.Join(err, s.Close())
			if !strings.Contains(err.Error(), s.dir) { // the error does not name a file in the directory
				err = errors.Join(err, s.RemoveLogs())
			}
			return nil, err
		}
	}
	s.sweeper = startSweeper(ctx, s.balancer.url+"/Sweep", o.SweepEvery, s.logger())
	go s.watch()
	context.AfterFunc(ctx, func() { _ = s.Close() }) // a caller of Close gets its error
	return s, nil
}

// makeDir makes the directory of the rules and the logs.
func (s *System) makeDir(context.Context) (err error) {
	rules := s.options.rules()
	if s.options.Pace {
		if rules, err = rulestext.Paced(rules); err != nil {
			return err
		}
	}
	if s.dir, err = os.MkdirTemp("", "relationindex-"); err != nil {
		return fmt.Errorf("directory for logs: %w", err)
	}
	if err := os.WriteFile(s.file(rulesFile), rules, 0o600); err != nil {
		return fmt.Errorf("rules for the emulator: %w", err)
	}
	if s.log, err = os.Create(s.file(deliveriesLog)); err != nil {
		return fmt.Errorf("log of the deliveries: %w", err)
	}
	return nil
}

func (s *System) file(name string) string { return filepath.Join(s.dir, name) }

// takePorts listens on the ports of the site and of the proxy before the emulator. Then a port that is taken fails at once.
func (s *System) takePorts(context.Context) (err error) {
	o := &s.options
	if o.AnyProject {
		s.projects = newProjects(s)
	}
	if o.Web {
		s.actions = site.NewActions(s.name(), s.Stats, s.Idle)
		if s.site, err = listen("the web app", o.WebPort); err != nil {
			return err
		}
	}
	if o.AnyProject || !o.Unguarded || o.Weather != nil {
		s.frontPort, err = listen("Firestore", o.FirestorePort)
		o.FirestorePort = 0 // the emulator gets another port
	}
	return err
}

func (s *System) beginHorizon(ctx context.Context) error {
	return horizon.Begin(ctx, s.client, s.cfg.Horizon)
}

// register begins the deliveries.
func (s *System) register(ctx context.Context) error {
	return s.emulator.Broker().Register(ctx, s.cfg.Project, s.triggers(s.balancer.url)...)
}

// letClientsIn opens the proxy before the emulator, and gives imported projects their triggers.
func (s *System) letClientsIn(ctx context.Context) error {
	s.firestoreHost = s.cfg.EmulatorHost
	if s.frontPort != nil {
		var arrive front.Arrive
		if s.projects != nil {
			arrive = s.projects.arrive
		}
		s.front = front.ServeBoth(s.frontPort.listener, s.cfg.EmulatorHost, s.callsHost(), s.guard, arrive)
		s.firestoreHost = s.frontPort.listener.Addr().String()
	}
	for _, id := range s.imported {
		if err := s.projects.arrive(ctx, id, s.cfg.DatabaseID()); err != nil {
			return err
		}
	}
	return nil
}

// serveSite serves the app and the console, if the options require them.
func (s *System) serveSite(context.Context) error {
	if s.site == nil {
		return nil
	}
	o := site.Options{Config: s.Config(), FunctionsURL: s.balancer.url, Pace: s.options.Pace, Guard: s.guard, Engine: s.engine, Actions: s.actions, HasTriggers: hasTriggers, SignIns: s.offered}
	if s.projects != nil {
		o.Arrive = func(ctx context.Context, id string) error { return s.projects.arrive(ctx, id, s.cfg.DatabaseID()) }
	}
	handler, err := site.Handler(o)
	if err == nil {
		s.site.serve(s.guard, handler)
	}
	return err
}

// triggers returns the broker's triggers for functions at a base URL. Their concurrency is that of all workers, because a trigger's
// concurrency is that of one instance.
func (s *System) triggers(base string) []emulator.Trigger {
	triggers := local.BrokerTriggers(s.cfg, base)
	for i := range triggers {
		triggers[i].Concurrency = min(triggers[i].Concurrency*s.Workers(), maxInFlight)
	}
	return triggers
}

// startFunctions starts everything between the broker and the emulator: the balancer, the workers, and the proxy with the guards.
// The functions need the proxy because they are the production program, which has no guards. startFunctions returns when
// all workers answer.
func (s *System) startFunctions(ctx context.Context) error {
	cfg, o := s.cfg, s.options
	guards, err := o.guards()
	if err != nil {
		return err
	}
	var count []wire.Interceptor // comes first: it counts what the functions get, faults included
	if s.actions != nil {
		count = append(count, s.actions.Interceptor())
	}
	if interceptors := slices.Concat(count, o.Interceptors, guards, s.underWeather()); len(interceptors) > 0 {
		if s.proxy, err = faults.Serve(context.WithoutCancel(ctx), cfg.EmulatorHost, interceptors...); err != nil {
			return err
		}
		cfg.EmulatorHost = s.proxy.Host()
	}
	s.workers = newWorkers(o.Command, cfg, s.file(functionsLog), max(1, o.Workers))
	if o.Instances != nil {
		s.services = newServices(*o.Instances, cfg, s.Workers())
	}
	s.workers.killed = s.services.stop
	if err := s.workers.start(ctx); err != nil {
		return err
	}
	s.balancer, err = startBalancer(s.guard, s.services, s.workers.pick) //nolint:contextcheck // each request has its own
	return err
}

// guards returns the guards of the functions and of the system's client.
func (o Options) guards() ([]wire.Interceptor, error) {
	if o.Unguarded {
		return nil, nil
	}
	guards, err := local.Guards(false, nil)
	return []wire.Interceptor{guards}, err
}
