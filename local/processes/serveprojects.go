package processes

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"

	"example.com/relationindex/functions"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local/site"
	"example.com/relationindex/schema"
)

// otherProjects serves /projects/{project}/{function} in a worker. Each project whose id begins with "demo-" gets the functions
// of the environment, on the database with the same id.
type otherProjects struct {
	cfg    schema.Config // of the environment, with logger
	logger *slog.Logger

	mu   sync.Mutex
	byID map[string]*served // at most MaxProjects
}

// served has the functions of a project.
type served struct {
	events, feed *functions.Handlers
}

func newOtherProjects(cfg schema.Config) http.Handler {
	cfg.Logger = logging.New(os.Stderr, cfg.LogLevel)
	o := &otherProjects{cfg: cfg, logger: cfg.Logger, byID: map[string]*served{}}
	mux := http.NewServeMux()
	mux.HandleFunc(site.ProjectsPath+"{project}/{function}", o.serve)
	return mux
}

func (o *otherProjects) serve(w http.ResponseWriter, r *http.Request) {
	id, function := r.PathValue("project"), r.PathValue("function")
	if !hasTriggers(id) || !slices.Contains(triggers.Names(), function) {
		http.NotFound(w, r)
		return
	}
	s, err := o.of(id) //nolint:contextcheck // its clients outlive the request
	if err != nil {
		o.logger.ErrorContext(r.Context(), "no functions for this project", logging.Error, err)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	h := s.events
	if function == triggers.Feed {
		h = s.feed
	}
	if r.Method == http.MethodPost { // an event, or the call of Sweep: the functions start as in production
		if err := h.Ready(r.Context(), function); err != nil {
			o.logger.ErrorContext(r.Context(), "functions of this project cannot start", logging.Error, err)
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	// With a reason, the actions of the system's own project leave these calls out.
	h.HTTP(function)(w, r.WithContext(wire.WithReason(r.Context(), id)))
}

// of returns the functions of a project. It sends no request.
func (o *otherProjects) of(id string) (*served, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s := o.byID[id]; s != nil {
		return s, nil
	}
	if len(o.byID) == MaxProjects {
		return nil, fmt.Errorf("project %s: %d others have functions already", id, MaxProjects)
	}
	client, err := wire.OpenDatabase(context.Background(), id, o.cfg.Database, o.cfg.EmulatorHost)
	if err != nil {
		return nil, err
	}
	cfg := o.cfg
	cfg.Project = id
	events, err := functions.New(client, functions.Custom(cfg))
	if err != nil {
		return nil, joinClose(err, client)
	}
	// The Auth emulator gives its tokens the environment's project, because clients name no project when they sign in. So all
	// tokens are of that project, also if the app was initialized with another.
	feed, err := functions.New(client, functions.Custom(o.cfg))
	if err != nil {
		return nil, joinClose(err, client)
	}
	o.byID[id] = &served{events, feed}
	return o.byID[id], nil
}
