package front_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/relationindex/emulator/front"
	"example.com/relationindex/emulator/siteguard"
)

// Requests of other sites reach no emulator, which would accept them.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	reached := 0
	emulator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached++
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	}))
	t.Cleanup(emulator.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := front.Serve(l, emulator.Listener.Addr().String(), siteguard.Guard{}, nil)
	t.Cleanup(func() { _ = f.Close() })
	for _, test := range []struct {
		host, origin string
		want         int
	}{
		{"", "", http.StatusOK},
		{"", "http://localhost:5173", http.StatusOK},
		{"", "https://evil.example", http.StatusForbidden},
		{"", "null", http.StatusForbidden},
		{"evil.example", "", http.StatusForbidden},
	} {
		before := reached
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+"/v1/projects/p/databases/d/documents/a/b", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = test.host
		if test.origin != "" {
			req.Header.Set("Origin", test.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		allows := resp.Header.Get("Access-Control-Allow-Origin")
		if err != nil || resp.StatusCode != test.want || (reached > before) != (test.want == http.StatusOK) {
			t.Errorf("host %q, origin %q: %s %s, %v; want %d", test.host, test.origin, resp.Status, text, err, test.want)
		}
		if test.want == http.StatusForbidden && (allows != "" || !strings.Contains(string(text), "a server at localhost")) {
			t.Errorf("host %q, origin %q: it allows %q, and says %s", test.host, test.origin, allows, text)
		}
	}
}
