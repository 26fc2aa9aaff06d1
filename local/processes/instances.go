package processes

import (
	"net/http"
	"path"
	"strings"
	"sync"

	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/local/site"
	"example.com/relationindex/schema"
)

// services models the instances of each function, as the table of triggers deploys it.
// Instance n is at worker n modulo the number of workers. All functions share the workers.
type services struct {
	options instances.Options
	rows    map[string]triggers.Trigger // by name
	workers int

	mu     sync.Mutex
	byPath map[string]*instances.Service // of a function of a project
}

func newServices(o instances.Options, cfg schema.Config, workers int) *services {
	o.Minimum = max(o.Minimum, workers) // otherwise one worker would do all work
	s := &services{options: o, rows: map[string]triggers.Trigger{}, workers: workers, byPath: map[string]*instances.Service{}}
	for _, row := range triggers.All(cfg) {
		s.rows[row.Name] = row
	}
	return s
}

// handler returns handler behind the instances of the function at the request's path. Other paths bypass the
// instances. A nil services returns handler unchanged.
func (s *services) handler(handler http.Handler) http.Handler {
	if s == nil {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if service := s.of(r.URL.Path); service != nil {
			service.Handler(handler).ServeHTTP(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// of returns the instances of the function at a path; nil: no function is there.
func (s *services) of(to string) *instances.Service {
	dir, name := path.Split(to)
	row, known := s.rows[name]
	project, other := strings.CutPrefix(strings.TrimSuffix(dir, "/"), site.ProjectsPath)
	if served := dir == "/" || other && hasTriggers(project); !known || !served {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byPath[to] == nil {
		s.byPath[to] = instances.NewService(s.options, row.Concurrency, row.MaxInstances)
	}
	return s.byPath[to]
}

// stop removes the instances at a worker.
func (s *services) stop(worker int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, service := range s.byPath {
		service.Stop(func(number int) bool { return number%s.workers == worker })
	}
}
