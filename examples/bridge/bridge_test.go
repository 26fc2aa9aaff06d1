package bridge

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// bridged has triggers of the bridge beside those of the functions.
func bridged(t *testing.T) *testkit.App {
	t.Helper()
	a := testkit.NewApp(t, social.Config{AuthorFields: []string{"displayName=authorName"}})
	for name, do := range map[string]func(context.Context, *firestore.Client, string) error{"posts": Post, "users": User} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := do(r.Context(), a.Client, path.Base(r.Header.Get("Ce-Subject"))); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		}))
		t.Cleanup(server.Close)
		a.Must(nil, testkit.Machine(t).Emulator.Broker().Register(t.Context(), a.ID, emulator.Trigger{
			Name: "Bridge-" + name, EventType: "google.cloud.firestore.document.v1.written", Document: name + "/{id}", URL: server.URL,
		}))
	}
	return a
}

// Readers have the feeds that an app's own fields say, whatever changes.
func TestBridgeBuildsFeedsFromAppFields(t *testing.T) {
	t.Parallel()
	a := bridged(t)
	set := func(path string, fields map[string]any) {
		t.Helper()
		a.Must(a.Client.Doc(path).Set(t.Context(), fields, firestore.MergeAll))
	}
	set("users/ada", map[string]any{"displayName": "Ada"})
	set("users/bob", map[string]any{"displayName": "Bob"})
	set("users/eve", map[string]any{"displayName": "Eve", "following": []string{"ada", "bob", "eve", "", "ada", "g_hr", "a/b", "..", "__x__"}})
	a.Settle()
	now := time.Now()
	set("posts/p1", map[string]any{"authorId": "ada", "created": now, "text": "one"})
	set("posts/p2", map[string]any{"authorId": "bob", "created": now.Add(time.Second)})
	set("posts/none", map[string]any{"text": "no post of theirs"})
	a.Settle()
	a.WantFeed("eve", "p2", "p1")
	if name := a.Data("posts/p1")["authorName"]; name != "Ada" {
		t.Errorf("the author's name is %v", name)
	}
	set("users/eve", map[string]any{"displayName": "Eva", "following": []string{"bob"}})
	a.Settle()
	a.WantFeed("eve", "p2")
	if name := a.Data("users/eve")["name"]; name != "Eva" {
		t.Errorf("the name is %v", name)
	}
	a.WantVerified()
	_, err := a.Client.Doc("users/eve").Delete(t.Context())
	a.Must(nil, err)
	a.Settle()
	if docs, err := a.Client.Collection("bridged").Documents(t.Context()).GetAll(); err != nil || len(docs) > 0 {
		t.Errorf("%d documents of a deleted account: %v", len(docs), err)
	}
}

// A user adds and removes more follows than fit one transaction.
func TestManyFollows(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, social.Config{})
	var all []string
	for n := range 2*atOnce + 7 {
		all = append(all, fmt.Sprintf("a%03d", n))
	}
	follows := func() (authors []string) {
		docs, err := a.Client.CollectionGroup("followers").Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range docs {
			authors = append(authors, doc.Ref.Parent.Parent.ID)
		}
		slices.Sort(authors)
		return authors
	}
	for _, want := range [][]string{all, all[250:], nil} {
		a.Must(a.Client.Doc("users/eve").Set(t.Context(), map[string]any{"displayName": "Eve", "following": want}))
		for range 2 { // the event comes twice
			if err := User(t.Context(), a.Client, "eve"); err != nil {
				t.Fatal(err)
			}
		}
		if got := follows(); !slices.Equal(got, want) {
			t.Errorf("%d follows, want %d", len(got), len(want))
		}
	}
}
