// Package siteguard rejects requests from pages of other sites to servers on this machine.
// A browser with such a page can reach 127.0.0.1 too. It is no login: it lets in every
// program on this machine, and every page served by this machine.
package siteguard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Guard decides which requests a server answers. The zero value lets in requests to
// loopback hosts, from programs and from pages of loopback hosts, with any port. It is
// safe for concurrent use.
type Guard struct {
	// Hosts are further host names, without a port, in lower case. Requests may address the server
	// by them, and come from pages of them.
	Hosts []string

	// Advice ends the sentence about a rejected request: it says how the operator can
	// let the request in. It has one verb %s, for the name that Hosts lacks.
	Advice string
}

// androidHost is the address of this machine in an Android emulator. It is an address, so a
// request to it cannot come from DNS rebinding. Pages from it are foreign: on a network
// without an Android emulator it may belong to anybody.
const androidHost = "10.0.2.2"

// Check returns nil for a request to let in. Otherwise the error is a sentence with the
// reason and the remedy. Check rejects:
//
//   - A Host that is neither loopback's nor one of Hosts. Otherwise, DNS rebinding would work:
//     the name of another site is made to mean 127.0.0.1 after its page was loaded, and then
//     the page is of the server's own origin.
//   - An Origin without such a host. "null" is the origin of sandboxed frames and
//     of files. Browsers let no page choose this header, and programs send none.
//   - A request without Origin that the browser marks as another site's, such as one
//     for an image. Links to pages of the server work.
func (g Guard) Check(r *http.Request) error {
	host := hostOf(r.Host)
	if host != androidHost && !g.allows(host) {
		return g.reject(host, "reached as %q", r.Host)
	}
	if values := r.Header.Values("Origin"); len(values) > 0 {
		for _, origin := range values {
			if name, ok := g.AllowsOrigin(origin); !ok {
				return g.reject(name, "called by a page of the origin %q", origin)
			}
		}
		return nil
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return nil
	}
	if link := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"; link {
		return nil
	}
	return g.reject("", "called by a page of another site")
}

// AllowsOrigin reports whether pages of an origin are let in, and returns the name of the origin's
// host, if it has one.
func (g Guard) AllowsOrigin(origin string) (host string, ok bool) {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host { // a browser's origin has only these parts
		return "", false
	}
	host = hostOf(u.Host)
	return host, g.allows(host)
}

// Handler returns handler for requests that pass Check. It answers 403 to others.
func (g Guard) Handler(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

func (g Guard) allows(host string) bool {
	return isLoopback(host) || slices.Contains(g.Hosts, host)
}

func (g Guard) reject(host, format string, args ...any) error {
	advice := ". Open the page from a server at localhost" // not as a file, or in a sandbox
	if host != "" && g.Advice != "" {
		advice = ". " + fmt.Sprintf(g.Advice, host)
	}
	return fmt.Errorf("this server answers programs and pages of this machine only, but was %s%s", fmt.Sprintf(format, args...), advice)
}

// isLoopback reports whether a name means this machine wherever it is resolved.
func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// hostOf returns the name in a host with or without a port, in lower case.
func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return strings.ToLower(host)
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]"))
}
