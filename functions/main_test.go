package functions_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/identity/identitytest"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/relations"
)

// machine is started by the first test that needs it: the workers of a fuzz
// run need none.
var machine = sync.OnceValues(func() (*local.Machine, error) {
	return local.Start(context.Background(), emulator.Options{Plan: plan})
})

// google stands in for what the verification of tokens asks.
var google *identitytest.Google

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "functions")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		google, err = identitytest.Start(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if started.Load() {
		if m, err := machine(); err == nil {
			_ = m.Emulator.Close()
			_ = os.Remove(m.Emulator.LogFile())
		}
	}
	return code
}

var started atomic.Bool

func theMachine(t testing.TB) *local.Machine {
	t.Helper()
	started.Store(true)
	m, err := machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// plan delivers every event of a project whose test asked for it twice, the
// second time while the first is under way or after it.
func plan(e emulator.Event) []emulator.Delivery {
	if !strings.Contains(e.Project, "twice") {
		return nil
	}
	return []emulator.Delivery{{}, {After: time.Duration(len(e.ID)+int(e.ID[0])) * time.Millisecond}}
}

// app is a project of a test's own, with functions behind real triggers.
type app struct {
	*local.Project
	t      testing.TB
	cfg    config.Functions
	logger *slog.Logger
}

func newApp(t testing.TB, cfg config.Functions, interceptors ...wire.Interceptor) *app {
	t.Helper()
	return newAppWithLogger(t, cfg, logging.New(t.Output(), slog.LevelInfo), interceptors...)
}

func newAppWithLogger(t testing.TB, cfg config.Functions, logger *slog.Logger, interceptors ...wire.Interceptor) *app {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-", " ", "-").Replace(t.Name()))
	id := fmt.Sprintf("demo-%.40s-%d", name, time.Now().UnixNano()%1e9)
	p, err := theMachine(t).Project(t.Context(), id, cfg, logger, interceptors...)
	if err != nil {
		t.Fatal(err)
	}
	return &app{p, t, cfg, logger}
}

// wake is the end of Silence.
func (a *app) wake() {
	a.t.Helper()
	p, err := theMachine(a.t).Project(a.t.Context(), a.ID, a.cfg, a.logger)
	if err != nil {
		a.t.Fatal(err)
	}
	a.Project = p
}

func (a *app) idle() {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), 3*time.Minute)
	defer cancel()
	if err := a.Idle(ctx); err != nil {
		a.t.Fatal(err)
	}
}

func (a *app) must(_ *firestore.WriteResult, err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *app) follow(follower, author string) {
	a.t.Helper()
	a.must(a.Client.Doc("users/"+author+"/followers/"+follower).Set(a.t.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}))
}

func (a *app) unfollow(follower, author string) {
	a.t.Helper()
	a.must(a.Client.Doc("users/" + author + "/followers/" + follower).Delete(a.t.Context()))
}

func (a *app) post(id, author string, createdAt time.Time) {
	a.t.Helper()
	a.must(a.Client.Doc("posts/"+id).Set(a.t.Context(), map[string]any{"userId": author, "createdAt": createdAt, "text": "text of " + id}))
}

// wantVerified checks every invariant.
func (a *app) wantVerified() {
	a.t.Helper()
	for _, v := range a.violations() {
		a.t.Errorf("verify: %v", v)
	}
}

func (a *app) violations() []relations.Violation {
	a.t.Helper()
	var found []relations.Violation
	report := func(v relations.Violation) { found = append(found, v) }
	if _, err := a.instance().Verify(a.t.Context(), report, nil); err != nil {
		a.t.Fatal(err)
	}
	return found
}

// instance is another instance, whose calls interceptors see.
func (a *app) instance(interceptors ...wire.Interceptor) *relations.Index {
	a.t.Helper()
	client, err := local.Open(a.t.Context(), a.ID, theMachine(a.t).Emulator.FirestoreHost(), interceptors...)
	if err != nil {
		a.t.Fatal(err)
	}
	x, err := relations.New(client, chunker.New(client, chunker.Options{}), a.cfg.RelationsOptions())
	if err != nil {
		a.t.Fatal(err)
	}
	return x
}

// count is the number of documents in a collection.
func (a *app) count(collection string) int {
	a.t.Helper()
	docs, err := a.Client.Collection(collection).Select().Documents(a.t.Context()).GetAll()
	if err != nil {
		a.t.Fatal(err)
	}
	return len(docs)
}

// feed is what the client of a reader sees: the ids of posts, newest first.
func (a *app) feed(reader string) []string {
	a.t.Helper()
	docs, err := a.Client.Collection("_relations").Where("followers", "array-contains", reader).
		OrderBy("createdAt", firestore.Desc).Limit(50).Documents(a.t.Context()).GetAll()
	if err != nil {
		a.t.Fatal(err)
	}
	posts := []string{}
	for _, doc := range docs {
		posts = append(posts, doc.Data()["postId"].(string))
	}
	return posts
}
