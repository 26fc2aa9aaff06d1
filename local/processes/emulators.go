package processes

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/auth"
	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
)

// startEmulators starts both emulators at once, and opens the client. During the start they end with ctx.
// Afterwards Close ends them: the Firestore emulator before the functions, and the Auth emulator after them.
func (s *System) startEmulators(ctx context.Context) error {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	defer context.AfterFunc(ctx, cancel)()
	var both errgroup.Group
	for _, start := range []func(context.Context) error{s.startFirestore, s.startAuth} {
		both.Go(func() error {
			err := start(life)
			if err != nil {
				cancel() // stops the start of the other one
			}
			return err
		})
	}
	return both.Wait()
}

// startAuth starts the Auth emulator, if the options require it and it is installed.
func (s *System) startAuth(life context.Context) error {
	s.cfg.AuthEmulatorHost = "" // an emulator in the environment does not belong to this system
	o := s.options
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
func (s *System) startFirestore(life context.Context) (err error) {
	o := s.options
	var plan func(emulator.Event) []emulator.Attempt
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

// planOf plans deliveries. It never loses the events of user documents, because sampling does not find the
// damage.
func planOf(r chaos.Rates) func(emulator.Event) []emulator.Attempt {
	all := r.Plan()
	r.Lose = 0
	kept := r.Plan()
	return func(e emulator.Event) []emulator.Attempt {
		if e.Trigger == "OnUserDeleted" || e.Trigger == "OnUserWritten" {
			return kept(e)
		}
		return all(e)
	}
}
