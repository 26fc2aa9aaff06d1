package timelines_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex"
	"example.com/relationindex/audit/entries"
	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// Without a backfill, a follow adds no earlier posts. An unfollow still removes entries.
func TestFollowWithoutBackfillAddsNoOldPosts(t *testing.T) {
	eachLayout(t, func(t *testing.T, opts timelines.Options) {
		opts.Backfill = 0
		w := newWorld(t, opts)
		w.writeAgo("p1", schema.MaxAhead+time.Minute)
		w.must(w.event(w.process, "p1")())
		w.joins("r1")
		w.post("p2")
		w.wantFeed("r1", "p2")
		w.writeAgo("p2", time.Hour)
		w.leaves("r1")
		w.wantFeed("r1")
		w.joins("r1")
		w.post("p3")
		w.wantFeed("r1", "p3")
	})
}

// Entries stay after an unfollow if they shall. Deletions of posts still reach them.
func TestKeepOnUnfollow(t *testing.T) {
	eachLayout(t, func(t *testing.T, opts timelines.Options) {
		opts.KeepOnUnfollow = true
		w := newWorld(t, opts)
		w.joins("r1")
		w.post("p1")
		w.post("p2")
		w.leaves("r1")
		w.post("p3")
		w.wantFeed("r1", "p2", "p1")
		w.remove("posts/p1")
		w.must(w.event(w.process, "p1")())
		w.wantFeed("r1", "p2")
	})
}

// A post that mentions the reader later does not stay either.
func TestBlockRemovesPostThatMentionsReaderLater(t *testing.T) {
	eachLayout(t, func(t *testing.T, opts timelines.Options) {
		w := newWorld(t, opts)
		w.joins("r1")
		w.joins("r2")
		w.set("users/r1/blocked/ada", map[string]any{"createdAt": firestore.ServerTimestamp})
		w.post("p1")
		w.wantFeed("r1", "p1")
		w.set("posts/p1", map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "to": []string{"r1", "r2"}, "createdAt": firestore.ServerTimestamp})
		w.must(w.d.Post(t.Context(), "p1"))
		w.wantFeed("r1")
		w.wantFeed("r2", "p1")
		w.wantSound("r1")
	})
}

// Items beyond the cap go every so often, the oldest first, and with a repair.
func TestItemsBeyondCapAreDeleted(t *testing.T) {
	t.Parallel()
	const limit, posts = 10, 90
	w := newWorld(t, timelines.Options{Layout: layout.Items{Cap: limit}})
	w.joins("r1")
	var ids []string
	for n := range posts {
		ids = append([]string{fmt.Sprintf("p%02d", n)}, ids...)
		w.post(ids[0])
	}
	listed, err := w.newest("r1")
	w.must(err)
	if len(listed) < limit || len(listed) > posts/2 {
		t.Errorf("%d entries of %d are left, with a cap of %d", len(listed), posts, limit)
	}
	w.wantFeed("r1", ids[:len(listed)]...)
	w.wantNoProblem()
	w.opts.Layout = layout.Items{Cap: 3}
	w.process = w.open()
	w.remove("posts/" + ids[0]) // of which nobody hears
	if _, err := entries.Repair(t.Context(), w.d, entries.Options{Report: func(entries.Problem) {}}); err != nil {
		t.Error(err)
	}
	w.wantFeed("r1", ids[1:4]...)
}

// After a change of layout, documents of the old one are there until a repair: they count for no cap.
func TestDocumentsOfAnotherLayoutDoNotCountForCap(t *testing.T) {
	t.Parallel()
	const limit, posts = 10, 90
	w := newWorld(t, timelines.Options{Layout: layout.Items{Cap: limit}})
	w.joins("r1")
	for n := range 100 {
		day := fmt.Sprintf("2020-01-%03d", n)
		w.set("users/r1/timeline/"+day, map[string]any{"day": day, "posts": []string{}, "accounts": []string{}, "entries": map[string]any{}})
	}
	for n := range posts {
		w.post(fmt.Sprintf("p%02d", n))
		docs, err := w.client.Collection("users/r1/timeline").OrderBy("at", firestore.Desc).Documents(t.Context()).GetAll()
		w.must(err)
		if len(docs) < min(n+1, limit) {
			t.Fatalf("after %d posts %d items are left, with a cap of %d", n+1, len(docs), limit)
		}
	}
}

