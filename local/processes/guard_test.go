//go:build long

package processes_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"example.com/relationindex/local/processes"
)

// allowedHost is a name that the systems of these tests are told to let in.
const allowedHost = "container.internal"

// port is one that a system opens for clients.
type port struct {
	name string
	url  *url.URL
	path string // of a plain request
}

// ports are those that clients are told of, and the balancer.
func ports(t *testing.T, system *processes.System) []port {
	t.Helper()
	all := []port{
		{"Firestore", nil, "http://" + system.FirestoreHost() + "/v1/projects/" + system.Config().Project + "/databases/(default)/documents/users/ada"},
		{"broker", nil, system.URL() + "/idle?timeout=60s"},
		{"balancer", nil, system.FunctionsURL() + "/Feed"},
		{"site", nil, system.WebURL() + "/config.json"},
		{"Feed", nil, system.WebURL() + "/Feed"},
		{"Auth", nil, "http://" + system.AuthHost() + "/identitytoolkit.googleapis.com/v1/projects/" + system.Config().Project + "/accounts:query"},
	}
	for i := range all {
		u, err := url.Parse(all[i].path)
		if err != nil || u.Host == "" {
			t.Fatal("these tests need the Auth emulator:", err, system.NoAuth())
		}
		all[i].url, all[i].path = &url.URL{Scheme: u.Scheme, Host: u.Host}, u.RequestURI()
	}
	return all
}

// caller is where a request says that it is from, and to.
type caller struct {
	host, origin, site string // "": the port's own, none
	refused            bool
}

func callers(at *url.URL) map[string]caller {
	number := at.Port()
	return map[string]caller{
		"a program":                     {},
		"our own page":                  {origin: "http://" + at.Host, site: "same-origin"},
		"our own page, by name":         {host: "localhost:" + number, origin: "http://localhost:" + number},
		"our own page, with no Origin":  {site: "same-origin"},
		"an app under development":      {origin: "http://localhost:5173", site: "cross-site"},
		"… with TLS, by a name":         {host: "app.localhost:" + number, origin: "https://app.localhost:8443"},
		"… in a shell for phones":       {origin: "capacitor://localhost"},
		"… at IPv6":                     {host: "[::1]:" + number, origin: "http://[::1]:3000"},
		"another loopback address":      {host: "127.8.9.10:" + number, origin: "http://127.8.9.10"},
		"an Android emulator":           {host: "10.0.2.2:" + number},
		"a container, allowed":          {host: allowedHost + ":" + number},
		"a page, allowed":               {origin: "https://" + allowedHost},
		"another site":                  {origin: "https://evil.example", site: "cross-site", refused: true},
		"another site, of this port":    {origin: "http://evil.example:" + number, refused: true},
		"a sandbox, or a file":          {origin: "null", refused: true},
		"a site named like us":          {origin: "http://localhost.evil.example:" + number, refused: true},
		"… with our address":            {origin: "http://127.0.0.1.evil.example", refused: true},
		"another machine's page":        {origin: "http://192.168.0.1:3000", refused: true},
		"an Android emulator's network": {origin: "http://10.0.2.2:3000", refused: true},
		"another host":                  {host: "evil.example", refused: true},
		"DNS rebinding":                 {host: "evil.example:" + number, refused: true},
		"DNS rebinding, by its page":    {host: "evil.example:" + number, origin: "http://evil.example:" + number, site: "same-origin", refused: true},
		"DNS rebinding of a name of us": {host: "127.0.0.1.evil.example:" + number, refused: true},
		"another machine":               {host: "192.168.0.1:" + number, refused: true},
		"every address":                 {host: "0.0.0.0:" + number, refused: true},
		"another site, by an image":     {site: "cross-site", refused: true},
		"another site, by a form":       {site: "same-site", refused: true},
	}
}

// kind is a kind of request.
type kind struct {
	method, path string
	header       http.Header
	body         string
}

func kinds(p port, project string) map[string]kind {
	const channel = "/google.firestore.v1.Firestore/Listen/channel?VER=8&RID=1&CVER=22&X-HTTP-Session-Id=gsessionid&t=1&database="
	all := map[string]kind{
		"GET":                {method: http.MethodGet, path: p.path},
		"POST":               {method: http.MethodPost, path: p.path, header: http.Header{"Content-Type": {"text/plain"}}, body: "{}"},
		"DELETE":             {method: http.MethodDelete, path: p.path},
		"a preflight":        {method: http.MethodOptions, path: p.path, header: http.Header{"Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization"}}},
		"a private one":      {method: http.MethodOptions, path: p.path, header: http.Header{"Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Private-Network": {"true"}}},
		"gRPC-web":           {method: http.MethodPost, path: "/google.firestore.v1.Firestore/Commit", header: http.Header{"Content-Type": {"application/grpc-web+proto"}}},
		"gRPC without HTTP2": {method: http.MethodPost, path: "/google.firestore.v1.Firestore/Commit", header: http.Header{"Content-Type": {"application/grpc"}}},
		"a websocket":        {method: http.MethodGet, path: p.path, header: http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-WebSocket-Version": {"13"}, "Sec-WebSocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}}},
		"a channel's stream": {method: http.MethodGet, path: channel + url.QueryEscape("projects/"+project+"/databases/(default)") + "&SID=none&AID=0&TYPE=xmlhttp"},
		"a channel": {method: http.MethodPost, path: channel + url.QueryEscape("projects/"+project+"/databases/(default)"),
			header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, body: "count=0"},
	}
	if p.name == "site" {
		all["the actions"] = kind{method: http.MethodPost, path: "/dev/jobs/none/retry", header: http.Header{"Content-Type": {"application/json"}}, body: "{}"}
	}
	return all
}

