package sendtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// Each reader gets a new post once, whether the post names them, they follow, or both. Repeated
// events, an edit and a later follower change nothing.
func (s Suite) aNewPost(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
	first, second := readers(0, 260), readers(260, 270)
	w.crowd("ada", first, second)
	w.set("users/named2/blocked/ada", map[string]any{"createdAt": firestore.ServerTimestamp})
	w.write("p1", "named1", "named2", "r003", "r265")
	w.brought("p1")
	want := append(slices.Concat(first, second), "named1")
	w.wantReaders("p1", want...)
	_, err := w.client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "kind", Value: "film"}, {Path: "to", Value: []string{"named3"}}})
	w.must(err)
	w.crowd("ada", first, append(second, "r999"))
	w.brought("p1")
	w.wantReaders("p1", want...)
}

// A post to a group does not come to a reader whom it names and who blocks its author, even if the
// reader follows the group.
func (s Suite) aGroup(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{})
	w.crowd("g_1", []string{"ada", "r1", "r2"})
	w.set("users/r1/blocked/ada", map[string]any{"createdAt": firestore.ServerTimestamp})
	w.set("posts/p1", map[string]any{"userId": "ada", "audience": "g_1", "to": []string{"r1"}, "createdAt": firestore.ServerTimestamp})
	w.brought("p1")
	w.wantReaders("p1", "r2") // its author does not get it either
}

// No reader is told of an old post or of an invalid one, nor of a hidden one until it is shown.
func (s Suite) postsThatNobodyIsToldOf(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
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
		w.must(w.sent().Post(t.Context(), p))
	}
	w.set("posts/p1", map[string]any{"userId": "ada", "audience": "ada", "createdAt": now.Add(2 * time.Hour)})
	if jobs, err := w.Engine.Unfinished(t.Context(), 10); err != nil || len(jobs) > 0 {
		t.Errorf("there are jobs: %v, %v", jobs, err)
	}
	_, err := w.client.Doc("posts/hidden").Update(t.Context(), []firestore.Update{{Path: "hidden", Value: false}})
	w.must(err)
	w.brought("hidden")
	w.wantReaders("hidden", readers(0, 3)...)
	w.brought("p1")
	w.wantReaders("p1", readers(0, 3)...)
}

// A reader who is idle, hides the kind, or hides the author gets no note.
func (s Suite) readersWhoDoNotWantIt(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true, ReaderSettings: true, Idle: 24 * time.Hour})
	all := readers(0, 120)
	w.crowd("ada", append(all, "hides it"))
	w.set("users/hides it/hidden/p1", map[string]any{"createdAt": time.Now()})
	w.set("_hides/p1", map[string]any{})
	var want []string
	for n, r := range append(slices.Clone(all), "named") {
		switch n % 4 {
		case 0:
			w.set("users/"+r+"/settings/feed", map[string]any{"seenAt": time.Now().Add(-48 * time.Hour)})
		case 1:
			w.set("users/"+r+"/settings/feed", map[string]any{"hide": []string{"*/photo"}, "show": []string{"*/*"}})
		case 2:
			w.set("users/"+r+"/settings/feed", map[string]any{"hide": []any{"ada/*", 7}, "show": []string{"ada/photo"}, "seenAt": time.Now()})
			want = append(want, r)
		default:
			want = append(want, r)
		}
	}
	w.write("p1", "named")
	w.brought("p1")
	w.wantReaders("p1", want...)
}

