package processes

import (
	"net/http"

	"github.com/rs/cors"
)

// forLocalPages lets the pages of other origins that the guard lets in read what handler
// answers to GET and HEAD: an app under development has a server of its own.
func (s *System) forLocalPages(handler http.Handler) http.Handler {
	return cors.New(cors.Options{
		AllowOriginFunc: func(origin string) bool { _, ok := s.guard.AllowsOrigin(origin); return ok },
		AllowedMethods:  []string{http.MethodGet, http.MethodHead},
		AllowedHeaders:  []string{"Authorization", "If-None-Match", "X-Firebase-AppCheck"},
		ExposedHeaders:  []string{"ETag", "Retry-After"},
	}).Handler(handler)
}
