package dev

import (
	"fmt"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// policies are headers of every answer.
var policies = map[string]string{
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// contentPolicy lets the pages load what is theirs and talk to the emulators, and
// nothing else. A form cannot be sent without the script that handles it.
func (s *System) contentPolicy() string {
	connect := "'self' http://" + s.cfg.EmulatorHost
	if s.cfg.AuthEmulatorHost != "" {
		connect += " http://" + s.cfg.AuthEmulatorHost
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'",
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

// onlyOurHost refuses requests for other hosts. Without this a page of another
// site, whose name is made to mean 127.0.0.1 after it was loaded, would be of
// the same origin as ours (DNS rebinding).
func onlyOurHost(port int, handler http.Handler) http.Handler {
	ours := map[string]bool{}
	for _, host := range []string{loopback, "localhost"} {
		ours[net.JoinHostPort(host, strconv.Itoa(port))] = true
		ours[host] = port == 80 // which browsers leave out
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ours[r.Host] {
			http.Error(w, fmt.Sprintf("this is %s:%d, and not %q", loopback, port, r.Host), http.StatusMisdirectedRequest)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// onlyOurPages refuses what a page of another site makes the browser send. Such a
// page cannot choose the Origin, and cannot send JSON without asking first,
// which nothing here answers with yes.
func onlyOurPages(handler http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := sameOrigin.Check(r); err != nil {
			answerError(w, http.StatusForbidden, err.Error())
			return
		}
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			answerError(w, http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
			return
		}
		handler.ServeHTTP(w, r)
	})
}
