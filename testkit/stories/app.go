package stories

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// App is a project of the test's own, as its clients see it, with functions behind its triggers.
// Methods end the test when Firestore rejects a call.
type App struct {
	System
	T      testing.TB
	ID     string // of the project
	Client *firestore.Client
	Config schema.Config // as it was given
	Used   wire.Meter    // counts what Client does

	machine Machine
}

// New makes an app with functions configured by cfg, until the test ends.
func New(t testing.TB, m Machine, cfg schema.Config) *App {
	t.Helper()
	a := Open(t, m)
	a.Start(cfg)
	return a
}

// Open makes an app without functions. Writes before Start have no events.
func Open(t testing.TB, m Machine) *App {
	t.Helper()
	a := &App{T: t, machine: m, ID: ProjectID(t)}
	var err error
	if a.Client, err = m.Open(t.Context(), a.ID, a.Used.Interceptor()); err != nil {
		t.Fatal(err)
	}
	return a
}

var projects atomic.Int64

// ProjectID returns a project id of the test's own, another one at each call. The id has the first 40
// characters of the test's name. It has the word twice if the test's name has it: see [Plan].
func ProjectID(t testing.TB) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(t.Name()))
	short := fmt.Sprintf("%.40s", name)
	if strings.Contains(name, twice) && !strings.Contains(short, twice) {
		short = fmt.Sprintf("%.34s-%s", name, twice)
	}
	return fmt.Sprintf("demo-%s-%d", short, projects.Add(1))
}

// Start starts the functions, or replaces them.
func (a *App) Start(cfg schema.Config) {
	a.T.Helper()
	a.Config = cfg
	var err error
	if a.System, err = a.machine.Start(a.T, a.ID, cfg); err != nil {
		a.T.Fatal(err)
	}
}

// Settle waits until nothing is under way, at most ten minutes. On two cores that run other tests too, the events of a
// restored export take three minutes.
func (a *App) Settle() {
	a.T.Helper()
	ctx, cancel := context.WithTimeout(a.T.Context(), 10*time.Minute)
	defer cancel()
	if err := a.Idle(ctx); err != nil {
		a.T.Fatal(err)
	}
}

// Must ends the test when a write is rejected.
func (a *App) Must(_ *firestore.WriteResult, err error) {
	a.T.Helper()
	if err != nil {
		a.T.Fatal(err)
	}
}

// Follow makes follower follow author, as the follower's client does.
func (a *App) Follow(follower, author string) {
	a.T.Helper()
	a.Must(a.Client.Doc("users/"+author+"/followers/"+follower).Set(a.T.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}))
}

// Unfollow undoes Follow.
func (a *App) Unfollow(follower, author string) {
	a.T.Helper()
	a.Must(a.Client.Doc("users/" + author + "/followers/" + follower).Delete(a.T.Context()))
}

// Follows reports whether the follow document of follower and author exists.
func (a *App) Follows(follower, author string) bool {
	a.T.Helper()
	docs, err := a.Client.GetAll(a.T.Context(), []*firestore.DocumentRef{a.Client.Doc("users/" + author + "/followers/" + follower)})
	if err != nil {
		a.T.Fatal(err)
	}
	return docs[0].Exists()
}

// Block blocks a follower, as the author's client does.
func (a *App) Block(author, follower string) {
	a.T.Helper()
	a.Must(a.Client.Doc("users/"+author+"/blocked/"+follower).Set(a.T.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}))
}

// Unblock undoes Block.
func (a *App) Unblock(author, follower string) {
	a.T.Helper()
	a.Must(a.Client.Doc("users/" + author + "/blocked/" + follower).Delete(a.T.Context()))
}

// Post writes a post with the text "text of " followed by its id.
func (a *App) Post(id, author string, createdAt time.Time) {
	a.T.Helper()
	a.Must(a.Client.Doc("posts/"+id).Set(a.T.Context(), map[string]any{"userId": author, "createdAt": createdAt, "text": "text of " + id}))
}

// Edit changes fields of a post.
func (a *App) Edit(post string, updates ...firestore.Update) {
	a.T.Helper()
	a.Must(a.Client.Doc("posts/"+post).Update(a.T.Context(), updates))
}

// DeletePost deletes a post.
func (a *App) DeletePost(post string) {
	a.T.Helper()
	a.Must(a.Client.Doc("posts/" + post).Delete(a.T.Context()))
}

// Profile writes fields of a user document, as the client of a new user does.
func (a *App) Profile(user string, fields map[string]any) {
	a.T.Helper()
	a.Must(a.Client.Doc("users/"+user).Set(a.T.Context(), fields, firestore.MergeAll))
}

// DeleteAccount deletes a user document.
func (a *App) DeleteAccount(user string) {
	a.T.Helper()
	a.Must(a.Client.Doc("users/" + user).Delete(a.T.Context()))
}

// Group writes a group with an owner. Members post in it.
func (a *App) Group(id, owner string) {
	a.T.Helper()
	a.Profile(id, map[string]any{"name": "Group " + id, "ownerId": owner, "closed": false, "post": "members"})
}

// PostTo writes a post with an audience, and with the people named in `to`.
func (a *App) PostTo(id, author, audience string, createdAt time.Time, to ...string) {
	a.T.Helper()
	fields := map[string]any{"userId": author, "audience": audience, "hidden": false, "createdAt": createdAt, "text": "text of " + id}
	if len(to) > 0 {
		fields["to"] = to
	}
	a.Must(a.Client.Doc("posts/"+id).Set(a.T.Context(), fields))
}

// Call sends a request to a function. headers alternates names and values.
func (a *App) Call(method, function string, headers ...string) (status int, body string) {
	a.T.Helper()
	req, err := http.NewRequestWithContext(a.T.Context(), method, a.URL(function), nil)
	if err != nil {
		a.T.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.T.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		a.T.Fatal(err)
	}
	return resp.StatusCode, string(text)
}