// A post is hidden while its job is under way, and then shown: it comes to the remaining readers. The
// same holds for a post that is deleted and comes back. Each reader gets it once.
func (s Suite) aPostThatComesBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ gone, back func(*world) }{
		"hidden": {
			func(w *world) {
				_, err := w.client.Doc("posts/p1").Update(w.t.Context(), []firestore.Update{{Path: "hidden", Value: true}})
				w.must(err)
			},
			func(w *world) {
				_, err := w.client.Doc("posts/p1").Update(w.t.Context(), []firestore.Update{{Path: "hidden", Value: false}})
				w.must(err)
			},
		},
		"deleted": {
			func(w *world) { _, err := w.client.Doc("posts/p1").Delete(w.t.Context()); w.must(err) },
			func(w *world) { w.write("p1", "named") },
		},
	} {
		for _, heard := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := s.newWorld(t, schema.Config{NoOwnPosts: true})
				w.chunk = 1
				w.process = w.open()
				w.crowd("ada", readers(0, 25))
				w.write("p1", "named")
				w.event(w.process, "p1")
				w.page("p1")
				w.page("p1")
				w.wantReaders("p1", append(readers(0, 10), "named")...)
				c.gone(w)
				if heard {
					w.event(w.process, "p1")
				}
				w.must(w.work(t.Context()))
				w.wantReaders("p1", append(readers(0, 10), "named")...)
				if _, err := w.Engine.Get(t.Context(), w.jobOf("p1")); name == "deleted" && !errors.Is(err, chunker.ErrNotFound) {
					t.Errorf("the job of a deleted post is there: %v", err)
				}
				c.back(w)
				w.brought("p1")
				w.wantReaders("p1", append(readers(0, 25), "named")...)
			})
		}
	}
}

// When a post's audience changes, the job walks the new audience from its first reader.
func (s Suite) anotherAudienceMeanwhile(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
	w.chunk = 1
	w.process = w.open()
	w.crowd("ada", readers(0, 25))
	w.crowd("g_1", append(readers(5, 12), "a0"))
	w.write("p1")
	w.event(w.process, "p1")
	w.page("p1")
	w.page("p1")
	_, err := w.client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "audience", Value: "g_1"}})
	w.must(err)
	w.must(w.work(t.Context()))
	w.wantReaders("p1", append(readers(0, 12), "a0")...)

	w.write("p2") // a page has read the post's audience, but no follower yet
	w.event(w.process, "p2")
	w.beside(readOf("users/ada"), func() {
		_, err := w.client.Doc("posts/p2").Update(t.Context(), []firestore.Update{{Path: "audience", Value: "g_1"}})
		w.must(err)
	})
	w.must(w.open().work(t.Context()))
	w.wantReaders("p2", append(readers(5, 12), "a0")...)
}

// A damaged index document delays the other ones until its job has failed.
func (s Suite) aDamagedIndexDocument(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
	w.crowd("ada", readers(0, 3), readers(3, 6))
	w.set("users/ada/followers_index/00001", map[string]any{"followers": "none"})
	w.write("p1")
	_ = w.Deliveries.Post(t.Context(), "p1") // fails: relations need the document
	for range 10 {
		p := w.open()
		open, err := p.Engine.Unfinished(t.Context(), 10)
		w.must(err)
		for _, job := range open {
			w.must(p.step(t.Context(), job, time.Minute))
		}
	}
	w.wantReaders("p1", readers(3, 6)...)
}

// A reader named by a post is not told unless they follow its author or its audience.
func (s Suite) strangersGetNone(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
	w.crowd("g_1", []string{"member", "other"})
	w.acquaint("eve", "friend")
	w.set("posts/p1", map[string]any{"userId": "eve", "audience": "g_1", "to": []string{"friend", "member", "stranger", "nobody"}, "createdAt": firestore.ServerTimestamp})
	w.brought("p1")
	w.wantReaders("p1", "friend", "member", "other")
	w.set("posts/p2", map[string]any{"userId": "eve", "audience": "", "to": []string{"stranger", "nobody"}, "createdAt": firestore.ServerTimestamp})
	w.brought("p2")
	w.wantReaders("p2")
}

// An author has a daily number of posts that are brought. Deleted posts count too; edits and repeated
// events do not count.
func (s Suite) anAuthorsDay(t *testing.T) {
	t.Parallel()
	three := s.Delivery
	three.Daily = 3
	w := s.newWorld(t, schema.Config{NoOwnPosts: true, Deliveries: []schema.Delivery{three}})
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
		_, err := w.client.Doc("posts/" + p).Delete(t.Context())
		w.must(err)
	}
}
