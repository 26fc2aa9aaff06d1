package sending_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/chunker"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// sending returns the part of the process that handles the app's own deliveries.
func (w *world) sending() followers.Delivery {
	return w.Index.Deliveries[len(w.Index.Deliveries)-1]
}

// run runs one step of the job of a post, as long as it goes.
func (w *world) run(post string) error {
	return w.Run(w.T.Context(), jobOf(post), chunker.NewBudget(w.T.Context(), time.Now(), time.Minute, 0, nil))
}

// beside runs jobs in another process, and calls other while that process is held at its first read of
// users/ada: it has read the post, and no follower yet.
func (w *world) beside(other func()) {
	w.T.Helper()
	g := testkit.NewGate(w.T, func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		return ok && slices.ContainsFunc(get.GetDocuments(), func(name string) bool { return strings.HasSuffix(name, "/documents/users/ada") })
	})
	p, done := w.open(g.Interceptor()), make(chan error, 1)
	go func() { done <- p.Ends(w.App) }()
	g.Await()
	other()
	g.Open()
	w.T.Logf("the process that was held: %v", <-done) // it may have lost the job
}

// A post is hidden while its job is under way, and then shown: it comes to the remaining readers. The
// same holds for a post that is deleted and comes back. Each reader gets it once.
func TestPostThatComesBackIsToldToRemainingReaders(t *testing.T) {
	t.Parallel()
	hide := func(hidden bool) func(*world) {
		return func(w *world) { w.Edit("p1", firestore.Update{Path: "hidden", Value: hidden}) }
	}
	for name, c := range map[string]struct{ gone, back func(*world) }{
		"hidden":  {hide(true), hide(false)},
		"deleted": {func(w *world) { w.DeletePost("p1") }, func(w *world) { w.write("p1", "named") }},
	} {
		for _, heard := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, schema.Config{Chunk: 1})
				w.crowd("ada", readers(0, 25))
				w.write("p1", "named")
				w.event("p1")
				w.Step(w.App, jobOf("p1"))
				w.Step(w.App, jobOf("p1"))
				w.wantReaders("p1", append(readers(0, 10), "named")...)
				c.gone(w)
				if heard {
					w.event("p1")
				}
				w.OK(w.Ends(w.App))
				w.wantReaders("p1", append(readers(0, 10), "named")...)
				if _, err := w.Get(t.Context(), jobOf("p1")); name == "deleted" && !errors.Is(err, chunker.ErrNotFound) {
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
func TestChangedAudienceIsWalkedFromItsFirstReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{Chunk: 1})
	w.crowd("ada", readers(0, 25))
	w.crowd("g_1", append(readers(5, 12), "a0"))
	w.write("p1")
	w.event("p1")
	w.Step(w.App, jobOf("p1"))
	w.Step(w.App, jobOf("p1"))
	w.Edit("p1", firestore.Update{Path: "audience", Value: "g_1"})
	w.OK(w.Ends(w.App))
	w.wantReaders("p1", append(readers(0, 12), "a0")...)

	w.write("p2")
	w.event("p2")
	w.beside(func() { w.Edit("p2", firestore.Update{Path: "audience", Value: "g_1"}) })
	w.OK(w.open().Ends(w.App))
	w.wantReaders("p2", append(readers(5, 12), "a0")...)
}

// A damaged index document delays the other ones until its job has failed.
func TestDamagedIndexDocumentDelaysOthersUntilItsJobFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{})
	w.crowd("ada", readers(0, 3), readers(3, 6))
	w.set("users/ada/followers_index/00001", map[string]any{"followers": "none"})
	w.write("p1")
	_ = w.Index.Deliveries.Post(t.Context(), "p1") // fails: relations need the document
	for range 10 {
		w.Worker = w.open()
		open, err := w.Unfinished(t.Context(), 10)
		w.OK(err)
		for _, job := range open {
			w.OK(w.Run(t.Context(), job.ID, chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, nil)))
		}
	}
	w.wantReaders("p1", readers(3, 6)...)
}

