package site

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

// Types and caching of what is built, whatever the machine's table of types says.
func TestFiles(t *testing.T) {
	all, err := loadFiles(fstest.MapFS{
		"index.html": {Data: []byte("app")}, "console/index.html": {Data: []byte("console")}, "icon.svg": {Data: []byte("<svg/>")},
		"assets/app-1a2b.js": {Data: []byte("js")}, "assets/app-1a2b.css": {Data: []byte("css")}, "assets/odd": {Data: []byte("odd")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][3]string{
		"/":                    {"app", "text/html; charset=utf-8", "no-cache"},
		"/console/":            {"console", "text/html; charset=utf-8", "no-cache"},
		"/icon.svg":            {"<svg/>", "image/svg+xml", "no-cache"},
		"/assets/app-1a2b.js":  {"js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		"/assets/app-1a2b.css": {"css", "text/css; charset=utf-8", "public, max-age=31536000, immutable"},
		"/assets/odd":          {"odd", "application/octet-stream", "public, max-age=31536000, immutable"},
	} {
		w := httptest.NewRecorder()
		all.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if got := [3]string{w.Body.String(), w.Header().Get("Content-Type"), w.Header().Get("Cache-Control")}; w.Code != http.StatusOK || got != want {
			t.Errorf("GET %s: %d %q, want %q", path, w.Code, got, want)
		}
	}
}
