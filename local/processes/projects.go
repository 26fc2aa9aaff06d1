package processes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
)

// demoPrefix begins the ids that can never be those of real projects.
const demoPrefix = "demo-"

// MaxProjects is the most projects with triggers beside the system's own. Each worker has handlers for each of them.
const MaxProjects = 20

// arriveTimeout is the longest that the first request of a project waits for its triggers. Usually that is milliseconds.
const arriveTimeout = time.Minute

// projects are the projects named by clients, beside the system's own. Only the system's own also has actions, the app and
// the console.
type projects struct {
	system *System

	starting sync.Mutex // held while a project gets its triggers
	closed   bool       // guarded by starting

	mu   sync.Mutex
	byID map[string]*project
	told map[string]bool // projects with a notice
}

const keyTold = "told" // the text of a notice, in the log of deliveries

var errEnding = errors.New("dev is about to end")

// project is a project with triggers, in the database with the same id as the system's.
type project struct {
	client  *firestore.Client
	engine  *chunker.Engine
	sweeper *task
}

func newProjects(s *System) *projects {
	return &projects{system: s, byID: map[string]*project{}, told: map[string]bool{}}
}

// arrive gives a project its triggers, unless it has them. It is a [front.Arrive].
func (p *projects) arrive(ctx context.Context, id, database string) error {
	switch {
	case id == p.system.cfg.Project || p.get(id) != nil:
		return nil
	case !hasTriggers(id):
		p.tell(id, fmt.Sprintf("%.80q has no triggers: only projects that begin with %s have", id, demoPrefix))
		return nil
	case database != p.system.cfg.DatabaseID():
		return nil // the system's own project has no triggers in other databases either
	}
	return p.ensure(ctx, id)
}

// hasTriggers says whether a project of this id may have triggers.
func hasTriggers(id string) bool {
	return strings.HasPrefix(id, demoPrefix) && projectID.MatchString(id)
}

// ensure gives a project its triggers, unless it has them.
func (p *projects) ensure(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), arriveTimeout) // other requests wait for the same
	defer cancel()
	p.starting.Lock()
	defer p.starting.Unlock()
	if p.get(id) != nil {
		return nil
	}
	if p.closed {
		return errEnding
	}
	if len(p.ids()) == MaxProjects {
		return fmt.Errorf("project %s: dev has triggers for %d other projects already, and for no more: start it again", id, MaxProjects)
	}
	started, err := p.start(ctx, id)
	if err != nil {
		return fmt.Errorf("triggers of project %s: %w", id, err)
	}
	p.mu.Lock()
	p.byID[id] = started
	p.mu.Unlock()
	p.tell(id, id+" has triggers from now on")
	return nil
}

func (p *projects) start(ctx context.Context, id string) (*project, error) {
	s := p.system
	client, err := wire.OpenDatabase(context.WithoutCancel(ctx), id, s.cfg.Database, s.cfg.EmulatorHost)
	if err != nil {
		return nil, err
	}
	started := &project{client: client, engine: chunker.New(client, chunker.Options{})}
	if err := horizon.Begin(ctx, client, s.cfg.Horizon); err != nil {
		return nil, joinClose(err, client)
	}
	if err := s.emulator.Broker().Register(ctx, id, s.triggers(s.functionsURL(id))...); err != nil {
		return nil, joinClose(err, client)
	}
	started.sweeper = startSweeper(ctx, s.functionsURL(id)+"/Sweep", s.options.SweepEvery, s.logger())
	return started, nil
}

func (p *projects) get(id string) *project {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byID[id]
}

// ids returns the ids of the projects, sorted; none for nil.
func (p *projects) ids() []string {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.byID))
}

// tell sends the notice about a project, once for each project.
func (p *projects) tell(id, what string) {
	p.mu.Lock()
	first := !p.told[id] && len(p.told) < 2*MaxProjects
	if first {
		p.told[id] = true
	}
	p.mu.Unlock()
	if !first {
		return
	}
	p.system.logger().Info("triggers of a project", keyTold, what)
	if notice := p.system.options.Notice; notice != nil {
		notice(what)
	}
}

// unfinished returns the unfinished job of a database, by the database's [emulator.Name].
func (p *projects) unfinished(ctx context.Context, name string) (string, error) {
	for _, id := range p.ids() {
		if name == emulator.Name(id, p.system.cfg.Database) {
			return local.Unfinished(ctx, p.get(id).engine)
		}
	}
	return "", nil
}

// close ends the clients and sweeps of the projects. No other project gets triggers from now on.
func (p *projects) close() error {
	p.starting.Lock()
	defer p.starting.Unlock()
	p.closed = true
	var err error
	for _, id := range p.ids() {
		err = joinClose(errors.Join(err, p.get(id).sweeper.close()), p.get(id).client)
	}
	return err
}

// joinClose closes c, and joins its error to err.
func joinClose(err error, c io.Closer) error { return errors.Join(err, c.Close()) }
