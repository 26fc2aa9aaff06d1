//go:build long && unix

package processes_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/local/site"
	"example.com/relationindex/schema"
)

// request is what a test sends to the site, or to another address.
type request struct {
	to, method, path, body string
	header                 http.Header // with Host, if it is not the site's
}

func (r request) send(t *testing.T, system *processes.System) (*http.Response, string) {
	t.Helper()
	if r.to == "" {
		r.to = system.WebURL()
	}
	req, err := http.NewRequestWithContext(t.Context(), r.method, r.to+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if r.header != nil {
		req.Header = r.header
		req.Host = r.header.Get("Host")
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

// The site, with functions that do nothing: no job goes on by itself.
func TestSite(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	system := startWeb(t, processes.Options{
		Project: "demo-dev-site", Auth: true, AllowHosts: []string{allowedHost}, Functions: schema.Config{NoOwnPosts: true, Database: "blue", AuthEmulatorHost: "192.0.2.1:1", Feeds: []string{"relations", "buckets"}, Cap: 100, Counts: true, Notifications: true},
		SweepEvery: time.Hour, Pace: true,
		Command: []string{"sh", "-c", `echo "$FIREBASE_AUTH_EMULATOR_HOST" > "$0/auth"; exec "$@"`, dir, self, "stub"},
	})
	t.Run("a slow reader of actions", func(t *testing.T) { siteSlowReader(t, system) }) // which finds no action yet
	t.Run("files", func(t *testing.T) { siteFiles(t, system) })
	t.Run("config.json", func(t *testing.T) { siteConfig(t, system) })
	t.Run("other sites are refused", func(t *testing.T) { otherSites(t, system) })
	t.Run("pages of this machine may read some", func(t *testing.T) { siteLocalPages(t, system) })
	t.Run("Feed is passed on", func(t *testing.T) {
		header := http.Header{"Authorization": {"Bearer x"}}
		resp, text := request{method: "GET", path: "/Feed?limit=2&cursor=%2B", header: header}.send(t, system)
		if want := "GET limit=2&cursor=%2B Bearer x"; resp.StatusCode != http.StatusOK || text != want {
			t.Errorf("%s %q, want %q", resp.Status, text, want)
		}
		if got := resp.Header.Values("X-Content-Type-Options"); !cmp.Equal(got, []string{"nosniff"}) {
			t.Errorf("X-Content-Type-Options is %q", got)
		}
		if system.FeedURL() != system.WebURL()+"/Feed" {
			t.Errorf("FeedURL is %s", system.FeedURL())
		}
	})
	t.Run("retry", func(t *testing.T) { siteRetry(t, system) })
	t.Run("only our pages may retry", func(t *testing.T) { siteForgery(t, system) })
	t.Run("the functions are told of the Auth emulator", func(t *testing.T) {
		if err := system.NoAuth(); err != nil {
			t.Fatal("this test needs the Auth emulator:", err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "auth")); err != nil || string(text) != system.AuthHost()+"\n" {
			t.Errorf("the functions have FIREBASE_AUTH_EMULATOR_HOST=%q, %v; want %s", text, err, system.AuthHost())
		}
	})
	t.Run("the end of the Auth emulator is told", func(t *testing.T) {
		killAuth(t, "demo-dev-site")
		wantEnd(t, "the system", system.Done())
		if err := system.Err(); err == nil || !strings.Contains(err.Error(), "the Auth emulator ended") || !strings.Contains(err.Error(), "auth.log") {
			t.Errorf("Err: %v", err)
		}
	})
	t.Run("close ends streams", func(t *testing.T) {
		s := openStream(t, system)
		if err := system.Close(); err != nil {
			t.Error(err)
		}
		for s.lines.Scan() {
			continue // until its end
		}
		if _, err := net.DialTimeout("tcp", strings.TrimPrefix(system.WebURL(), "http://"), time.Second); err == nil {
			t.Error("somebody still listens")
		}
	})
}

// killAuth kills the Auth emulator that a test has started for a project of its own.
func killAuth(t *testing.T, project string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-A", "-ww", "-o", "pid=,ppid=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 || f[1] != strconv.Itoa(os.Getpid()) || !strings.Contains(line, "--project "+project) {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
		}
		if err != nil {
			t.Fatal(err)
		}
		killed++
	}
	if killed != 1 {
		t.Fatalf("%d Auth emulators for %s, want one", killed, project)
	}
}

func siteFiles(t *testing.T, system *processes.System) {
	for _, path := range []string{"/", "/console/"} {
		resp, text := request{method: "GET", path: path}.send(t, system)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(strings.ToLower(text), "<!doctype html>") {
			t.Errorf("GET %s: %s %v", path, resp.Status, resp.Header)
		}
		policy := resp.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "img-src 'self' data: https://firebasestorage.googleapis.com https://lh3.googleusercontent.com;",
			"connect-src 'self' http://" + system.FirestoreHost() + " http://" + system.AuthHost() + ";"} {
			if !strings.Contains(policy, want) {
				t.Errorf("GET %s: the policy is %q, want %q in it", path, policy, want)
			}
		}
		if got := resp.Header.Get("X-Content-Type-Options") + ", " + resp.Header.Get("Referrer-Policy"); got != "nosniff, no-referrer" {
			t.Errorf("GET %s: %s", path, got)
		}
		etag := resp.Header.Get("ETag")
		resp, _ = request{method: "GET", path: path, header: http.Header{"If-None-Match": {etag}}}.send(t, system)
		if resp.StatusCode != http.StatusNotModified || etag == "" {
			t.Errorf("GET %s of ETag %q again: %s", path, etag, resp.Status)
		}
		resp, text = request{method: "HEAD", path: path}.send(t, system)
		if resp.StatusCode != http.StatusOK || text != "" || resp.ContentLength < 1 {
			t.Errorf("HEAD %s: %s, %d bytes, %q", path, resp.Status, resp.ContentLength, text)
		}
	}
	for request, want := range map[[2]string]int{
		{"GET", "/console"}:        http.StatusMovedPermanently,
		{"GET", "/nothing"}:        http.StatusNotFound,
		{"GET", "/assets/"}:        http.StatusNotFound,
		{"GET", "/embed.go"}:       http.StatusNotFound,
		{"GET", "/%2e%2e/go.mod"}:  http.StatusNotFound,
		{"GET", "/dev/jobs/a"}:     http.StatusNotFound,
		{"POST", "/"}:              http.StatusMethodNotAllowed,
		{"DELETE", "/config.json"}: http.StatusMethodNotAllowed,
	} {
		resp, text := sendTo(t, system, request[0], request[1])
		if resp.StatusCode != want {
			t.Errorf("%s: %s, want %d: %s", request, resp.Status, want, text)
		}
	}
}

func sendTo(t *testing.T, system *processes.System, method, path string) (*http.Response, string) {
	t.Helper()
	return request{method: method, path: path}.send(t, system)
}

func siteConfig(t *testing.T, system *processes.System) {
	resp, text := sendTo(t, system, "GET", "/config.json")
	if got := resp.Header.Get("Content-Type") + ", " + resp.Header.Get("Cache-Control"); got != "application/json, no-store" {
		t.Errorf("it is %s", got)
	}
	want := fmt.Sprintf(`{"firebase":{"projectId":"demo-dev-site","apiKey":"demo"},"database":"blue","emulators":{"firestoreHost":%[1]q,"authHost":%[2]q},"feedURL":"%[3]s/Feed","webURL":%[3]q,"pace":true,"counts":true,"notifications":true,
		"capacity":10000,"timelines":{"layout":"buckets"},"dev":{"followersBytes":786432,"collections":{"users":"users","followers":"followers","posts":"posts"}}}`, system.FirestoreHost(), system.AuthHost(), system.WebURL())
	if diff := cmp.Diff(decoded(t, want), decoded(t, text)); diff != "" {
		t.Errorf("config.json (-want +got):\n%s", diff)
	}

	system.OfferSignIns([]site.SignIn{{Name: "ada", Email: "ada@example.com", Password: "password"}})
	_, text = sendTo(t, system, "GET", "/config.json")
	accounts := decoded(t, text)["dev"].(map[string]any)["accounts"]
	if diff := cmp.Diff([]any{map[string]any{"name": "ada", "email": "ada@example.com", "password": "password"}}, accounts); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
}

func decoded(t *testing.T, text string) (value map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return value
}

// siteLocalPages reads as pages of other origins do.
func siteLocalPages(t *testing.T, system *processes.System) {
	for origin, local := range map[string]bool{
		"http://localhost:5173": true, "http://127.0.0.1:3000": true, "http://[::1]:8000": true, "http://localhost": true,
		"https://evil.example": false, "http://localhost.evil.example": false, "http://127.0.0.1.evil.example:3000": false, "null": false,
		"http://evil@localhost": false, "http://192.168.0.1:3000": false, "file://": false,
	} {
		for path, readable := range map[string]bool{"/config.json": true, "/Feed": true, "/dev/actions": false, "/console/": false, "/": false} {
			want := ""
			if local && readable {
				want = origin
			}
			preflight := http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"authorization,if-none-match,x-firebase-appcheck"}}
			resp, _ := request{method: "OPTIONS", path: path, header: preflight}.send(t, system)
			if got := resp.Header.Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("OPTIONS %s from %s allows %q, want %q", path, origin, got, want)
			}
			if path == "/dev/actions" {
				continue // a stream
			}
			resp, _ = request{method: "GET", path: path, header: http.Header{"Origin": {origin}}}.send(t, system)
			if got := resp.Header.Get("Access-Control-Allow-Origin"); got != want {
				t.Errorf("GET %s from %s allows %q, want %q", path, origin, got, want)
			}
			if got := resp.Header.Get("Access-Control-Expose-Headers"); want != "" && !strings.Contains(strings.ToLower(got), "etag") {
				t.Errorf("GET %s exposes %q", path, got)
			}
		}
	}
}

