package sending_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A reader who blocks the author is not told, though the post names them. An edit and a later follower
// change nothing.
func TestEditAndLaterFollowerBringNoPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{})
	first, second := readers(0, 260), readers(260, 270)
	w.crowd("ada", first, second)
	w.Block("named2", "ada")
	w.write("p1", "named1", "named2", "r003", "r265")
	w.brought("p1")
	want := append(slices.Concat(first, second), "named1")
	w.wantReaders("p1", want...)
	w.Edit("p1", firestore.Update{Path: "kind", Value: "film"}, firestore.Update{Path: "to", Value: []string{"named3"}})
	w.crowd("ada", first, append(second, "r999"))
	w.brought("p1")
	w.wantReaders("p1", want...)
}

// A post to a group does not come to a reader whom it names and who blocks its author, even if the
// reader follows the group.
func TestPostToGroupSkipsNamedReaderWhoBlocksAuthor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{})
	w.crowd("g_1", []string{"ada", "r1", "r2"})
	w.Block("r1", "ada")
	w.set("posts/p1", map[string]any{"userId": "ada", "audience": "g_1", "to": []string{"r1"}, "createdAt": firestore.ServerTimestamp})
	w.brought("p1")
	w.wantReaders("p1", "r2") // its author does not get it either
}

// A reader named by a post is not told unless they follow its author or its audience.
func TestNamedStrangersAreNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{})
	w.crowd("g_1", []string{"member", "other"})
	w.acquaint("eve", "friend")
	w.set("posts/p1", map[string]any{"userId": "eve", "audience": "g_1", "to": []string{"friend", "member", "stranger", "nobody"}, "createdAt": firestore.ServerTimestamp})
	w.brought("p1")
	w.wantReaders("p1", "friend", "member", "other")
	w.set("posts/p2", map[string]any{"userId": "eve", "audience": "", "to": []string{"stranger", "nobody"}, "createdAt": firestore.ServerTimestamp})
	w.brought("p2")
	w.wantReaders("p2")
}

// No reader is told of an old post or of an invalid one, nor of a hidden one until it is shown.
func TestOldHiddenAndInvalidPostsAreNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{})
	w.crowd("ada", readers(0, 3))
	now := time.Now()
	for p, data := range map[string]map[string]any{
		"old":    {"userId": "ada", "audience": "ada", "createdAt": now.Add(-25 * time.Hour)},
		"hidden": {"userId": "ada", "audience": "ada", "hidden": true, "createdAt": now},
		"nobody": {"userId": "ada", "audience": "", "createdAt": now},
		"bad to": {"userId": "ada", "audience": "", "to": 7, "createdAt": now},
		"bad":    {"userId": 7, "audience": "ada", "createdAt": now},
	} {
		w.set("posts/"+p, data)
	}
	for _, p := range []string{"old", "hidden", "nobody", "bad to", "bad", "gone"} {
		w.OK(w.sending().Post(t.Context(), p))
	}
	w.set("posts/p1", map[string]any{"userId": "ada", "audience": "ada", "createdAt": now.Add(2 * time.Hour)})
	if jobs, err := w.Unfinished(t.Context(), 10); err != nil || len(jobs) > 0 {
		t.Errorf("there are jobs: %v, %v", jobs, err)
	}
	w.Edit("hidden", firestore.Update{Path: "hidden", Value: false})
	for _, p := range []string{"hidden", "p1"} {
		w.brought(p)
		w.wantReaders(p, readers(0, 3)...)
	}
}

// A reader who is idle, hides the kind, hides the author, or hides the post is not told.
func TestReadersWhoDoNotWantPostAreNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{ReaderSettings: true, Idle: 24 * time.Hour})
	all := readers(0, 120)
	w.crowd("ada", append(all, "hides it"))
	w.set("users/hides it/hidden/p1", map[string]any{"createdAt": time.Now()})
	w.set("_hides/p1", map[string]any{})
	var want []string
	settings := map[string]map[string]any{}
	for n, r := range append(slices.Clone(all), "named") {
		switch path := "users/" + r + "/settings/feed"; n % 4 {
		case 0:
			settings[path] = map[string]any{"seenAt": time.Now().Add(-48 * time.Hour)}
		case 1:
			settings[path] = map[string]any{"hide": []string{"*/photo"}, "show": []string{"*/*"}}
		case 2:
			settings[path] = map[string]any{"hide": []any{"ada/*", 7}, "show": []string{"ada/photo"}, "seenAt": time.Now()}
			want = append(want, r)
		default:
			want = append(want, r)
		}
	}
	testkit.Write(t, w.Client, settings)
	w.write("p1", "named")
	w.brought("p1")
	w.wantReaders("p1", want...)
}

// An author has a daily number of posts that are brought. Deleted posts count too; edits and repeated
// events do not count.
func TestDailyLimitOfAuthor(t *testing.T) {
	t.Parallel()
	three := testkit.Notes()
	three.Daily = 3
	w := newWorld(t, schema.Config{Deliveries: []schema.Delivery{three}})
	w.crowd("ada", readers(0, 2))
	for n := range 5 {
		p := fmt.Sprint("p", n)
		w.write(p)
		w.brought(p)
		want := readers(0, 2)
		if n >= 3 {
			want = nil
		}
		w.wantReaders(p, want...)
		w.DeletePost(p)
	}
}

// A post costs what the package says. Settings of readers cost a read for each.
func TestCostOfSentPost(t *testing.T) {
	t.Parallel()
	for _, settings := range []int64{0, 1} {
		w := newWorld(t, schema.Config{ReaderSettings: settings == 1})
		var meter wire.Meter
		w.Worker = w.open(meter.Interceptor())
		w.crowd("ada", readers(0, 300), readers(300, 310))
		w.write("p1", "named")
		costOf := func(do func() error) wire.Counts {
			before := meter.Counts()
			w.OK(do())
			return meter.Counts().Minus(before)
		}
		if cost := costOf(func() error { return w.sending().Post(t.Context(), "p1") }); cost.Reads != 2 || cost.Writes != 1 {
			t.Errorf("%d reads and %d writes to enqueue", cost.Reads, cost.Writes)
		}
		// The job is claimed and ended, with a read and a write each.
		reads, writes := int64(2), int64(2)
		// For the reader that the post names: an edge, a block, the job, and the post.
		reads += 1 + 1 + 2
		// For followers: three reads for the page; then the job, the post and the index document, in each of
		// three transactions, with 200, 100 and 10 readers.
		reads += 3 + 3*3
		reads += 311 // for the notes
		writes += 311
		reads += settings * (311 + 1 + 4 + 2 + 1) // for each reader, and for each 50 readers
		cost := costOf(func() error { return w.run("p1") })
		if cost.Reads != reads || cost.Writes != writes {
			t.Errorf("settings %d: %d reads and %d writes, want %d and %d", settings, cost.Reads, cost.Writes, reads, writes)
		}
	}
}
