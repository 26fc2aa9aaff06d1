package audit_test

import (
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// ring is an app whose readers have rings of 2 buckets of 2 beside open: a cap of 4.
type ring struct{ *testkit.App }

func newRing(t *testing.T) ring {
	t.Helper()
	r := ring{testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 2, Cap: 4, ReaderSettings: true})}
	r.Profile("ann", map[string]any{"name": "ann"})
	r.Follow("r1", "ann")
	r.Settle()
	return r
}

// made is createdAt of a post that is written now, by a clock that is as far ahead as it may be: of what
// was written before, it is certain that it was there.
func made() time.Time { return time.Now().Add(schema.MaxAhead) }

// posts writes posts of ann, one after the other: photos, if their ids begin with p.
func (r ring) posts(ids string) {
	r.T.Helper()
	kinds := map[byte]string{'p': "photo", 't': "text"}
	for _, p := range strings.Fields(ids) {
		r.Must(r.Client.Doc("posts/"+p).Set(r.T.Context(), map[string]any{"userId": "ann", "kind": kinds[p[0]], "createdAt": made()}))
		r.Settle()
	}
}

// hides has r1 hide these patterns, and no others.
func (r ring) hides(patterns ...string) {
	r.T.Helper()
	r.Must(r.Client.Doc("users/r1/settings/feed").Set(r.T.Context(), map[string]any{"hide": patterns, "seenAt": firestore.ServerTimestamp}))
	r.Settle()
}

// deletes deletes a post.
func (r ring) deletes(p string) {
	r.T.Helper()
	r.Must(r.Client.Doc("posts/" + p).Delete(r.T.Context()))
	r.Settle()
}

// loses takes an entry from a timeline.
func (r ring) loses(reader, p string) {
	r.T.Helper()
	docs, err := r.Client.Collection("users/"+reader+"/timeline").Where("posts", "array-contains", p).Documents(r.T.Context()).GetAll()
	if err != nil || len(docs) != 1 {
		r.T.Fatalf("%d documents have %s, %v", len(docs), p, err)
	}
	r.Must(docs[0].Ref.Update(r.T.Context(), []firestore.Update{
		{FieldPath: []string{"entries", p}, Value: firestore.Delete}, {Path: "posts", Value: firestore.ArrayRemove(p)},
	}))
	r.Must(r.Client.Doc("users/"+reader+"/timeline/open").Update(r.T.Context(), []firestore.Update{{Path: "total", Value: firestore.Increment(-1)}}))
}

// wantMissing wants Check to report these posts of a reader as missing, and nothing else.
func (r ring) wantMissing(reader, want string) {
	r.T.Helper()
	var got []string
	_, err := entries.Check(r.T.Context(), r.Instance().Timelines, entries.Options{Report: func(p entries.Problem) {
		if p.Document != "users/"+reader+"/timeline" || p.Problem != "is missing" {
			r.T.Errorf("found %v", p)
		}
		got = append(got, p.Post)
	}})
	if r.Must(nil, err); strings.Join(got, " ") != want {
		r.T.Errorf("%s lacks %v, want %q", reader, got, want)
	}
}

// A rebuild adds the newest posts, up to the cap. Other posts are not missing, even if newer ones are
// deleted. A post that the rebuild has certainly added is required.
func TestRebuiltTimelineRequiresOnlyRebuiltPosts(t *testing.T) {
	t.Parallel()
	r := newRing(t)
	r.hides("*/photo")
	r.posts("p1 p2 p3 p4 p5 p6")
	r.hides()
	r.wantMissing("r1", "")
	r.loses("r1", "p5")
	r.wantMissing("r1", "p5")
	if c, err := entries.Repair(t.Context(), r.Instance().Timelines, entries.Options{Posts: 4}); err != nil || c.Posts != 1 {
		t.Errorf("a repair brought %d posts, %v; want p5", c.Posts, err)
	}
	r.wantMissing("r1", "")
	r.deletes("p6")
	r.wantMissing("r1", "") // p2 is one of the newest now, and did not come
}