// Requests that may be let in: gRPC without HTTP/2, or to who does not speak it, is answered by none.
var answered = map[string]bool{"gRPC-web": false, "gRPC without HTTP2": false}

// sentence begins what a request that is not let in is told.
const sentence = "this server answers programs and pages of this machine only"

// otherSites sends each kind of request to each port, as programs, pages of this machine and pages of other sites do.
func otherSites(t *testing.T, system *processes.System) {
	for _, p := range ports(t, system) {
		for how, k := range kinds(p, system.Config().Project) {
			for who, c := range callers(p.url) {
				if answers, ok := answered[how]; ok && !answers && !c.refused {
					continue
				}
				resp, text, err := c.send(t.Context(), p, k)
				switch {
				case err != nil:
					t.Errorf("%s: %s of %s: %v", p.name, how, who, err)
				case !c.refused && resp.StatusCode == http.StatusForbidden && strings.Contains(text, sentence):
					t.Errorf("%s: %s of %s is refused: %s", p.name, how, who, text)
				case c.refused && (resp.StatusCode != http.StatusForbidden || !strings.Contains(text, sentence) || !strings.Contains(text, "--allow-host") && !strings.Contains(text, "a server at localhost")):
					t.Errorf("%s: %s of %s: %s %.80q, want 403 and what to do", p.name, how, who, resp.Status, text)
				}
				if c.refused && err == nil {
					for name := range resp.Header {
						if strings.HasPrefix(name, "Access-Control-") {
							t.Errorf("%s: %s of %s is answered with %s: %s", p.name, how, who, name, resp.Header.Get(name))
						}
					}
				}
			}
		}
	}
}

// apart has a connection for each request: some end before their body is read.
var apart = &http.Transport{DisableKeepAlives: true}

// send returns the answer, with at most its first bytes.
func (c caller) send(ctx context.Context, p port, k kind) (*http.Response, string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, k.method, p.url.String()+k.path, strings.NewReader(k.body))
	if err != nil {
		return nil, "", err
	}
	for name, values := range k.header {
		req.Header[name] = values
	}
	req.Host = c.host
	for name, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := apart.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	first := make([]byte, 4<<10)
	n, err := io.ReadAtLeast(resp.Body, first, 1) // a stream has no end
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return resp, string(first[:n]), err
}

// localPages finds that pages of this machine may read what the emulators answer, and go on to stream.
func localPages(t *testing.T, system *processes.System) {
	for _, p := range ports(t, system) {
		if p.name == "broker" || p.name == "balancer" {
			continue // no page calls these
		}
		k := kind{method: http.MethodGet, path: p.path}
		if p.name == "Firestore" {
			k = kinds(p, system.Config().Project)["a channel"]
		}
		c := caller{origin: "http://localhost:5173", site: "cross-site"}
		resp, text, err := c.send(t.Context(), p, k)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Access-Control-Allow-Origin"); got != c.origin && got != "*" {
			t.Errorf("%s: a page of this machine may not read %s %q: it allows %q", p.name, resp.Status, text, got)
		}
	}
}

// grpcCallers calls Firestore as gRPC clients do, which name the host too.
func grpcCallers(t *testing.T, system *processes.System) {
	for host, test := range map[string]struct {
		origin string
		want   codes.Code
	}{
		"":                       {"", codes.Unimplemented},
		allowedHost + ":8080":    {"", codes.Unimplemented},
		"10.0.2.2:8080":          {"", codes.Unimplemented},
		"evil.example:8080":      {"", codes.PermissionDenied},
		"localhost":              {"https://evil.example", codes.PermissionDenied},
		"127.0.0.1.evil.example": {"null", codes.PermissionDenied},
	} {
		options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
		if host != "" {
			options = append(options, grpc.WithAuthority(host))
		}
		conn, err := grpc.NewClient(system.FirestoreHost(), options...)
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		if test.origin != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "origin", test.origin)
		}
		err = conn.Invoke(ctx, "/google.firestore.v1.Firestore/None", &emptypb.Empty{}, &emptypb.Empty{})
		if got := status.Code(err); got != test.want || got == codes.PermissionDenied && !strings.Contains(err.Error(), sentence) {
			t.Errorf("gRPC to host %q of %q: %v, want %v", host, test.origin, err, test.want)
		}
		_ = conn.Close()
	}
}
