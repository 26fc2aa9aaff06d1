package sendtest

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"pgregory.net/rapid"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A process is killed at each of its writes, or one of its reads fails. Before another process goes
// on, followers leave, join, and move to the other index document, and the post names other readers.
// Nobody gets the post twice, and a follower who stays gets it.
func (s Suite) aProcessThatDiesAtAnyCall(t *testing.T) {
	t.Parallel()
	for name, misfortune := range faults.Misfortunes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := s.newWorld(t, schema.Config{NoOwnPosts: true, ReaderSettings: true})
			w.chunk = 3
			stay := readers(5, 70)
			tries := 0
			for n := 1; ; n++ {
				author, post := fmt.Sprint("ada", n), fmt.Sprint("p", n)
				w.crowd(author, readers(0, 60), readers(60, 72))
				to := func(to ...string) { w.writeBy(author, post, to...) }
				to("named1", "r061")
				i, happened := misfortune(n)
				p := w.open(i)
				handled := p.Deliveries.Post(t.Context(), post) == nil
				_ = p.work(t.Context())
				if !happened() {
					break
				}
				tries++
				w.crowd(author, append(append(readers(5, 60), "a0", "r0305"), "r070"), append(readers(60, 70), "r000", "r001", "z0"))
				w.acquaint(author, "r030", "named2", "r069")
				_, err := w.client.Doc("posts/"+post).Update(t.Context(), []firestore.Update{{Path: "to", Value: []string{"r030", "named2", "r069"}}})
				w.must(err)
				w.process = w.open()
				if !handled {
					w.event(w.process, post)
				}
				w.must(w.work(t.Context()))
				w.wantOnce(post, stay, append(readers(0, 72), "a0", "r0305", "z0", "named1", "named2"))
			}
			if tries < 2 {
				t.Errorf("%d tries", tries)
			}
			t.Logf("%d tries", tries)
		})
	}
}

// writeBy writes a post by an author to their followers, and to others.
func (w *world) writeBy(author, post string, to ...string) {
	w.t.Helper()
	w.acquaint(author, to...)
	w.set("posts/"+post, map[string]any{"userId": author, "audience": author, "to": append([]string{}, to...), "createdAt": firestore.ServerTimestamp})
}

// wantOnce checks that each of must has a post, that nobody has it twice, and that only readers of may
// have it.
func (w *world) wantOnce(post string, must, may []string) {
	w.t.Helper()
	times := map[string]int{}
	for _, r := range w.readersOf(post) {
		if times[r]++; times[r] == 2 {
			w.t.Errorf("%s: %s has it twice", post, r)
		}
		if !slices.Contains(may, r) {
			w.t.Errorf("%s: %s has it", post, r)
		}
	}
	for _, r := range must {
		if times[r] == 0 {
			w.t.Errorf("%s: %s has it not", post, r)
		}
	}
}

// Members change in any way between any two pages, and pages may be repeated. Nobody gets the post
// twice, and a follower whose place does not change gets it.
func (s Suite) membersChangeBetweenPages(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
	w.chunk = 1
	w.process = w.open()
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		author, post := fmt.Sprint("ada", n), fmt.Sprint("p", n)
		all := readers(0, 40)
		places := map[string]int{} // index document of each follower; none: no follower
		for _, reader := range all {
			places[reader] = rapid.IntRange(-1, 2).Draw(r, reader)
		}
		stay := maps.Clone(places)
		follow := func() {
			parts := make([][]string, 3)
			for _, reader := range all {
				if i := places[reader]; i >= 0 {
					parts[i] = append(parts[i], reader)
				}
			}
			w.crowd(author, parts...)
		}
		follow()
		named := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 5, rapid.ID[string])
		w.writeBy(author, post, named.Draw(r, "to")...)
		w.event(w.process, post)
		for more := true; more; {
			for _, reader := range rapid.SliceOfN(rapid.SampledFrom(all), 0, 6).Draw(r, "who changes") {
				if places[reader] = rapid.IntRange(-1, 2).Draw(r, "to"); places[reader] != stay[reader] {
					delete(stay, reader)
				}
			}
			follow()
			if to := named.Draw(r, "to now"); len(to) > 0 {
				w.acquaint(author, to...)
				_, err := w.client.Doc("posts/"+post).Update(t.Context(), []firestore.Update{{Path: "to", Value: to}})
				w.must(err)
				for _, reader := range to { // the page that would bring it may be over, and other pages leave them out
					delete(stay, reader)
				}
			}
			before := w.data("_functions/" + w.jobOf(post))
			more = w.page(post)
			if more && rapid.Bool().Draw(r, "again") { // as after a crash before the checkpoint
				for _, field := range []string{"phase", "lastDoc", "done"} {
					_, err := w.client.Doc("_functions/"+w.jobOf(post)).Update(t.Context(), []firestore.Update{{Path: field, Value: before[field]}})
					w.must(err)
				}
			}
		}
		var must []string
		for reader, place := range stay {
			if place >= 0 {
				must = append(must, reader)
			}
		}
		w.wantOnce(post, must, all)
		if t.Failed() {
			r.FailNow()
		}
	})
}

func (w *world) data(path string) map[string]any {
	w.t.Helper()
	doc, err := w.client.Doc(path).Get(w.t.Context())
	w.must(err)
	return doc.Data()
}

