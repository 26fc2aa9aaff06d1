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

// contentPolicy lets the pages load their own files and what views/pictures.ts asks for, and connect to
// the emulators. A form cannot be sent without the script that handles it.
func (o Options) contentPolicy() string {
	connect := "'self' http://" + o.Config.EmulatorHost
	if o.Config.AuthEmulatorHost != "" {
		connect += " http://" + o.Config.AuthEmulatorHost
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'",
		"img-src 'self' data: https://firebasestorage.googleapis.com https://lh3.googleusercontent.com",
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

// onlyJSON rejects what a form of another site can send without a preflight, which nothing here
// allows: before JSON, each browser sends one.
func onlyJSON(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			answerError(w, http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// forLocalPages lets pages of an app under development read the answers of handler to GET and HEAD.
func (o Options) forLocalPages(handler http.Handler) http.Handler {
	return cors.New(cors.Options{
		AllowOriginFunc: func(origin string) bool { _, ok := o.Guard.AllowsOrigin(origin); return ok },
		AllowedMethods:  []string{http.MethodGet, http.MethodHead},
		AllowedHeaders:  []string{"Authorization", "If-None-Match", "X-Firebase-AppCheck"},
		ExposedHeaders:  []string{"ETag", "Retry-After"},
	}).Handler(handler)
}