// A step is held before it commits. By the clock of another process, which is ahead, its lease has run
// out. A step of that process must not go on before the commit, unless the commit fails: it would miss
// the readers that the held step has told. The delivery looks for its notes outside of the transaction, so
// that the transaction alone does not show them.
func TestStepWaitsForCommitOfHeldStep(t *testing.T) {
	t.Parallel()
	outside := testkit.Notes()
	outside.Bring = func(ctx context.Context, db *firestore.Client, tx *firestore.Transaction, post schema.NewPost, readers []string) error {
		refs := make([]*firestore.DocumentRef, len(readers))
		for n, r := range readers {
			refs[n] = db.Doc("notes/" + post.ID + "~" + r)
		}
		docs, err := db.GetAll(ctx, refs)
		for n, doc := range docs {
			if !doc.Exists() {
				err = errors.Join(err, tx.Set(refs[n], map[string]any{"post": post.ID, "reader": readers[n], "times": firestore.Increment(1)}, firestore.MergeAll))
			}
		}
		return err
	}
	w := newWorld(t, schema.Config{Deliveries: []schema.Delivery{outside}})
	w.crowd("ada", readers(0, 60))
	w.write("p1")
	w.event("p1")
	g := testkit.NewGate(t, testkit.CommitOf("notes/"))
	slow, quick := w.open(g.Interceptor()), w.open()
	held, other := make(chan error, 1), make(chan error, 1)
	go func() { held <- slow.Ends(w.App) }()
	g.Await()
	// A follower joins, so that the documents of the other step name other readers than the held step's.
	// The join waits for the lock on the index document.
	joined := make(chan error, 1)
	go func() {
		_, err := w.Client.Doc("users/ada/followers_index/00001").Update(t.Context(), []firestore.Update{{Path: "followers", Value: firestore.ArrayUnion("a0")}})
		joined <- err
	}()
	go func() { other <- quick.Ends(w.App) }()
	select {
	case err := <-other:
		other <- err
	case <-time.After(3 * time.Second):
	}
	g.Open()
	t.Logf("held: %v", <-held)
	w.OK(<-joined)
	t.Logf("the other: %v", <-other)
	w.OK(w.open().Ends(w.App))
	got, err := told(t.Context(), w.Client, "p1")
	w.OK(err)
	want := readers(0, 60)
	if slices.Contains(got, "a0") {
		want = append(want, "a0")
	}
	w.wantReaders("p1", want...)
}

// A step whose job is canceled, or is at another step, brings nothing more.
func TestCanceledStepTellsNobodyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{})
	w.crowd("ada", readers(0, 60))
	w.write("p1", "named")
	w.event("p1")
	w.beside(func() {
		_, err := w.Cancel(t.Context(), jobOf("p1"))
		w.OK(err)
	})
	w.wantReaders("p1", "named")
}

// While the app's own delivery fails, other deliveries do their work and acknowledge their events.
func TestFailingDeliveryDelaysNoOther(t *testing.T) {
	t.Parallel()
	failing := testkit.Notes()
	failing.Bring = func(context.Context, *firestore.Client, *firestore.Transaction, schema.NewPost, []string) error {
		return errors.New("unavailable")
	}
	for name, row := range map[string]struct {
		delivery schema.Delivery
		calls    wire.Interceptor
		forGood  bool
	}{
		"Bring fails": {delivery: failing}, "its commit is refused": {testkit.Notes(), testkit.Refusing(testkit.CommitOf("notes/")), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, schema.Config{Feeds: []string{"relations", "items"}, Deliveries: []schema.Delivery{row.delivery}})
			w.Worker = w.open(row.calls)
			w.crowd("ada", readers(0, 5))
			w.write("p1")
			w.event("p1")
			if err := w.Ends(w.App); (err == nil) != row.forGood {
				t.Errorf("the jobs end with %v", err)
			}
			want := map[bool]chunker.State{false: chunker.Queued, true: chunker.Failed}[row.forGood]
			if job, err := w.Get(t.Context(), jobOf("p1")); err != nil || job.State != want {
				t.Errorf("job %v, %v, want it %s", job, err, want)
			}
			if relation, _ := w.Data("_relations/p1_00001")["followers"].([]any); len(relation) != 5 {
				t.Errorf("the relation has %v", relation)
			}
			for _, r := range readers(0, 5) {
				if entries, err := pages.Newest(t.Context(), w.Index.DB, w.Index.Timelines.Layout(), r, 10); err != nil || len(entries) != 1 {
					t.Errorf("the timeline of %s has %v, %v", r, entries, err)
				}
			}
			w.wantReaders("p1")
			w.Config.Deliveries = []schema.Delivery{testkit.Notes()}
			if row.forGood {
				_, err := w.Retry(t.Context(), jobOf("p1"))
				w.OK(err)
			}
			w.OK(w.open().Ends(w.App))
			w.wantReaders("p1", readers(0, 5)...)
		})
	}
}