// Entries say when they expire, as long after createdAt as configured. Those that are expired
// are neither brought nor shown, though Firestore deletes them later.
func TestEntriesExpire(t *testing.T) {
	t.Parallel()
	const after = 48 * time.Hour
	for name, l := range map[string]layout.Layout{"items": layout.Items{Expire: after}, "days": layout.Days{Expire: after}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, timelines.Options{Layout: l})
			w.joins("r1")
			old := newWorld(t, timelines.Options{Layout: map[string]layout.Layout{"items": layout.Items{}, "days": layout.Days{}}[name]})
			old.project, old.process = w.project, nil
			old.process = old.open()
			now := time.Now().UTC().Truncate(time.Millisecond)
			at := func(p string, age time.Duration) {
				w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": now.Add(-age)})
			}
			at("p1", 0)
			at("p2", 5*24*time.Hour)
			at("p3", 6*24*time.Hour)
			w.must(old.d.Post(t.Context(), "p3")) // before entries expired
			w.must(w.d.Post(t.Context(), "p2"))
			w.must(w.d.Post(t.Context(), "p1"))
			w.wantFeed("r1", "p1")
			w.wantNoProblem()
			doc, want := "p1", now
			if name == "days" {
				doc, want = now.Format(time.DateOnly), now.Truncate(24*time.Hour).Add(24*time.Hour)
			}
			if got, _ := w.data("users/r1/timeline/" + doc)["expireAt"].(time.Time); !got.Equal(want.Add(after)) {
				t.Errorf("it expires at %v, want %v", got, want.Add(after))
			}
			now = now.Add(-time.Minute)
			at("p1", 0)
			w.must(w.d.Post(t.Context(), "p1"))
			if got, _ := w.data("users/r1/timeline/" + doc)["expireAt"].(time.Time); name == "items" && !got.Equal(now.Add(after)) {
				t.Errorf("after an edit of createdAt it expires at %v, want %v", got, now.Add(after))
			}
		})
	}
}

// The backfill brings the newest posts alone.
func TestBackfillOfTheNewest(t *testing.T) {
	eachLayout(t, func(t *testing.T, opts timelines.Options) {
		opts.Backfill = 3
		w := newWorld(t, opts)
		for n := range 5 {
			w.writeAgo(fmt.Sprint("p", n), time.Duration(10-n)*time.Hour)
		}
		w.joins("r1")
		w.must(w.follow(w.process, "r1")())
		w.wantFeed("r1", "p4", "p3", "p2")
	})
}

// A full ring overwrites its oldest bucket, and keeps its newest cap entries. A displaced
// post does not return.
func TestCapKeepsNewestEntries(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"buckets of 1": 1, "buckets of 2": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(size, 4)})
			w.joins("r1")
			for n := range 9 {
				w.post(fmt.Sprint("p", n))
			}
			w.wantFeed("r1", "p8", "p7", "p6", "p5")
			w.must(w.event(w.process, "p0")())
			w.must(w.event(w.process, "p6")())
			w.wantFeed("r1", "p8", "p7", "p6", "p5")
			w.remove("posts/p7")
			w.must(w.event(w.process, "p7")())
			w.wantSound("r1")
			w.post("p9")
			w.wantSound("r1")
		})
	}
}

// A post is deleted and created again while its earlier entry is in a closed bucket. It has
// one entry.
func TestRecreatedPostHasOneEntry(t *testing.T) {
	eachLayout(t, func(t *testing.T, opts timelines.Options) {
		w := newWorld(t, opts)
		w.joins("r1")
		w.post("p1")
		w.post("p2")
		w.remove("posts/p1")
		w.post("p1")
		w.wantFeed("r1", "p1", "p2")
	})
}

