package processes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex"
	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/auth"
	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/emulator/front"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/local/site"
	"example.com/relationindex/schema"
)

// Start starts a system, and returns when it takes events. Everything ends
// when ctx ends or [System.Close] is called. The error wraps
// [emulator.ErrNotInstalled] if that is why, and tells how to get it.
func Start(ctx context.Context, o Options) (_ *System, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &System{cfg: o.Functions, cancel: func() {}, closing: make(chan struct{}), done: make(chan struct{})}
	s.cfg.Project, s.guard, s.pace = o.Project, o.guard(), o.Pace
	s.sweepEvery, s.notice = cmp.Or(o.SweepEvery, defaultSweepEvery), o.Notice
	s.close = sync.OnceValue(s.end)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			if !strings.Contains(err.Error(), s.dir) { // else it tells to look there
				err = errors.Join(err, s.RemoveLogs())
			}
		}
	}()
	if err := s.makeDir(); err != nil {
		return nil, err
	}
	if o.Web {
		s.actions = site.NewActions(s.name(), s.Stats, s.Idle)
		if s.site, err = listen("web app", o.WebPort); err != nil {
			return nil, err // now, and not after all has started
		}
	}
	var frontListener net.Listener
	if o.AnyProject || !o.Unguarded || o.Weather != nil {
		if frontListener, err = net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(o.FirestorePort))); err != nil {
			return nil, fmt.Errorf("port of Firestore: %w", err)
		}
		o.FirestorePort = 0
		defer func() {
			if err != nil && s.front == nil {
				_ = frontListener.Close() // nothing was served
			}
		}()
	}
	var arrive front.Arrive
	if o.AnyProject {
		s.projects = newProjects(s)
		arrive = s.projects.arrive
	}
	if err := s.startEmulators(ctx, o); err != nil {
		return nil, err
	}
	if o.Import != "" {
		if err := s.importAll(ctx, o.Import); err != nil {
			return nil, err
		}
	}
	if err := schema.BeginHorizon(ctx, s.client, s.cfg.Horizon); err != nil {
		return nil, err
	}
	if err := s.startWeather(ctx, o); err != nil {
		return nil, err
	}
	if s.weather == nil {
		if err := s.startExpiry(ctx, cmp.Or(o.Expiry, defaultExpiry)); err != nil {
			return nil, err
		}
	}
	if err := s.startFunctions(ctx, o); err != nil {
		return nil, err
	}
	if err := s.emulator.Broker().Register(ctx, o.Project, s.triggers(s.balancer.url)...); err != nil {
		return nil, err
	}
	s.firestoreHost = s.cfg.EmulatorHost
	if frontListener != nil {
		s.front = front.ServeBoth(frontListener, s.cfg.EmulatorHost, s.callsHost(), s.guard, arrive)
		s.firestoreHost = frontListener.Addr().String()
	}
	for _, id := range s.imported {
		if err := s.projects.arrive(ctx, id, s.cfg.DatabaseID()); err != nil {
			return nil, err
		}
	}
	if o.Web {
		handler, err := site.Handler(s.siteOptions())
		if err != nil {
			return nil, err
		}
		s.site.serve(s.guard, handler)
	}
	s.sweeper = startSweeper(ctx, s.balancer.url+"/Sweep", s.sweepEvery, s.logger())
	go s.watch()
	context.AfterFunc(ctx, func() { _ = s.Close() }) // who calls Close gets its error
	return s, nil
}

func (s *System) siteOptions() site.Options {
	o := site.Options{Config: s.Config(), FunctionsURL: s.balancer.url, Pace: s.pace, Guard: s.guard, Engine: s.engine, Actions: s.actions, HasTriggers: hasTriggers}
	if s.projects != nil {
		o.Arrive = func(ctx context.Context, id string) error { return s.projects.arrive(ctx, id, s.cfg.DatabaseID()) }
	}
	return o
}

// triggers are the broker's for functions at a base URL, with the concurrency of all
// workers: a trigger's is that of one instance.
func (s *System) triggers(base string) []emulator.Trigger {
	triggers := local.BrokerTriggers(s.cfg, base)
	for i := range triggers {
		triggers[i].Concurrency = min(triggers[i].Concurrency*s.Workers(), maxInFlight)
	}
	return triggers
}