// A delivery reads whole documents, even where functions read only some fields: the post, and the
// app's documents in collections with the names of ours.
func TestDeliveryReadsWholeDocuments(t *testing.T) {
	t.Parallel()
	reading := testkit.Notes()
	reading.Bring = func(ctx context.Context, db *firestore.Client, tx *firestore.Transaction, post schema.NewPost, readers []string) error {
		for path, field := range map[string]string{"posts/" + post.ID: "title", "users/" + readers[0] + "/settings/mine": "off"} {
			for name, get := range map[string]func() (*firestore.DocumentSnapshot, error){
				"in the transaction": func() (*firestore.DocumentSnapshot, error) { return tx.Get(db.Doc(path)) },
				"outside":            func() (*firestore.DocumentSnapshot, error) { return db.Doc(path).Get(ctx) },
			} {
				doc, err := get()
				if err != nil {
					return err
				}
				if _, err := doc.DataAt(field); err != nil {
					return fmt.Errorf("%s, read %s: %w", path, name, err)
				}
			}
		}
		return testkit.Notes().Bring(ctx, db, tx, post, readers)
	}
	w := newWorld(t, schema.Config{ReaderSettings: true, Deliveries: []schema.Delivery{reading}})
	w.crowd("ada", []string{"r1"})
	w.set("users/r1/settings/mine", map[string]any{"off": true})
	w.set("posts/p1", map[string]any{"userId": "ada", "audience": "ada", "title": "x", "createdAt": firestore.ServerTimestamp})
	w.event("p1")
	w.OK(w.Ends(w.App))
	w.wantReaders("p1", "r1")
}

// Functions that do not have the delivery yet leave its job to functions that do. Functions with the
// delivery switched off end the job.
func TestFunctionsWithoutDeliveryLeaveOrEndItsJob(t *testing.T) {
	t.Parallel()
	off := testkit.Notes()
	off.Bring = nil
	for name, c := range map[string]struct {
		then []schema.Delivery
		ends bool
	}{
		"not there yet": {[]schema.Delivery{}, false},
		"off":           {[]schema.Delivery{off}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, schema.Config{})
			w.crowd("ada", []string{"r1"})
			w.write("p1")
			w.event("p1")
			w.Config.Deliveries = c.then
			if err := w.open().Ends(w.App); (err == nil) != c.ends {
				t.Errorf("the job ends with %v", err)
			}
			w.wantReaders("p1")
			w.Config.Deliveries = []schema.Delivery{testkit.Notes()}
			w.OK(w.open().Ends(w.App))
			if c.ends {
				w.wantReaders("p1")
			} else {
				w.wantReaders("p1", "r1")
			}
		})
	}
}

// An account is deleted even if the query of its documents fails.
func TestAccountIsDeletedThoughQueryOfDeliveryFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, schema.Config{})
	broken := testkit.Notes()
	broken.Forget = func(db *firestore.Client, account string) firestore.Query {
		return db.Collection("none").Where("a", "==", account).OrderBy("b", firestore.Asc).Where("c", ">", 1) // needs an index
	}
	w.crowd("ada", []string{"r1"})
	w.write("p1")
	w.Config.Deliveries = []schema.Delivery{broken}
	w.Worker = w.open()
	w.DeleteAccount("ada")
	w.OK(w.Index.Accounts.Purge(t.Context(), "ada", "deleted", "event"))
	if err := w.Ends(w.App); err == nil {
		t.Error("the purge ends, without what the delivery wrote")
	}
	for _, path := range []string{"posts/p1", "users/ada/followers_index/00001"} {
		if doc, _ := w.Client.Doc(path).Get(t.Context()); doc.Exists() {
			t.Errorf("%s is there", path)
		}
	}
	w.Config.Deliveries = []schema.Delivery{testkit.Notes()}
	w.OK(w.open().Ends(w.App))
}
