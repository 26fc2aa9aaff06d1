package functions_test

import (
	"bytes"
	"encoding/json"
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
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// openAPI is feed.openapi.yaml, valid, as a finder of its operations.
var openAPI = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromFile("feed.openapi.yaml")
	if err != nil {
		return nil, err
	}
	doc.Servers = nil // the test's own
	return legacy.NewRouter(doc)
})

// feedServer is the function Feed of an app, served; with what it logs.
type feedServer struct {
	*app
	url string
	log *lockedBuffer
}

func newFeedServer(t *testing.T, cfg config.Functions, interceptors ...wire.Interceptor) *feedServer {
	t.Helper()
	log := &lockedBuffer{}
	a := newAppOn(t, testkit.InProcess{Logger: logging.New(io.MultiWriter(t.Output(), log), slog.LevelInfo), Interceptors: interceptors}, cfg)
	server := httptest.NewServer(a.Handlers().HTTP("Feed"))
	t.Cleanup(server.Close)
	return &feedServer{a, server.URL + "/Feed", log}
}

// token is a good one.
func (s *feedServer) token(uid string) string { return google.IDToken(s.ID, uid, nil) }

// answer is what a request got.
type answer struct {
	*http.Response
	body []byte
	page feedPage
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
}

type feedError struct {
	Error struct{ Code, Message string }
}

// ids are the posts of a page: "p2 p1".
func (a answer) ids() string {
	var all []string
	for _, p := range a.page.Posts {
		all = append(all, p.ID)
	}
	return strings.Join(all, " ")
}

// get reads a page as uid.
func (s *feedServer) get(uid, query string) answer {
	s.T.Helper()
	return s.call(http.MethodGet, query, "Authorization", "Bearer "+s.token(uid))
}

// plainClient asks for no compression by itself.
var plainClient = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// call makes a request with headers (names and values in turn) and checks the
// answer against the OpenAPI file.
func (s *feedServer) call(method, query string, headers ...string) answer {
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
	a := answer{Response: resp}
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		s.T.Fatal(err)
	}
	if resp.Header.Get("Content-Encoding") != "" {
		return a // tests of compression look into it
	}
	s.check(req, a)
	into := any(&a.page)
	if resp.StatusCode >= 400 {
		into = &a.fail
	}
	if len(a.body) > 0 {
		if err := json.Unmarshal(a.body, into); err != nil {
			s.T.Fatal(err)
		}
	}
	return a
}

// check compares an answer, and whether a limit was refused, with the file.
func (s *feedServer) check(req *http.Request, a answer) {
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
	// Of cursors, and of parameters that come twice, the file cannot say enough.
	err = openapi3filter.ValidateRequest(s.T.Context(), request)
	if limits := req.URL.Query()["limit"]; err != nil && a.StatusCode < 400 ||
		err == nil && a.StatusCode == http.StatusBadRequest && len(limits) == 1 && limits[0] != "" && !req.URL.Query().Has("cursor") {
		s.T.Errorf("%s %s is answered %d; feed.openapi.yaml says: %v", req.Method, req.URL, a.StatusCode, err)
	}
	err = openapi3filter.ValidateResponse(s.T.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: request, Status: a.StatusCode, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.body)),
		Options: &openapi3filter.Options{
			ExcludeResponseBody:   req.Method == http.MethodHead,
			IncludeResponseStatus: true, // every status is in the file
		},
	})
	if err != nil {
		s.T.Errorf("%s %s: the answer %d is none of feed.openapi.yaml: %v\n%s", req.Method, req.URL.RequestURI(), a.StatusCode, err, a.body)
	}
}

// wantFailure checks an error that a request got.
func (a answer) wantFailure(t testing.TB, status int, code string) {
	t.Helper()
	if a.StatusCode != status || a.fail.Error.Code != code || a.fail.Error.Message == "" {
		t.Errorf("got %d %s, want %d %s", a.StatusCode, a.body, status, code)
	}
}

// lockedBuffer is a bytes.Buffer that several write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
