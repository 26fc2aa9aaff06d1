package mail_test

import (
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"pgregory.net/rapid"

	"example.com/relationindex/feed/pages"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/mailtest"
)

// Members change in any way between any two pages, which may be repeated. Nobody gets two mails,
// and who stays where they are gets one.
func TestMembersChangeBetweenPages(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	w.Chunk = 1
	w.Process = w.Open()
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		author, post := fmt.Sprint("ada", n), fmt.Sprint("p", n)
		all := mailtest.Readers(0, 40)
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
			w.Crowd(author, parts...)
		}
		follow()
		named := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 5, rapid.ID[string])
		w.WriteBy(author, post, named.Draw(r, "to")...)
		w.Event(w.Process, post)
		for more := true; more; {
			for _, reader := range rapid.SliceOfN(rapid.SampledFrom(all), 0, 6).Draw(r, "who changes") {
				if places[reader] = rapid.IntRange(-1, 2).Draw(r, "to"); places[reader] != stay[reader] {
					delete(stay, reader)
				}
			}
			follow()
			if to := named.Draw(r, "to now"); len(to) > 0 {
				w.Acquaint(author, to...)
				_, err := w.Client.Doc("posts/"+post).Update(t.Context(), []firestore.Update{{Path: "to", Value: to}})
				w.Must(err)
				for _, reader := range to { // their page may be over, and the other one leaves them out
					delete(stay, reader)
				}
			}
			before := w.Data("_functions/mail:" + post)
			more = w.Page(post)
			if more && rapid.Bool().Draw(r, "again") { // as after a crash before the checkpoint
				for _, field := range []string{"phase", "lastDoc", "done"} {
					_, err := w.Client.Doc("_functions/mail:"+post).Update(t.Context(), []firestore.Update{{Path: field, Value: before[field]}})
					w.Must(err)
				}
			}
		}
		var must []string
		for reader, place := range stay {
			if place >= 0 {
				must = append(must, reader)
			}
		}
		w.WantOnce(post, must, all)
		if t.Failed() {
			r.FailNow()
		}
	})
}

// A step is held before it commits mail. Another one, for which its lease has run out, does not
// go on before that commit, or the commit fails: otherwise it would not find the mail.
func TestAHeldStep(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	w.Crowd("ada", mailtest.Readers(0, 60))
	w.Write("p1")
	w.Event(w.Process, "p1")
	g := testkit.NewGate(t, writesMail)
	slow, quick := w.Open(g.Interceptor()), w.Open()
	held, other := make(chan error, 1), make(chan error, 1)
	go func() { held <- slow.Work(t.Context()) }()
	g.Await()
	// A follower joins. The other step's documents name other readers than those of the held one.
	// It waits for the lock on the index document.
	joined := make(chan error, 1)
	go func() {
		_, err := w.Client.Doc("users/ada/followers_index/00001").Update(t.Context(), []firestore.Update{{Path: "followers", Value: firestore.ArrayUnion("a0")}})
		joined <- err
	}()
	go func() { other <- quick.Work(t.Context()) }()
	select {
	case err := <-other:
		other <- err
	case <-time.After(3 * time.Second):
	}
	g.Open()
	t.Logf("held: %v", <-held)
	w.Must(<-joined)
	t.Logf("the other: %v", <-other)
	w.Must(w.Open().Work(t.Context()))
	w.WantOnce("p1", mailtest.Readers(0, 60), append(mailtest.Readers(0, 60), "a0"))
}

// A step whose job is canceled, or has another step, writes no more mail.
func TestAStepThatHasLostItsJob(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	w.Crowd("ada", mailtest.Readers(0, 60))
	w.Write("p1", "named")
	w.Event(w.Process, "p1")
	w.Beside(readOf("users/ada"), func() {
		_, err := w.Engine.Cancel(t.Context(), schema.MailJobID("p1"))
		w.Must(err)
	})
	w.WantReaders("p1", "named")
}

// A commit of mail is carried out, but its answer is lost.
func TestALostAnswer(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{})
	w.Crowd("ada", mailtest.Readers(0, 60))
	w.Write("p1")
	p := w.Open(lost(writesMail))
	w.Event(p, "p1")
	_ = p.Work(t.Context())
	w.Must(w.Open().Work(t.Context()))
	w.WantReaders("p1", mailtest.Readers(0, 60)...)
}

// While mail fails, other deliveries do their work, and their events end well.
func TestMailFails(t *testing.T) {
	t.Parallel()
	w := mailtest.New(t, schema.Options{Timelines: schema.TimelineOptions{Layout: schema.LayoutItems}})
	w.Crowd("ada", mailtest.Readers(0, 5))
	w.Write("p1")
	var refused atomic.Int64
	p := w.Open(refusing(func(req any) bool { return writesMail(req) && refused.Add(1) > 0 }))
	w.Event(p, "p1")
	if err := p.Work(t.Context()); err == nil || refused.Load() == 0 {
		t.Errorf("%d commits were refused: %v", refused.Load(), err)
	}
	if jobs, err := p.Engine.Unfinished(t.Context(), 10); err != nil || len(jobs) != 1 || jobs[0].ID != schema.MailJobID("p1") {
		t.Errorf("jobs %v, %v", jobs, err)
	}
	relation, _ := w.Data("_relations/p1_00001")["followers"].([]any)
	if len(relation) != 5 {
		t.Errorf("the relation has %v", relation)
	}
	for _, r := range mailtest.Readers(0, 5) {
		if entries, err := pages.Newest(t.Context(), p.DB, p.Timelines.Layout(), r, 10); err != nil || len(entries) != 1 {
			t.Errorf("the timeline of %s has %v, %v", r, entries, err)
		}
	}
	w.WantReaders("p1")
	w.Must(w.Open().Work(t.Context()))
	w.WantReaders("p1", mailtest.Readers(0, 5)...)
}

// It costs what the methods say.
func TestWhatItCosts(t *testing.T) {
	t.Parallel()
	for _, settings := range []int64{0, 1} {
		w := mailtest.New(t, schema.Options{Settings: settings == 1})
		var meter wire.Meter
		p := w.Open(meter.Interceptor())
		w.Crowd("ada", mailtest.Readers(0, 300), mailtest.Readers(300, 310))
		w.Write("p1", "named")
		event := w.Deliveries[len(w.Deliveries)-1].PostJob("p1")
		before := meter.Counts()
		w.Must(p.Deliveries[len(p.Deliveries)-1].Post(t.Context(), "p1"))
		if cost := meter.Counts().Minus(before); cost.Reads != 2 || cost.Writes != 1 {
			t.Errorf("%s: %d reads and %d writes to enqueue", event, cost.Reads, cost.Writes)
		}
		job, err := w.Engine.Get(t.Context(), event)
		w.Must(err)
		before = meter.Counts()
		w.Must(p.Step(t.Context(), job, time.Minute))
		cost := meter.Counts().Minus(before)
		// The job: a claim, and its end, with a read and a write each.
		reads, writes := int64(2), int64(2)
		// Whom the post names: an edge, a block, three reads, and a document.
		reads, writes = reads+1+1+2+1, writes+1
		// Followers: three for the page, and transactions with 200, 100 and 10 readers.
		reads += 3 + 3*(1+2) + 7 + 4 + 1
		writes += 4 + 2 + 1
		reads += settings * (311 + 1 + 4 + 2 + 1) // for each reader, and each 50 of them
		if cost.Reads != reads || cost.Writes != writes {
			t.Errorf("settings %d: %d reads and %d writes, want %d and %d", settings, cost.Reads, cost.Writes, reads, writes)
		}
	}
}