// Newer posts of a blocked author have displaced an older post.
func TestRebuildCountsPostsOfBlockedAuthors(t *testing.T) {
	t.Parallel()
	r := newRing(t)
	r.posts("t1")
	r.hides("*/photo")
	r.posts("p2 p3 p4 p5")
	r.Block("r1", "zoe")
	r.Must(r.Client.Doc("posts/z6").Set(t.Context(), map[string]any{"userId": "zoe", "kind": "photo", "to": []string{"r1"}, "createdAt": made()}))
	r.hides("*/video")
	r.deletes("p5")
	r.wantMissing("r1", "")
}

// For a reader with settings, posts made after their last change are required. For a reader without
// settings, all posts are required.
func TestVerifyFindsLostTimelineEntries(t *testing.T) {
	t.Parallel()
	r := newRing(t)
	r.Follow("r2", "ann")
	r.Settle()
	r.posts("p1")
	r.hides()
	r.posts("p3 p0")
	r.loses("r1", "p0")
	r.wantMissing("r1", "p0")
	r.loses("r1", "p1") // perhaps p0 is the last of four newer ones
	r.wantMissing("r1", "p0")
	r.deletes("p0")
	r.loses("r2", "p1")
	r.loses("r2", "p3")
	r.wantMissing("r2", "p1 p3")
}

// A repair brings what is newer than the cap's last one, and no older ones. What was lost gets its
// place.
func TestRepairEvictsNoNewerEntry(t *testing.T) {
	t.Parallel()
	r := newRing(t)
	r.posts("p1 p2 p3 p4 p5 p6")
	docs, err := r.Client.Collection("users/r1/timeline").Documents(t.Context()).GetAll()
	r.Must(nil, err)
	for _, doc := range docs {
		r.Must(doc.Ref.Delete(t.Context()))
	}
	r.posts("p7")
	r.wantMissing("r1", "p4 p5 p6")
	c, err := entries.Repair(t.Context(), r.Instance().Timelines, entries.Options{})
	if err != nil || c.Posts != 3 {
		t.Errorf("a repair brought %d posts, %v; want p4, p5 and p6", c.Posts, err)
	}
	r.wantMissing("r1", "")
	r.loses("r1", "p7")
	r.wantMissing("r1", "p7")
	_, err = entries.Repair(t.Context(), r.Instance().Timelines, entries.Options{})
	r.Must(nil, err)
	r.wantMissing("r1", "")
}

// An edge that is written again is as old as before. A follower document that an import has brought is
// as old as it says. What another follow has brought need not be there.
func TestTimelinesCountFromTheFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, configs["items"])
	w.joins("ada", "r1")
	w.write("ada", "p1")
	update := func(reader, field string, value any) {
		t.Helper()
		_, err := w.DB.Client.Doc("users/"+reader+"/following/ada").Update(t.Context(), []firestore.Update{{Path: field, Value: value}})
		w.must(err)
	}
	merge := func(reader string) {
		t.Helper()
		update(reader, "movesTo", "00002")
		update(reader, "movesTo", firestore.Delete)
	}
	merge("r1")
	w.check(0, "users/r1/timeline: p1: is missing")
	w.joinsAt("ada", "r2", w.at.AddDate(-1, 0, 0))
	w.wantFeed("r2", "p1")
	w.check(0, "users/r1/timeline: p1: is missing")
	w.joins("ada", "r3")
	update("r3", "createdAt", firestore.ServerTimestamp)
	w.write("ada", "p2")
	merge("r3")
	w.check(0, "users/r1/timeline: p1: is missing", "users/r1/timeline: p2: is missing", "users/r2/timeline: p2: is missing")
}

// A late post to a full ring is left out, even before the ring overwrites its first bucket.
func TestFirstFullRingSkipsLatePost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{NoOwnPosts: true, Feeds: []string{"buckets"}, Bucket: 1, Cap: 2})
	w.joins("ada", "r1")
	w.write("ada", "late", "r1")
	for _, p := range []string{"p1", "p2", "p3", "late"} {
		if p != "late" {
			w.write("ada", p, "r1")
		}
		w.must(w.Timelines.Post(t.Context(), p))
	}
	w.wantFeed("r1", "p2 p3") // the cap
	w.check(0)
}