// A step is held before it commits. By the clock of another process, which is ahead, its lease has run
// out. A step of that process must not go on before the commit, unless the commit fails: it would miss
// the readers that the held step has told.
func (s Suite) aHeldStep(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
	w.crowd("ada", readers(0, 60))
	w.write("p1")
	w.event(w.process, "p1")
	g := testkit.NewGate(t, brings)
	slow, quick := w.open(g.Interceptor()), w.open()
	held, other := make(chan error, 1), make(chan error, 1)
	go func() { held <- slow.work(t.Context()) }()
	g.Await()
	// A follower joins, so that the documents of the other step name other readers than the held step's.
	// The join waits for the lock on the index document.
	joined := make(chan error, 1)
	go func() {
		_, err := w.client.Doc("users/ada/followers_index/00001").Update(t.Context(), []firestore.Update{{Path: "followers", Value: firestore.ArrayUnion("a0")}})
		joined <- err
	}()
	go func() { other <- quick.work(t.Context()) }()
	select {
	case err := <-other:
		other <- err
	case <-time.After(3 * time.Second):
	}
	g.Open()
	t.Logf("held: %v", <-held)
	w.must(<-joined)
	t.Logf("the other: %v", <-other)
	w.must(w.open().work(t.Context()))
	w.wantOnce("p1", readers(0, 60), append(readers(0, 60), "a0"))
}

// A step whose job is canceled, or is at another step, brings nothing more.
func (s Suite) aStepThatHasLostItsJob(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
	w.crowd("ada", readers(0, 60))
	w.write("p1", "named")
	w.event(w.process, "p1")
	w.beside(readOf("users/ada"), func() {
		_, err := w.Engine.Cancel(t.Context(), w.jobOf("p1"))
		w.must(err)
	})
	w.wantReaders("p1", "named")
}

// A commit succeeds, but its answer is lost.
func (s Suite) aLostAnswer(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true})
	w.crowd("ada", readers(0, 60))
	w.write("p1")
	p := w.open(lost(brings))
	w.event(p, "p1")
	_ = p.work(t.Context())
	w.must(w.open().work(t.Context()))
	w.wantReaders("p1", readers(0, 60)...)
}

// While the app's own delivery fails, other deliveries do their work and acknowledge their events.
func (s Suite) aDeliveryThatFails(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	w.crowd("ada", readers(0, 5))
	w.write("p1")
	var refused atomic.Int64
	p := w.open(refusing(func(req any) bool { return brings(req) && refused.Add(1) > 0 }))
	w.event(p, "p1")
	if err := p.work(t.Context()); err == nil || refused.Load() == 0 {
		t.Errorf("%d commits were refused: %v", refused.Load(), err)
	}
	if jobs, err := p.Engine.Unfinished(t.Context(), 10); err != nil || len(jobs) != 1 || jobs[0].ID != w.jobOf("p1") {
		t.Errorf("jobs %v, %v", jobs, err)
	}
	relation, _ := w.data("_relations/p1_00001")["followers"].([]any)
	if len(relation) != 5 {
		t.Errorf("the relation has %v", relation)
	}
	for _, r := range readers(0, 5) {
		if entries, err := pages.Newest(t.Context(), p.DB, p.Timelines.Layout(), r, 10); err != nil || len(entries) != 1 {
			t.Errorf("the timeline of %s has %v, %v", r, entries, err)
		}
	}
	w.wantReaders("p1")
	w.must(w.open().work(t.Context()))
	w.wantReaders("p1", readers(0, 5)...)
}

// The cost is the documented one.
func (s Suite) whatItCosts(t *testing.T) {
	t.Parallel()
	for _, settings := range []int64{0, 1} {
		w := s.newWorld(t, schema.Config{NoOwnPosts: true, ReaderSettings: settings == 1})
		var meter wire.Meter
		p := w.open(meter.Interceptor())
		w.crowd("ada", readers(0, 300), readers(300, 310))
		w.write("p1", "named")
		event := w.jobOf("p1")
		before := meter.Counts()
		w.must(p.sent().Post(t.Context(), "p1"))
		if cost := meter.Counts().Minus(before); cost.Reads != 2 || cost.Writes != 1 {
			t.Errorf("%s: %d reads and %d writes to enqueue", event, cost.Reads, cost.Writes)
		}
		job, err := w.Engine.Get(t.Context(), event)
		w.must(err)
		before = meter.Counts()
		w.must(p.step(t.Context(), job, time.Minute))
		cost := meter.Counts().Minus(before)
		// The job is claimed and ended, with a read and a write each.
		reads, writes := int64(2), int64(2)
		// For the reader that the post names: an edge, a block, the job, and the post.
		reads += 1 + 1 + 2
		// For followers: three reads for the page; then the job, the post and the index document, in each of
		// three transactions, with 200, 100 and 10 readers.
		reads += 3 + 3*3
		reads += 311 * s.Reads
		writes += 311 * s.Writes
		reads += settings * (311 + 1 + 4 + 2 + 1) // for each reader, and for each 50 readers
		if !s.Repeats && (cost.Reads != reads || cost.Writes != writes) {
			t.Errorf("settings %d: %d reads and %d writes, want %d and %d", settings, cost.Reads, cost.Writes, reads, writes)
		}
	}
}
