package testkit

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit/stories"
)

// Renew deletes a document and writes it again with the same fields.
func (a *App) Renew(path string) {
	a.T.Helper()
	data := a.Data(path)
	a.Must(a.Client.Doc(path).Delete(a.T.Context()))
	Write(a.T, a.Client, map[string]map[string]any{path: data})
}

// OlderThanAPace waits until a relation is older than a second, which is more than the pace of passes,
// [schema.SyncPace]. A pass reads the index document again if the relation was written within the pace.
func (a *App) OlderThanAPace(path string) {
	a.T.Helper()
	Until(a.T, "the relation is older than the pace of passes", func() bool {
		relation, err := a.Client.Doc(path).Get(a.T.Context())
		return err == nil && time.Since(relation.UpdateTime) > time.Second
	})
}

// AdasApp returns ada's app at rest, with events silenced. Ada has two posts and two fans, each in an
// index document of their own, and follows star.
func AdasApp(t *testing.T, cfg schema.Config) *App {
	cfg.Capacity = 1
	a := NewApp(t, cfg)
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("ada", "star")
	a.Post("of star", "star", stories.Day)
	for n := range 2 {
		a.Follow(fmt.Sprintf("fan%d", n), "ada")
		a.Post(fmt.Sprintf("p%d", n), "ada", stories.Day.Add(time.Duration(n)*time.Hour))
	}
	a.Settle()
	a.Silence()
	return a
}

// FollowEvents handles the event of each follow, an author and a follower, on x. An error fails the
// test.
func (a *App) FollowEvents(x *social.System, follows ...[2]string) {
	a.T.Helper()
	for _, f := range follows {
		if err := x.Graph.Follow(a.T.Context(), f[0], f[1]); err != nil {
			a.T.Errorf("the event of %s's follow of %s: %v", f[1], f[0], err)
		}
	}
}

// IndexDocuments counts the author's index documents.
func (a *App) IndexDocuments() int {
	a.T.Helper()
	docs, err := a.Client.Collection("users/author/followers_index").Select().Documents(a.T.Context()).GetAll()
	a.OK(err)
	return len(docs)
}

// FollowAll writes or deletes follower documents, and handles their events in a process of its own.
func (a *App) FollowAll(readers []string, follow bool) {
	a.T.Helper()
	x := a.Instance()
	var group errgroup.Group
	for _, f := range readers {
		if follow {
			a.Follow(f, "author")
		} else {
			a.Unfollow(f, "author")
		}
		group.Go(func() error { return x.Graph.Follow(a.T.Context(), "author", f) })
	}
	a.OK(group.Wait())
}

// OK ends the test if err is not nil.
func (a *App) OK(err error) {
	a.T.Helper()
	if err != nil {
		a.T.Fatal(err)
	}
}
