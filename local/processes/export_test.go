package processes

import "example.com/relationindex/local/site"

// KillFunctions kills a process that serves the functions, behind the system's
// back.
func KillFunctions(s *System) {
	s.workers.mu.Lock()
	defer s.workers.mu.Unlock()
	s.workers.places[0].child.Kill()
}

// LastAction is the last action, as it is now.
func LastAction(s *System) site.Action {
	all, _, _ := s.actions.Since(0)
	return all[len(all)-1]
}

// FunctionsURL is the base URL of the functions.
func FunctionsURL(s *System) string { return s.balancer.url }

// MaxProjects is the most projects with triggers beside the system's own.
const MaxProjects = maxProjects