func (s *System) file(name string) string { return filepath.Join(s.dir, name) }

// makeDir makes the directory of the rules and the logs.
func (s *System) makeDir() (err error) {
	rules := relationindex.FirestoreRules
	if s.pace {
		if rules, err = config.Paced(rules); err != nil {
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

// startEmulators starts the emulators at once, and opens the client. While they
// start they end with ctx; afterwards Close ends them, before the functions.
func (s *System) startEmulators(ctx context.Context, o Options) error {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	defer context.AfterFunc(ctx, cancel)()
	var both errgroup.Group
	for _, start := range []func(context.Context, Options) error{s.startFirestore, s.startAuth} {
		both.Go(func() error {
			err := start(life, o)
			if err != nil {
				cancel() // the other need not get ready
			}
			return err
		})
	}
	return both.Wait()
}

// startAuth starts the Auth emulator, if it is asked for and there.
func (s *System) startAuth(life context.Context, o Options) error {
	s.cfg.AuthEmulatorHost = "" // one that this process was told of knows nothing of this system
	if !o.Auth {
		return nil
	}
	e, err := auth.Start(life, auth.Options{Project: o.Project, Port: o.AuthPort, Guard: s.guard, LogFile: s.file(authLog)})
	if errors.Is(err, auth.ErrNotInstalled) {
		s.noAuth = err
		return nil
	}
	if err != nil {
		return err
	}
	s.auth, s.cfg.AuthEmulatorHost = e, e.Host()
	return nil
}

// startFirestore starts the Firestore emulator and opens the client.
func (s *System) startFirestore(life context.Context, o Options) error {
	var err error
	var plan func(emulator.Event) []emulator.Delivery
	if o.Chaos != (chaos.Rates{}) {
		plan = planOf(o.Chaos)
	}
	var observe func(emulator.Event)
	if s.actions != nil {
		observe = s.actions.Observe
	}
	var engine atomic.Pointer[chunker.Engine]
	s.emulator, err = emulator.Start(life, emulator.Options{
		FirestorePort: o.FirestorePort,
		BrokerPort:    o.FunctionsPort,
		Guard:         s.guard,
		LogFile:       s.file(emulatorLog),
		RulesFile:     s.file(rulesFile),
		JavaArgs:      o.EmulatorArgs,
		Logger:        s.logger(),
		Plan:          plan,
		Push:          o.Push,
		Observe:       observe,
		Busy: func(ctx context.Context, name string) (string, error) {
			if e := engine.Load(); e != nil && name == s.name() {
				return local.Unfinished(ctx, e)
			}
			if s.projects != nil {
				return s.projects.unfinished(ctx, name)
			}
			return "", nil
		},
	})
	if err != nil {
		return err
	}
	s.cfg.EmulatorHost = s.emulator.FirestoreHost()
	guards, err := o.guards()
	if err != nil {
		return err
	}
	if s.client, err = wire.OpenDatabase(life, o.Project, s.cfg.Database, s.cfg.EmulatorHost, guards...); err != nil {
		return err
	}
	s.engine = chunker.New(s.client, chunker.Options{})
	engine.Store(s.engine)
	return nil
}

// planOf plans deliveries. It never loses the events of user documents: sampling does not find what
// those leave out.
func planOf(r chaos.Rates) func(emulator.Event) []emulator.Delivery {
	all := r.Plan()
	r.Lose = 0
	kept := r.Plan()
	return func(e emulator.Event) []emulator.Delivery {
		if e.Trigger == "OnUserDeleted" || e.Trigger == "OnUserWritten" {
			return kept(e)
		}
		return all(e)
	}
}

// startFunctions starts what is between the broker and the emulator: the
// balancer, the workers, and the proxy with the guards: the functions are the
// production program, which knows nothing of guards. It returns when all
// workers answer.
func (s *System) startFunctions(ctx context.Context, o Options) error {
	cfg := s.cfg
	guards, err := o.guards()
	if err != nil {
		return err
	}
	var count []wire.Interceptor // first: what the functions get, faults included
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

// guards are those of the functions and of the system's client.
func (o Options) guards() ([]wire.Interceptor, error) {
	if o.Unguarded {
		return nil, nil
	}
	guards, err := local.Guards(false, nil)
	return []wire.Interceptor{guards}, err
}
