// Package feedtest serves the function Feed to its own tests and those of package feed. It checks each
// answer against feed.openapi.yaml.
package feedtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"example.com/relationindex/feed"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// openAPI returns a router of the operations in feed.openapi.yaml, once the file is found valid.
var openAPI = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromFile("../functions/feed.openapi.yaml")
	if err != nil {
		return nil, err
	}
	doc.Servers = nil // the test's server is at another address
	return legacy.NewRouter(doc)
})

// Server serves the function Feed of an app, and keeps the function's log.
type Server struct {
	*testkit.App
	url string
	Log *testkit.SyncBuffer
}

// New serves the function Feed of a new app. Interceptors see the functions' calls.
func New(t *testing.T, cfg schema.Config, interceptors ...wire.Interceptor) *Server {
	t.Helper()
	log := new(testkit.SyncBuffer)
	a := testkit.InProcess{Logger: logging.New(io.MultiWriter(t.Output(), log), slog.LevelInfo), Interceptors: interceptors}.NewApp(t, cfg)
	server := httptest.NewServer(a.Handlers().HTTP("Feed"))
	t.Cleanup(server.Close)
	return &Server{a, server.URL + "/Feed", log}
}

// Token returns a valid ID token.
func (s *Server) Token(uid string) string { return testkit.Google.IDToken(s.ID, uid, nil) }

// Answer is the answer to a request.
type Answer struct {
	*http.Response
	Body []byte
	Page feedPage
	fail feedError
}

type feedPage struct {
	Posts []struct {
		ID, UserID string
		CreatedAt  time.Time
		Data       map[string]any
	}
	Cursor *string
	Unread *feed.Unread
	News   *bool // in place of a page
}

type feedError struct {
	Error struct{ Code, Message string }
}

// IDs returns the posts of a page: "p2 p1".
func (a Answer) IDs() string {
	var all []string
	for _, p := range a.Page.Posts {
		all = append(all, p.ID)
	}
	return strings.Join(all, " ")
}

// Get reads a page as uid.
func (s *Server) Get(uid, query string) Answer {
	s.T.Helper()
	return s.Call(http.MethodGet, query, "Authorization", "Bearer "+s.Token(uid))
}

// plainClient requests no compression by itself. A test may set Accept-Encoding.
var plainClient = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// Leave requests a page as uid, and leaves when ctx ends, before an answer.
func (s *Server) Leave(ctx context.Context, uid, query string) {
	s.T.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+query, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token(uid))
	if resp, err := plainClient.Do(req); err == nil {
		_ = resp.Body.Close()
		s.T.Errorf("an answer came: %s", resp.Status)
	}
}

// Call sends a request, and checks the answer against the OpenAPI file. headers alternates names and
// values.
func (s *Server) Call(method, query string, headers ...string) Answer {
	s.T.Helper()
	req, err := http.NewRequestWithContext(s.T.Context(), method, s.url+query, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	for header := range slices.Chunk(headers, 2) {
		req.Header.Add(header[0], header[1])
	}
	resp, err := plainClient.Do(req)
	if err != nil {
		s.T.Fatal(err)
	}
	defer resp.Body.Close()
	a := Answer{Response: resp}
	if a.Body, err = io.ReadAll(resp.Body); err != nil {
		s.T.Fatal(err)
	}
	if resp.Header.Get("Content-Encoding") != "" {
		return a // tests of compression examine the body themselves
	}
	s.check(req, a)
	into := any(&a.Page)
	if resp.StatusCode >= 400 {
		into = &a.fail
	}
	if len(a.Body) > 0 {
		if err := json.Unmarshal(a.Body, into); err != nil {
			s.T.Fatal(err)
		}
	}
	return a
}

// check compares an answer with the file. A limit must be rejected exactly if the file forbids it.
func (s *Server) check(req *http.Request, a Answer) {
	s.T.Helper()
	router, err := openAPI()
	if err != nil {
		s.T.Fatal("feed.openapi.yaml: ", err)
	}
	asked := req.Clone(s.T.Context())
	asked.URL.Scheme, asked.URL.Host = "", ""
	route, params, err := router.FindRoute(asked)
	if err != nil {
		s.T.Errorf("%s: feed.openapi.yaml: %v", req.Method, err)
		return
	}
	request := &openapi3filter.RequestValidationInput{
		Request: asked, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
	// The file cannot express the rules for cursors, and for repeated parameters.
	err = openapi3filter.ValidateRequest(s.T.Context(), request)
	if limits := req.URL.Query()["limit"]; err != nil && a.StatusCode < 400 ||
		err == nil && a.StatusCode == http.StatusBadRequest && len(limits) == 1 && limits[0] != "" && !req.URL.Query().Has("cursor") {
		s.T.Errorf("%s %s is answered %d; feed.openapi.yaml says: %v", req.Method, req.URL, a.StatusCode, err)
	}
	err = openapi3filter.ValidateResponse(s.T.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: request, Status: a.StatusCode, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.Body)),
		Options: &openapi3filter.Options{
			ExcludeResponseBody:   req.Method == http.MethodHead,
			IncludeResponseStatus: true, // every status is in the file
		},
	})
	if err != nil {
		s.T.Errorf("%s %s: the answer %d is none of feed.openapi.yaml: %v\n%s", req.Method, req.URL.RequestURI(), a.StatusCode, err, a.Body)
	}
}

// WantFailure checks the error in an answer.
func (a Answer) WantFailure(t testing.TB, status int, code string) {
	t.Helper()
	if a.StatusCode != status || a.fail.Error.Code != code || a.fail.Error.Message == "" {
		t.Errorf("got %d %s, want %d %s", a.StatusCode, a.Body, status, code)
	}
}

// Whole reads the caller's feed to its end, 4 posts at a time: "p2 p1".
func (s *Server) Whole(uid, query string) string {
	s.T.Helper()
	var all []string
	for cursor := ""; len(all) < 1000; {
		got := s.Get(uid, "?limit=4"+query+cursor)
		if got.StatusCode != http.StatusOK {
			s.T.Fatalf("%s%s: %d %s", query, cursor, got.StatusCode, got.Body)
		}
		all = append(all, strings.Fields(got.IDs())...)
		if got.Page.Cursor == nil {
			break
		}
		cursor = "&cursor=" + *got.Page.Cursor
	}
	return strings.Join(all, " ")
}

// Noon is the createdAt of the first post of [Seeded].
var Noon = time.Date(2026, 11, 20, 12, 0, 0, 123_456_000, time.UTC)

// Seeded returns a server with the posts p1 … pn of ada, whom bob follows. The triggers' work is done.
func Seeded(t *testing.T, posts int, cfg schema.Config) *Server {
	t.Helper()
	s := New(t, cfg)
	s.Follow("bob", "ada")
	for i := range posts {
		s.Post(fmt.Sprintf("p%d", i+1), "ada", Noon.Add(time.Duration(i)*time.Second))
	}
	s.Settle()
	if err := s.Handlers().Ready(t.Context(), triggers.Sweep); err != nil { // Ready makes the keys of cursors
		t.Fatal(err)
	}
	return s
}