// A missing or damaged open is made again, after the highest sequence. Entries are there
// once, and the total is theirs.
func TestDamagedOpenBucketIsRebuilt(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*world, *firestore.DocumentRef) error{
		"missing": func(w *world, open *firestore.DocumentRef) error { _, err := open.Delete(w.t.Context()); return err },
		"no sequence": func(w *world, open *firestore.DocumentRef) error {
			_, err := open.Update(w.t.Context(), []firestore.Update{{Path: "sequence", Value: firestore.Delete}})
			return err
		},
		"not ours": func(w *world, open *firestore.DocumentRef) error {
			_, err := open.Set(w.t.Context(), map[string]any{"sequence": "x", "entries": []string{"y"}, "total": -7})
			return err
		},
		"an old sequence": func(w *world, open *firestore.DocumentRef) error {
			_, err := open.Update(w.t.Context(), []firestore.Update{{Path: "sequence", Value: 1}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, ones)
			w.joins("r1")
			for n := range 3 {
				w.post(fmt.Sprint("p", n))
			}
			w.must(damage(w, w.client.Doc("users/r1/timeline/open")))
			w.post("p3")
			want := []string{"p3", "p2", "p1", "p0"}
			if name == "missing" || name == "not ours" {
				want = []string{"p3", "p1", "p0"} // p2 was in open: a repair brings it back
			}
			w.wantFeed("r1", want...)
			w.remove("posts/p1")
			w.must(w.event(w.process, "p1")())
			w.must(w.event(w.process, "p3")())
			w.wantSound("r1")
		})
	}
}

// A removal from a closed bucket makes a missing open again.
func TestRemovalRebuildsMissingOpenBucket(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ones)
	w.joins("r1")
	w.post("p1")
	w.post("p2")
	w.remove("users/r1/timeline/open")
	w.remove("posts/p1")
	w.must(w.event(w.process, "p1")())
	w.wantFeed("r1")
	w.post("p3")
	w.wantFeed("r1", "p3")
}

// A day document that Firestore rejects for its size omits the post. Other readers get it.
func TestFullDaySkipsOnlyItsReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, days)
	for _, r := range []string{"r1", "r2", "r3"} {
		w.joins(r)
	}
	w.post("p1")
	day := time.Now().UTC().Format(time.DateOnly)
	_, err := w.client.Doc("users/r2/timeline/"+day).Update(t.Context(), []firestore.Update{
		{Path: "ballast", Value: strings.Repeat("x", 1<<19)}, {Path: "more", Value: strings.Repeat("x", 1<<19-270)},
	})
	w.must(err)
	g, err := guard.Parse(relationindex.FirestoreIndexes) // the emulator accepts more than 1 MiB
	w.must(err)
	w.write("p2")
	w.must(w.event(w.open(wire.Interceptor{Unary: g.Unary, Stream: g.Stream}), "p2")())
	w.wantFeed("r1", "p2", "p1")
	w.wantFeed("r2", "p1")
	w.wantFeed("r3", "p2", "p1")
}

// A post whose id is too long for a field path is in no timeline, and its event is not
// retried. A follow still delivers its author's other posts.
func TestPostWithTooLongIDIsSkipped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", schema.MaxPostIDBytes+1)
	for name, opts := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.write(long)
			w.write(strings.Repeat("`", schema.MaxPostIDBytes))
			w.post("p1")
			w.joins("r1")
			w.wantFeed("r1", "p1", strings.Repeat("`", schema.MaxPostIDBytes))
			if err := w.event(w.process, long)(); !errors.Is(err, schema.ErrBadDocument) {
				t.Errorf("the event ended with %v", err)
			}
			w.must(w.event(w.process, strings.Repeat("`", schema.MaxPostIDBytes))())
			if _, err := entries.Repair(t.Context(), w.d, entries.Options{Posts: 9, Report: func(p entries.Problem) { t.Error(p) }}); err != nil {
				t.Error(err)
			}
			w.wantFeed("r1", "p1", strings.Repeat("`", schema.MaxPostIDBytes))
		})
	}
}

// Documents that an app wrote below timeline do not block deliveries.
func TestDocumentsOfOthersBelowTimeline(t *testing.T) {
	eachLayout(t, func(t *testing.T, opts timelines.Options) {
		w := newWorld(t, opts)
		for _, path := range []string{"users/r1/timeline/zz", "users/r1/timeline/past-x", "apps/a/timeline/b"} {
			w.set(path, map[string]any{"posts": []string{"p1", "p2"}, "accounts": []string{"ada"}, "text": "x"})
		}
		w.joins("r1")
		w.post("p1")
		w.post("p2")
		w.remove("posts/p1")
		w.must(w.event(w.process, "p1")())
		w.must(w.event(w.process, "p2")())
		w.leaves("r1")
		if data := w.data("apps/a/timeline/b"); data["text"] != "x" || len(data["posts"].([]any)) != 2 {
			t.Errorf("an app's own document is %v", data)
		}
	})
}
