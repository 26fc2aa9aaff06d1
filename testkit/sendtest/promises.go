package sendtest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// Each reader is told of a new post once, whether the post names them, they follow, or both. Repeated
// events change nothing, and neither does a post that is deleted and comes back.
func (s Suite) eachReaderIsToldOnce(t *testing.T) {
	t.Parallel()
	w := s.newWorld(t, schema.Config{})
	w.crowd("ada", readers(0, 260), readers(260, 270))
	all := append(readers(0, 270), "named")
	for range 2 {
		w.write("ada", "p1", "named", "r003", "r265")
		w.brought("p1")
		w.wantOnce("p1", all, all)
		w.DeletePost("p1")
		w.brought("p1")
	}
}

// A process is killed at each of its writes, or cannot read something. Before another process goes on, followers leave, join,
// and move to the other index document, and the post names other readers. Nobody is told of the post twice, and a follower
// who stays is told.
func (s Suite) aProcessThatDiesAtAnyCall(t *testing.T) {
	t.Parallel()
	type told struct {
		*world
		handled bool
	}
	stay := readers(5, 70)
	testkit.Disturb(t, testkit.Disturbed[*told]{
		Name: "a post", Writes: 2, Reads: 2,
		Prepare: func(t *testing.T) *told {
			w := s.newWorld(t, schema.Config{ReaderSettings: true, Chunk: 3})
			w.crowd("ada", readers(0, 60), readers(60, 72))
			w.write("ada", "p", "named1", "r061")
			return &told{w, false}
		},
		Act: func(w *told, p testkit.Process) (err error) {
			process := w.open(p.Interceptor)
			if !w.handled { // an acknowledged event does not come again
				err = process.Post(t.Context(), "p")
				w.handled = err == nil
			}
			return errors.Join(err, process.Ends(w.App))
		},
		Between: func(w *told) {
			w.crowd("ada", append(append(readers(5, 60), "a0", "r0305"), "r070"), append(readers(60, 70), "r000", "r001", "z0"))
			w.acquaint("ada", "r030", "named2", "r069")
			w.Edit("p", firestore.Update{Path: "to", Value: []string{"r030", "named2", "r069"}})
		},
		Check: func(w *told) { w.wantOnce("p", stay, append(readers(0, 72), "a0", "r0305", "z0", "named1", "named2")) },
	})
}

// A deleted account's messages are deleted, and so are the messages about its posts, whether the
// delivery is on or off.
func (s Suite) aDeletedAccount(t *testing.T) {
	t.Parallel()
	off := s.Delivery
	off.Bring = nil
	for name, c := range map[string]struct {
		then schema.Delivery
		gone string
		want [2][]string // readers told of ada's post, and of bob's
	}{
		"a reader":                {s.Delivery, "r1", [2][]string{{"r2"}, {"ada"}}},
		"a reader, and it is off": {off, "r1", [2][]string{{"r2"}, {"ada"}}},
		"an author":               {s.Delivery, "ada", [2][]string{nil, {"r1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := s.newWorld(t, schema.Config{Chunk: 1})
			w.crowd("ada", []string{"r1", "r2"})
			w.crowd("bob", []string{"r1", "ada"})
			w.write("ada", "p1")
			w.write("bob", "p2")
			w.brought("p1")
			w.brought("p2")
			w.Config.Deliveries = []schema.Delivery{c.then}
			w.DeleteAccount(c.gone)
			w.OK(w.open().Purge(w.App, c.gone))
			for n, post := range []string{"p1", "p2"} {
				told := w.readersOf(post)
				if !s.Repeats { // with Repeats, a document may have had other readers too
					if diff := cmp.Diff(c.want[n], told, cmpopts.EquateEmpty()); diff != "" {
						t.Errorf("%s was told to (-want +got):\n%s", post, diff)
					}
				} else if slices.Contains(told, c.gone) || post == "p1" && c.gone == "ada" && len(told) > 0 {
					t.Errorf("%s was told to %v", post, told)
				}
			}
			if t.Failed() {
				t.Log("Forget has to find the documents of the account and of its posts, and no others: they are deleted as a whole")
			}
		})
	}
}

// The delivery costs what the suite says, beside a delivery that does nothing.
func (s Suite) whatItCosts(t *testing.T) {
	t.Parallel()
	idle := s
	idle.Delivery.Bring = func(context.Context, *firestore.Client, *firestore.Transaction, schema.NewPost, []string) error {
		return nil
	}
	const told = 311
	cost := s.costOf(t).Minus(idle.costOf(t))
	if cost.Reads != told*s.Reads || cost.Writes != told*s.Writes {
		t.Errorf("%d reads and %d writes for %d readers, want %d and %d for each", cost.Reads, cost.Writes, told, s.Reads, s.Writes)
	}
}

// costOf returns the cost of a post to 311 readers, without the event's.
func (s Suite) costOf(t *testing.T) wire.Counts {
	t.Helper()
	w := s.newWorld(t, schema.Config{})
	w.crowd("ada", readers(0, 300), readers(300, 310))
	w.write("ada", "p1", "named")
	var meter wire.Meter
	p := w.open(meter.Interceptor())
	w.OK(p.Post(t.Context(), "p1"))
	before := meter.Counts()
	w.OK(p.Ends(w.App))
	return meter.Counts().Minus(before)
}
