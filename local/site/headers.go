package site

import (
	"mime"
	"net/http"
	"strings"

	"github.com/rs/cors"
)

// policies has headers of every answer.
var policies = map[string]string{
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// pictures are the hosts that hold the pictures of Firebase apps: Cloud Storage, and Google's of an
// account. web/src/app/views/pictures.ts asks no other: whoever serves a picture learns who looks.
const pictures = "https://firebasestorage.googleapis.com https://lh3.googleusercontent.com"

// contentPolicy lets the pages load their own files and those pictures, and connect to the emulators,
// and nothing else. A form cannot be sent without the script that handles it.
func (o Options) contentPolicy() string {
	connect := "'self' http://" + o.Config.EmulatorHost
	if o.Config.AuthEmulatorHost != "" {
		connect += " http://" + o.Config.AuthEmulatorHost
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: " + pictures, "font-src 'self'",
		"manifest-src 'self'", "connect-src " + connect, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
}

func withPolicies(content string, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range policies {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Security-Policy", content)
		handler.ServeHTTP(w, r)
	})
}

// onlyJSON rejects the requests that a form of another site can send without a preflight. Before
// JSON, even a browser that sends no Origin sends a preflight, and nothing here allows it.
func onlyJSON(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			answerError(w, http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// forLocalPages lets pages of other origins read the answers of handler to GET and HEAD, if the
// guard lets the origin in: an app under development has a server of its own.
func (o Options) forLocalPages(handler http.Handler) http.Handler {
	return cors.New(cors.Options{
		AllowOriginFunc: func(origin string) bool { _, ok := o.Guard.AllowsOrigin(origin); return ok },
		AllowedMethods:  []string{http.MethodGet, http.MethodHead},
		AllowedHeaders:  []string{"Authorization", "If-None-Match", "X-Firebase-AppCheck"},
		ExposedHeaders:  []string{"ETag", "Retry-After"},
	}).Handler(handler)
}