// retry is what the console sends.
func retry(id string, header http.Header) request {
	return request{method: "POST", path: "/dev/jobs/" + url.PathEscape(id) + "/retry", body: "{}", header: header}
}

var asJSON = http.Header{"Content-Type": {"application/json"}}

func siteRetry(t *testing.T, system *processes.System) {
	jobs := system.Client().Collection("_functions")
	for id, job := range map[string]chunker.Job{
		"index:ada:00001":        {State: chunker.Failed},
		"post:ä b/%2F?#&+\"<i>;": {State: chunker.Canceled}, // less its slash
		"done":                   {State: chunker.Done},
		"queued":                 {State: chunker.Queued},
	} {
		job.Kind, job.Chunk = "test", 1
		if _, err := jobs.Doc(strings.ReplaceAll(id, "/", "")).Set(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]struct {
		status int
		says   string
	}{
		"index:ada:00001":       {http.StatusOK, "is queued: the functions continue where it stopped"},
		"post:ä b%2F?#&+\"<i>;": {http.StatusOK, "is queued"},
		"done":                  {http.StatusConflict, "is done: the next change"},
		"queued":                {http.StatusConflict, "is under way and continues by itself"},
		"nobody":                {http.StatusNotFound, `there is no job "nobody"`},
		"a/b":                   {http.StatusNotFound, `there is no job "a/b"`},
		"__x__":                 {http.StatusNotFound, "there is no job"},
	} {
		resp, text := retry(id, asJSON).send(t, system)
		answer := decoded(t, text)
		message, _ := answer["message"].(string)
		if problem, ok := answer["error"].(map[string]any); ok {
			message, _ = problem["message"].(string)
		}
		if resp.StatusCode != want.status || !strings.Contains(message, want.says) || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("retry %q: %s %s, want %d: %s", id, resp.Status, text, want.status, want.says)
		}
	}
	doc, err := jobs.Doc("index:ada:00001").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.Data()["state"]; got != string(chunker.Queued) {
		t.Errorf("the job is %v", got)
	}
}

