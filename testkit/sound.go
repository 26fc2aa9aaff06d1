package testkit

import (
	"strings"
	"sync"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/stories"
)

// sound has the documents of SoundApp, which are made once.
var sound struct {
	sync.Once
	documents map[string]map[string]any
}

// SoundApp has an author with the post p1 and three followers: r1 and r2 in the first index document,
// r3 in the second. Events are no longer handled.
func SoundApp(t *testing.T) *App {
	t.Helper()
	cfg := schema.Config{NoOwnPosts: true, Capacity: 2, CopiedFields: []string{"text"}}
	sound.Do(func() {
		a := NewApp(t, cfg)
		for _, r := range []string{"r1", "r2", "r3"} {
			a.Follow(r, "author")
			a.Settle()
		}
		a.Post("p1", "author", stories.Day)
		a.Settle()
		a.WantVerified()
		sound.documents = Documents(t, a.Client, nil)
	})
	return CopyOf(t, cfg, sound.documents)
}

// ViolationsOf returns the violations that verify finds for one author.
func (a *App) ViolationsOf(author string) []verify.Violation {
	a.T.Helper()
	var found []verify.Violation
	report := func(v verify.Violation) { found = append(found, v) }
	if _, err := verify.New(a.Instance()).Author(a.T.Context(), author, report, nil); err != nil {
		a.T.Fatal(err)
	}
	return found
}

// Merge repairs the author and merges index documents, on an instance of its own.
func (a *App) Merge(progress func(string, int64), interceptors ...wire.Interceptor) (repair.Repaired, error) {
	return repair.New(a.Instance(interceptors...)).RepairAndMerge(a.T.Context(), "author", nil, progress)
}

// Repair repairs an author on an instance of its own. It returns the result, and the instance's
// counts.
func (a *App) Repair(author string) (repair.Repaired, wire.Counts) {
	a.T.Helper()
	var meter wire.Meter
	var doings []string
	progress := func(doing string, _ int64) {
		if len(doings) == 0 || doings[len(doings)-1] != doing {
			doings = append(doings, doing)
		}
	}
	repaired, err := repair.New(a.Instance(meter.Interceptor())).Repair(a.T.Context(), author, nil, progress)
	if err != nil {
		a.T.Fatal(err)
	}
	if len(doings) > 5 { // a walk that repairs before and after it reads relations, then a walk that finds nothing
		a.T.Errorf("at rest a repair takes one round, this one went %v", doings)
	}
	return repaired, meter.Counts()
}

// WantSound checks that verify finds only violations of invariant 4 (jobs), and checks all feeds: see
// WantFeeds.
func (a *App) WantSound() {
	a.T.Helper()
	for _, v := range a.Violations() {
		if v.Invariant != 4 {
			a.T.Errorf("verify: %v", v)
		}
	}
	a.WantFeeds(a.Feed)
}

// WantFeeds checks that each reader's feed has the posts that follower documents and posts imply.
func (a *App) WantFeeds(feed func(reader string) []string) {
	a.T.Helper()
	want := map[string][]string{"r1": {}, "r2": {}, "r3": {}, "r6": {}, "r9": {}, "x": {}} // readers who follow nobody see nothing
	posts, err := a.Client.Collection("posts").OrderBy("createdAt", firestore.Desc).Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	followers, err := a.Client.CollectionGroup("followers").Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	for _, post := range posts {
		for _, f := range followers {
			if author := f.Ref.Parent.Parent.ID; author == post.Data()["userId"] && author != f.Ref.ID {
				want[f.Ref.ID] = append(want[f.Ref.ID], post.Ref.ID)
			}
		}
	}
	for reader, posts := range want {
		if diff := cmp.Diff(posts, feed(reader)); diff != "" {
			a.T.Errorf("feed of %s (-want +got):\n%s", reader, diff)
		}
	}
}

// Documents returns all documents of the queries, by path.
func (a *App) Documents(collections ...firestore.Query) map[string]map[string]any {
	a.T.Helper()
	found := map[string]map[string]any{}
	for _, q := range collections {
		docs, err := q.Documents(a.T.Context()).GetAll()
		if err != nil {
			a.T.Fatal(err)
		}
		for _, doc := range docs {
			_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
			found[path] = doc.Data()
		}
	}
	return found
}
