package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/emulator/siteguard"
)

func TestSiteGuard(t *testing.T) {
	t.Parallel()
	guard := siteguard.Guard{Hosts: []string{"box.internal", "192.168.0.7"}, Advice: "Allow %s."}
	get := func(host string, header ...string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		for pair := range slices.Chunk(header, 2) {
			r.Header.Add(pair[0], pair[1])
		}
		return r
	}
	for _, host := range []string{"localhost", "LOCALHOST:80", "a.b.localhost:1", "127.0.0.1", "127.255.0.9:65535", "[::1]", "[::1]:80", "10.0.2.2:80", "box.internal", "Box.Internal:80", "192.168.0.7:80"} {
		if err := guard.Check(get(host)); err != nil {
			t.Errorf("host %q: %v", host, err)
		}
	}
	for host, advice := range map[string]string{
		"evil.example": "Allow evil.example.", "evil.example:80": "Allow evil.example.", "localhost.evil.example": "Allow localhost.evil.example.",
		"": " localhost", ":80": " localhost", "notlocalhost": "Allow notlocalhost.", "127.0.0.1.nip.io:80": "Allow 127.0.0.1.nip.io.", "0.0.0.0": "Allow 0.0.0.0.", "[::]:80": "Allow ::.",
		"192.168.0.8": "Allow 192.168.0.8.", "x.box.internal": "Allow x.box.internal.", "127.1": "Allow 127.1.", "localhost:80:80": "Allow localhost:80:80.",
	} {
		if err := guard.Check(get(host)); err == nil || !strings.HasSuffix(err.Error(), advice) || !strings.Contains(err.Error(), "reached as") {
			t.Errorf("host %q: %v, want %q", host, err, advice)
		}
	}
	for origin, ok := range map[string]bool{
		"http://localhost": true, "https://localhost:8443": true, "http://x.localhost:3000": true, "http://127.0.0.1:1": true, "http://[::1]:8000": true,
		"capacitor://localhost": true, "http://box.internal:3000": true, "https://box.internal": true,
		"null": false, "": false, "file://": false, "http://": false, "https://evil.example": false, "http://evil@localhost": false, "http://localhost/": false,
		"localhost": false, "//localhost": false, "http://10.0.2.2": false, "http://localhost.evil.example": false, "http://evil.example/.localhost": false,
		"http://evil.example#.localhost": false, "http://evil.example?.localhost": false, "http://127.0.0.1.evil.example:3000": false, "http://localhost http://evil.example": false,
	} {
		if err := guard.Check(get("localhost:80", "Origin", origin, "Sec-Fetch-Site", "cross-site")); (err == nil) != ok {
			t.Errorf("origin %q: %v, want it let in: %v", origin, err, ok)
		}
		if err := guard.Check(get("localhost:80", "Origin", "http://localhost", "Origin", origin)); (err == nil) != ok {
			t.Errorf("a second origin %q: %v, want it let in: %v", origin, err, ok)
		}
	}
	for name, test := range map[string]struct {
		method string
		header []string
		ok     bool
	}{
		"a program":        {http.MethodPost, nil, true},
		"typed by hand":    {http.MethodGet, []string{"Sec-Fetch-Site", "none"}, true},
		"our own page":     {http.MethodPost, []string{"Sec-Fetch-Site", "same-origin"}, true},
		"a link":           {http.MethodGet, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, true},
		"a form":           {http.MethodPost, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, false},
		"a frame":          {http.MethodGet, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, false},
		"an image":         {http.MethodGet, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, false},
		"a neighbour":      {http.MethodGet, []string{"Sec-Fetch-Site", "same-site"}, false},
		"a word of future": {http.MethodGet, []string{"Sec-Fetch-Site", "?"}, false},
	} {
		r := get("localhost:80", test.header...)
		r.Method = test.method
		if err := guard.Check(r); (err == nil) != test.ok {
			t.Errorf("%s: %v, want it let in: %v", name, err, test.ok)
		}
	}
}

// A Guard without an advice for the rejected works too.
func TestZeroSiteGuardAllowsOnlyLocalHosts(t *testing.T) {
	t.Parallel()
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://evil.example/", nil)
	handler := (siteguard.Guard{}).Handler(http.NotFoundHandler())
	handler.ServeHTTP(w, r)
	if text := w.Body.String(); w.Code != http.StatusForbidden || strings.Contains(text, "%") {
		t.Errorf("%d %q", w.Code, text)
	}
	w, r = httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
	if handler.ServeHTTP(w, r); w.Code != http.StatusNotFound {
		t.Errorf("%d, want the handler's answer", w.Code)
	}
}
