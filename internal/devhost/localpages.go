package devhost

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/rs/cors"
)

// localNames are the hosts of pages that a server of this machine has served.
var localNames = []string{"localhost", loopback, "::1"}

// forLocalPages lets pages of other origins read what handler answers to GET and HEAD,
// if they are from this machine: an app under development has a server of its own.
// Pages from elsewhere get to read nothing.
func forLocalPages(handler http.Handler) http.Handler {
	return cors.New(cors.Options{
		AllowOriginFunc: isLocal,
		AllowedMethods:  []string{http.MethodGet, http.MethodHead},
		AllowedHeaders:  []string{"Authorization", "If-None-Match", "X-Firebase-AppCheck"},
		ExposedHeaders:  []string{"ETag", "Retry-After"},
	}).Handler(handler)
}

// isLocal says whether an origin is of this machine. Only a browser's origin of a page
// has no more than these parts.
func isLocal(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && slices.Contains(localNames, u.Hostname()) && origin == "http://"+u.Host
}