func siteForgery(t *testing.T, system *processes.System) {
	job := system.Client().Doc("_functions/forged")
	set(t, job, map[string]any{"kind": "test", "chunk": 1, "state": chunker.Failed})
	for name, test := range map[string]struct {
		header http.Header
		want   int
	}{
		"another origin":            {http.Header{"Content-Type": {"application/json"}, "Origin": {"https://evil.example"}}, http.StatusForbidden},
		"a form of another port":    {http.Header{"Content-Type": {"text/plain"}, "Origin": {"http://127.0.0.1:1"}}, http.StatusUnsupportedMediaType},
		"no origin that has a name": {http.Header{"Content-Type": {"application/json"}, "Origin": {"null"}}, http.StatusForbidden},
		"another site, in a form":   {http.Header{"Content-Type": {"application/json"}, "Sec-Fetch-Site": {"cross-site"}}, http.StatusForbidden},
		"a form":                    {http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, http.StatusUnsupportedMediaType},
		"plain text":                {http.Header{"Content-Type": {"text/plain"}}, http.StatusUnsupportedMediaType},
		"no type":                   {http.Header{}, http.StatusUnsupportedMediaType},
		"another name for us":       {http.Header{"Content-Type": {"application/json"}, "Host": {"evil.example"}}, http.StatusForbidden},
	} {
		if resp, text := retry("forged", test.header).send(t, system); resp.StatusCode != test.want {
			t.Errorf("%s: %s %s, want %d", name, resp.Status, text, test.want)
		}
	}
	if doc, err := job.Get(t.Context()); err != nil || doc.Data()["state"] != string(chunker.Failed) {
		t.Errorf("the job is %v, %v; want it left alone", doc.Data(), err)
	}
	ours := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Origin": {system.WebURL()}}
	if resp, text := retry("forged", ours).send(t, system); resp.StatusCode != http.StatusOK {
		t.Errorf("our own page: %s %s", resp.Status, text)
	}
}

// A reader of the stream that reads nothing holds nobody up.
func siteSlowReader(t *testing.T, system *processes.System) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(system.WebURL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET /dev/actions HTTP/1.1\r\nHost: %s\r\n\r\n", strings.TrimPrefix(system.WebURL(), "http://")); err != nil {
		t.Fatal(err)
	}
	s := openStream(t, system)
	for i := range 60 { // more than are kept
		got := s.do(func() { set(t, system.Client().Doc(fmt.Sprintf("posts/p%d", i)), map[string]any{"userId": "ada"}) })
		if got.ID != int64(i+1) || got.Invocations != 1 || got.Reads+got.Writes+got.Deletes != 0 {
			t.Fatalf("post %d is %+v", i, got)
		}
	}
	late := openStream(t, system)
	if first := late.next(0); first.ID != 11 {
		t.Errorf("who comes late hears first of action %d, want the last fifty", first.ID)
	}
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
		t.Errorf("the slow reader: %v", err)
	}
}
