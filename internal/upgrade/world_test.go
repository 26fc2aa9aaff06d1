package upgrade

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/dev"
	"example.com/relationindex/relations"
)

// small makes a job of almost everything, in pages of one document, each of
// which is a step.
func small() config.Functions {
	return config.Functions{
		Capacity: 2, InlineLimit: 4, Chunk: 1, Lane: 4, Lease: 2 * time.Second, Step: time.Millisecond,
		AuthorFields: []string{"name=authorName"}, Jobs: "_functions",
	}
}

// posts is how many each author has whose jobs are on posts, and documents how
// many index documents the author has whose post is a job.
const (
	posts     = 12
	documents = 12
	of        = 6 // posts, followers and follows of the account that is deleted
)

// world is a system under test, and what its clients do.
type world struct {
	*dev.System
	t      *testing.T
	names  string // ends the name of every account and post, for another round
	posted int
}

func (w *world) must(_ *firestore.WriteResult, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) doc(format string, args ...any) *firestore.DocumentRef {
	return w.Client().Doc(fmt.Sprintf(format, args...))
}

func (w *world) follow(f, u string) {
	w.t.Helper()
	w.must(w.doc("users/%s%s/followers/%s%s", u, w.names, f, w.names).Set(w.t.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}))
}

func (w *world) post(u string) {
	w.t.Helper()
	w.posted++
	at := time.Date(2026, 1, 1, 0, 0, w.posted, 0, time.UTC)
	w.must(w.doc("posts/p%s%03d", w.names, w.posted).Create(w.t.Context(), map[string]any{"userId": u + w.names, "createdAt": at, "authorName": "before"}))
}

func (w *world) profile(u, name string) {
	w.t.Helper()
	w.must(w.doc("users/%s%s", u, w.names).Set(w.t.Context(), map[string]any{"name": name}, firestore.MergeAll))
}

// settle makes what is there before the jobs begin. Follows are imported: to make
// them one by one is not what the test is about.
func (w *world) settle() {
	w.t.Helper()
	w.profile("renamed", "before")
	w.profile("leaver", "before")
	for range posts {
		w.post("synced")
		w.post("opened")
		w.post("renamed")
	}
	follows := map[string][]string{"synced": {"first-"}}
	for n := range 2 * documents {
		follows["popular"] = append(follows["popular"], fmt.Sprintf("fan%d-", n))
	}
	for n := range of {
		w.post("leaver")
		follows["leaver"] = append(follows["leaver"], fmt.Sprintf("left%d-", n))
		follows[fmt.Sprintf("idol%d-", n)] = []string{"leaver"}
	}
	var all []relations.Follows
	for u, followers := range follows {
		for n := range followers {
			followers[n] += w.names
		}
		all = append(all, relations.Follows{Author: u + w.names, Followers: followers})
	}
	if err := w.index().Adopt(w.t.Context(), all, relations.AdoptOptions{}); err != nil {
		w.t.Fatal(err)
	}
	w.idle()
}

// index is an index of this release on the database.
func (w *world) index() *relations.Index {
	w.t.Helper()
	x, err := relations.New(w.Client(), chunker.New(w.Client(), chunker.Options{}), w.Config().RelationsOptions())
	if err != nil {
		w.t.Fatal(err)
	}
	return x
}

// begin makes a job of every kind: a post in lanes, a backfill, a sync, a purge
// and a profile.
func (w *world) begin() {
	w.post("popular")
	w.follow("late-", "opened")
	w.follow("late-", "synced")
	w.profile("renamed", "after")
	w.must(w.doc("users/leaver%s", w.names).Delete(w.t.Context()))
}

// jobsOf is how many jobs with steps begin makes, by kind.
var jobsOf = map[string]int{"relations.post": documents / 4, "relations.index": 2, "relations.purge": 1, "relations.profile": 1}

func (w *world) idle() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	defer cancel()
	if err := w.Idle(ctx); err != nil {
		w.t.Fatal(err)
	}
}

// jobs are all job documents, as they are stored.
func (w *world) jobs() map[string]map[string]any {
	w.t.Helper()
	docs, err := w.Client().Collection("_functions").Documents(w.t.Context()).GetAll()
	if err != nil {
		w.t.Fatal(err)
	}
	jobs := map[string]map[string]any{}
	for _, doc := range docs {
		jobs[doc.Ref.ID] = doc.Data()
	}
	return jobs
}

// wantRight checks that nothing is lost and nothing double: the index, the feeds
// of all readers, the jobs, the profile and the receipt.
func (w *world) wantRight() {
	w.t.Helper()
	if _, err := w.index().Verify(w.t.Context(), func(v relations.Violation) { w.t.Errorf("verify: %v", v) }, nil); err != nil {
		w.t.Fatal(err)
	}
	w.wantFeeds()
	for id, job := range w.jobs() {
		if job["state"] != string(chunker.Done) {
			w.t.Errorf("job %s is %v: %v", id, job["state"], job["error"])
		}
		if job["lanes"] == int64(documents/4) && (job["done"] != int64(documents) || job["total"] != int64(documents)) {
			w.t.Errorf("job %s has done %v of %v, want all of %d", id, job["done"], job["total"], documents)
		}
		receipt := map[string]any{"followers": int64(of), "following": int64(of), "indexDocuments": int64(of / 2), "relations": int64(of * of / 2), "posts": int64(of), "blocked": int64(0)}
		if diff := cmp.Diff(receipt, job["counts"]); job["kind"] == "relations.purge" && diff != "" {
			w.t.Errorf("receipt of the purge (-want +got):\n%s", diff)
		}
	}
	signed, err := w.Client().Collection("posts").Where("userId", "==", "renamed"+w.names).Documents(w.t.Context()).GetAll()
	if err != nil || len(signed) != posts {
		w.t.Fatalf("%d posts, %v", len(signed), err)
	}
	for _, post := range signed {
		if post.Data()["authorName"] != "after" {
			w.t.Errorf("%s has the name %q", post.Ref.ID, post.Data()["authorName"])
		}
	}
}

// wantFeeds compares every reader's feed with follower documents and posts.
func (w *world) wantFeeds() {
	w.t.Helper()
	follows, err := w.Client().CollectionGroup("followers").Documents(w.t.Context()).GetAll()
	if err != nil {
		w.t.Fatal(err)
	}
	written, err := w.Client().Collection("posts").OrderBy("createdAt", firestore.Desc).Documents(w.t.Context()).GetAll()
	if err != nil {
		w.t.Fatal(err)
	}
	want := map[string][]string{"leaver" + w.names: nil}
	for _, post := range written {
		for _, f := range follows {
			if f.Ref.Parent.Parent.ID == post.Data()["userId"] {
				want[f.Ref.ID] = append(want[f.Ref.ID], post.Ref.ID)
			}
		}
	}
	for reader, posts := range want {
		feed, err := w.Client().Collection("_relations").Where("followers", "array-contains", reader).OrderBy("createdAt", firestore.Desc).Documents(w.t.Context()).GetAll()
		if err != nil {
			w.t.Fatal(err)
		}
		var got []string
		for _, r := range feed {
			got = append(got, r.Data()["postId"].(string))
		}
		if diff := cmp.Diff(posts, got); diff != "" {
			w.t.Errorf("feed of %s (-want +got):\n%s", reader, diff)
		}
	}
}
