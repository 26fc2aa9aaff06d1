package social_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// both is a configuration with numbers and notifications.
func both() schema.Config {
	return schema.Config{NoOwnPosts: true, Counts: true, Notifications: true}
}

// app is a project whose accounts have profiles.
type app struct{ *testkit.App }

func newApp(t *testing.T, cfg schema.Config, accounts ...string) app {
	t.Helper()
	a := app{testkit.NewApp(t, cfg)}
	a.profiles(accounts...)
	return a
}

func (a app) profiles(accounts ...string) {
	a.T.Helper()
	for _, u := range accounts {
		a.Profile(u, map[string]any{"name": u})
	}
}

// openApp is newApp without functions.
func openApp(t *testing.T, accounts ...string) app {
	t.Helper()
	a := app{testkit.OpenApp(t, both())}
	a.profiles(accounts...)
	return a
}

func (a app) set(path string, fields map[string]any) {
	a.T.Helper()
	a.Must(a.Client.Doc(path).Set(a.T.Context(), fields))
}

func (a app) drop(path string) {
	a.T.Helper()
	a.Must(a.Client.Doc(path).Delete(a.T.Context()))
}

// post writes a post as clients do.
func (a app) post(id, author, audience string, to ...string) {
	a.T.Helper()
	a.set("posts/"+id, map[string]any{"userId": author, "audience": audience, "hidden": false, "createdAt": time.Now(), "to": append([]string{}, to...)})
}

func (a app) like(p string, who ...string) {
	a.T.Helper()
	for _, u := range who {
		a.set("posts/"+p+"/likes/"+u, map[string]any{"userId": u, "postId": p, "createdAt": firestore.ServerTimestamp})
	}
}

func (a app) comment(p, id, who, thread string) {
	a.T.Helper()
	a.set("posts/"+p+"/comments/"+id, map[string]any{"userId": who, "thread": thread, "createdAt": firestore.ServerTimestamp, "text": "yes"})
}

// wantCounts checks the numbers in a document. One that is missing is 0.
func (a app) wantCounts(path string, want map[string]int64) {
	a.T.Helper()
	got := map[string]int64{}
	counts, _ := a.Data(path)["counts"].(map[string]any)
	for name, n := range counts {
		got[name], _ = n.(int64)
	}
	maps.DeleteFunc(got, func(_ string, n int64) bool { return n == 0 })
	testkit.Same(a.T, path, want, got)
}

// note is what a test looks at of a notification.
type note struct {
	Count  int64
	Actors []string
}

// wantNotes checks all notifications of an account, by their ids.
func (a app) wantNotes(u string, want map[string]note) {
	a.T.Helper()
	docs, err := a.Client.Collection("users/" + u + "/notifications").Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	got := map[string]note{}
	for _, doc := range docs {
		if doc.Data()["at"] == nil { // nobody acts, and clients do not find it
			continue
		}
		n := note{}
		n.Count, _ = doc.Data()["count"].(int64)
		actors, _ := doc.Data()["actors"].([]any)
		for _, actor := range actors {
			n.Actors = append(n.Actors, actor.(string))
		}
		got[doc.Ref.ID] = n
		at, _ := doc.Data()["at"].(time.Time)
		if expires, _ := doc.Data()["expireAt"].(time.Time); expires.Sub(at.Add(90*24*time.Hour)).Abs() > time.Hour || at.IsZero() {
			a.T.Errorf("%s is of %v and expires at %v", doc.Ref.Path, at, expires)
		}
		fields := slices.Sorted(maps.Keys(doc.Data()))
		if fields = slices.DeleteFunc(fields, func(name string) bool { return name == "told" }); !slices.Equal(fields, []string{"actors", "at", "count", "expireAt", "object", "verb"}) {
			a.T.Errorf("%s has the fields %v", doc.Ref.Path, fields)
		}
	}
	testkit.Same(a.T, fmt.Sprintf("notifications of %s", u), want, got)
}

// mentionBy returns the id of the notification of an author's mentions.
func (a app) mentionBy(author string) string {
	sum := sha256.Sum256([]byte(author))
	return "mention." + base64.RawURLEncoding.EncodeToString(sum[:])
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }
