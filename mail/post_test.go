package mail_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/mail"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/mailtest"
)

// Each reader gets one mail of a new post, whom it names and who follows alike. Repeated events,
// an edit and a later follower change nothing.
func TestANewPost(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	first, second := mailtest.Readers(0, 260), mailtest.Readers(260, 270)
	w.Crowd("ada", first, second)
	w.Set("users/named2/blocked/ada", map[string]any{"createdAt": firestore.ServerTimestamp})
	w.Write("p1", "named1", "named2", "r003", "r265")
	w.Mailed("p1")
	want := append(slices.Concat(first, second), "named1")
	w.WantReaders("p1", want...)
	docs := w.Mails("p1")
	if len(docs) != 8 { // one for whom the post names, four and two of the first index document, one of the second
		t.Errorf("%d documents, want 8", len(docs))
	}
	for id, data := range docs {
		delete(data, "bccUids")
		want := map[string]any{"post": "p1", "template": map[string]any{
			"name": "new-post", "data": map[string]any{"post": "p1", "author": "ada", "kind": "photo"},
		}}
		if diff := cmp.Diff(want, data); diff != "" {
			t.Errorf("mail/%s (-want +got):\n%s", id, diff)
		}
	}
	_, err := w.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "kind", Value: "film"}, {Path: "to", Value: []string{"named3"}}})
	w.Must(err)
	w.Crowd("ada", first, append(second, "r999"))
	w.Mailed("p1")
	w.WantReaders("p1", want...)
}

// A post that blocks its way by a group does not come to whom it names and who blocks its author.
func TestAGroup(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{OwnPosts: true})
	w.Crowd("g_1", []string{"ada", "r1", "r2"})
	w.Set("users/r1/blocked/ada", map[string]any{"createdAt": firestore.ServerTimestamp})
	w.Set("posts/p1", map[string]any{"userId": "ada", "audience": "g_1", "to": []string{"r1"}, "createdAt": firestore.ServerTimestamp})
	w.Mailed("p1")
	w.WantReaders("p1", "r2") // nor does its author get it
}

// Old posts have no mail, whether the document or createdAt is old, nor hidden ones until they
// are shown, nor bad ones.
func TestPostsWithoutMail(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	w.Crowd("ada", mailtest.Readers(0, 3))
	now := time.Now()
	for p, data := range map[string]map[string]any{
		"old":    {"userId": "ada", "audience": "ada", "createdAt": now.Add(-25 * time.Hour)},
		"hidden": {"userId": "ada", "audience": "ada", "hidden": true, "createdAt": now},
		"nobody": {"userId": "ada", "audience": "", "createdAt": now},
		"bad to": {"userId": "ada", "audience": "", "to": 7, "createdAt": now},
		"bad":    {"userId": 7, "audience": "ada", "createdAt": now},
	} {
		w.Set("posts/"+p, data)
	}
	young := mail.New(w.Graph, mail.Options{Template: "t"})
	for _, p := range []string{"old", "hidden", "nobody", "bad to", "bad", "gone"} {
		w.Must(young.Post(t.Context(), p))
	}
	w.Set("posts/p1", map[string]any{"userId": "ada", "audience": "ada", "createdAt": now.Add(2 * time.Hour)})
	tomorrow := func() time.Time { return now.Add(25 * time.Hour) }
	w.Must(mail.New(w.Graph, mail.Options{Template: "t", Now: tomorrow}).Post(t.Context(), "p1"))
	if jobs, err := w.Engine.Unfinished(t.Context(), 10); err != nil || len(jobs) > 0 {
		t.Errorf("there are jobs: %v, %v", jobs, err)
	}
	_, err := w.Client.Doc("posts/hidden").Update(t.Context(), []firestore.Update{{Path: "hidden", Value: false}})
	w.Must(err)
	w.Mailed("hidden")
	w.WantReaders("hidden", mailtest.Readers(0, 3)...)
	w.Mailed("p1")
	w.WantReaders("p1", mailtest.Readers(0, 3)...)
}

// Who is idle gets none, nor who hides the kind, nor who hides the author. Mail is full all the same.
func TestReadersWhoDoNotWantIt(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{Settings: true, Idle: 24 * time.Hour})
	all := mailtest.Readers(0, 120)
	w.Crowd("ada", append(all, "hides it"))
	w.Set("users/hides it/hidden/p1", map[string]any{"createdAt": time.Now()})
	w.Set("_hides/p1", map[string]any{})
	var want []string
	for n, r := range append(slices.Clone(all), "named") {
		switch n % 4 {
		case 0:
			w.Set("users/"+r+"/settings/feed", map[string]any{"seenAt": time.Now().Add(-48 * time.Hour)})
		case 1:
			w.Set("users/"+r+"/settings/feed", map[string]any{"hide": []string{"*/photo"}, "show": []string{"*/*"}})
		case 2:
			w.Set("users/"+r+"/settings/feed", map[string]any{"hide": []any{"ada/*", 7}, "show": []string{"ada/photo"}, "seenAt": time.Now()})
			want = append(want, r)
		default:
			want = append(want, r)
		}
	}
	w.Write("p1", "named")
	w.Mailed("p1")
	w.WantReaders("p1", want...)
	if docs := w.Mails("p1"); len(docs) != 2 {
		t.Errorf("%d documents for %d readers", len(docs), len(want))
	}
}

// A post that is hidden while its job is under way, and then shown, comes to the others. So does
// one that is deleted and comes back: each reader gets one mail.
func TestAPostThatComesBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ gone, back func(*mailtest.World) }{
		"hidden": {
			func(w *mailtest.World) {
				_, err := w.Client.Doc("posts/p1").Update(w.T.Context(), []firestore.Update{{Path: "hidden", Value: true}})
				w.Must(err)
			},
			func(w *mailtest.World) {
				_, err := w.Client.Doc("posts/p1").Update(w.T.Context(), []firestore.Update{{Path: "hidden", Value: false}})
				w.Must(err)
			},
		},
		"deleted": {
			func(w *mailtest.World) { _, err := w.Client.Doc("posts/p1").Delete(w.T.Context()); w.Must(err) },
			func(w *mailtest.World) { w.Write("p1", "named") },
		},
	} {
		for _, heard := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := mailtest.New(t, schema.Options{})
				w.Chunk = 1
				w.Process = w.Open()
				w.Crowd("ada", mailtest.Readers(0, 25))
				w.Write("p1", "named")
				w.Event(w.Process, "p1")
				w.Page("p1")
				w.Page("p1")
				w.WantReaders("p1", append(mailtest.Readers(0, 10), "named")...)
				c.gone(w)
				if heard {
					w.Event(w.Process, "p1")
				}
				w.Must(w.Work(t.Context()))
				w.WantReaders("p1", append(mailtest.Readers(0, 10), "named")...)
				if _, err := w.Engine.Get(t.Context(), schema.MailJobID("p1")); name == "deleted" && !errors.Is(err, chunker.ErrNotFound) {
					t.Errorf("the job of a deleted post is there: %v", err)
				}
				c.back(w)
				w.Mailed("p1")
				w.WantReaders("p1", append(mailtest.Readers(0, 25), "named")...)
			})
		}
	}
}

// An author's other audience is walked from its first reader.
func TestAnotherAudienceMeanwhile(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	w.Chunk = 1
	w.Process = w.Open()
	w.Crowd("ada", mailtest.Readers(0, 25))
	w.Crowd("g_1", append(mailtest.Readers(5, 12), "a0"))
	w.Write("p1")
	w.Event(w.Process, "p1")
	w.Page("p1")
	w.Page("p1")
	_, err := w.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "audience", Value: "g_1"}})
	w.Must(err)
	w.Must(w.Work(t.Context()))
	w.WantReaders("p1", append(mailtest.Readers(0, 12), "a0")...)

	w.Write("p2") // a page has read its audience, and no follower
	w.Event(w.Process, "p2")
	w.Beside(readOf("users/ada"), func() {
		_, err := w.Client.Doc("posts/p2").Update(t.Context(), []firestore.Update{{Path: "audience", Value: "g_1"}})
		w.Must(err)
	})
	w.Must(w.Open().Work(t.Context()))
	w.WantReaders("p2", append(mailtest.Readers(5, 12), "a0")...)
}

// A damaged index document holds up the others until its job has failed.
func TestADamagedIndexDocument(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	w.Crowd("ada", mailtest.Readers(0, 3), mailtest.Readers(3, 6))
	w.Set("users/ada/followers_index/00001", map[string]any{"followers": "none"})
	w.Write("p1")
	_ = w.Deliveries.Post(t.Context(), "p1") // relations need the document
	for range 10 {
		p := w.Open()
		open, err := p.Engine.Unfinished(t.Context(), 10)
		w.Must(err)
		for _, job := range open {
			w.Must(p.Step(t.Context(), job, time.Minute))
		}
	}
	w.WantReaders("p1", mailtest.Readers(3, 6)...)
}

// Whom a post names and who does not follow its author gets no mail, unless they follow its audience.
func TestStrangersGetNone(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	w.Crowd("g_1", []string{"member", "other"})
	w.Acquaint("eve", "friend")
	w.Set("posts/p1", map[string]any{"userId": "eve", "audience": "g_1", "to": []string{"friend", "member", "stranger", "nobody"}, "createdAt": firestore.ServerTimestamp})
	w.Mailed("p1")
	w.WantReaders("p1", "friend", "member", "other")
	w.Set("posts/p2", map[string]any{"userId": "eve", "audience": "", "to": []string{"stranger", "nobody"}, "createdAt": firestore.ServerTimestamp})
	w.Mailed("p2")
	w.WantReaders("p2")
}

// An author has so many posts mailed in a day, whatever becomes of these, and their edits and repeated events count
// for nothing.
func TestAnAuthorsDay(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{MailDaily: 3})
	w.Crowd("ada", mailtest.Readers(0, 2))
	for n := range 5 {
		p := fmt.Sprint("p", n)
		w.Write(p)
		w.Mailed(p)
		want := mailtest.Readers(0, 2)
		if n >= 3 {
			want = nil
		}
		w.WantReaders(p, want...)
		_, err := w.Client.Doc("posts/" + p).Delete(t.Context())
		w.Must(err)
	}
}
