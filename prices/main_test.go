package prices_test

import (
	"iter"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/prices"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// app is a project of a test's own, with functions behind real triggers.
type app struct{ *testkit.App }

func newApp(t testing.TB, cfg schema.Config) *app {
	t.Helper()
	return &app{testkit.NewApp(t, cfg)}
}

// day is the time of most first posts.
var day = stories.Day

func TestMain(m *testing.M) { testkit.MainWithTokens(m) }

// again delivers the event of a document that was written once more.
func (a *app) again(function, path string) {
	a.T.Helper()
	data, err := proto.Marshal(&firestoredata.DocumentEventData{
		Value: &firestoredata.Document{Name: "projects/" + a.ID + "/databases/(default)/documents/" + path},
	})
	if err != nil {
		a.T.Fatal(err)
	}
	e := event.New()
	e.SetID("event-1")
	e.SetType("google.cloud.firestore.document.v1.written")
	e.SetSource("//firestore.googleapis.com/projects/p/databases/(default)")
	if err := e.SetData("application/protobuf", data); err != nil {
		a.T.Fatal(err)
	}
	if err := a.Handlers().Function(function)(a.T.Context(), e); err != nil {
		a.T.Error(err)
	}
}

// pairs are all pairs of two slices.
func pairs[A, B any](as []A, bs []B) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		for _, a := range as {
			for _, b := range bs {
				if !yield(a, b) {
					return
				}
			}
		}
	}
}

// The operations of the client itself.
var (
	oneWrite  = wire.Counts{Writes: 1}
	oneDelete = wire.Counts{Deletes: 1}
)

// wantCost compares what the functions use until idle after do with a formula of
// package prices, of which the client's own part is theirs. Nothing may differ.
func (a *app) wantCost(what string, formula prices.Counts, client wire.Counts, do func()) {
	a.T.Helper()
	a.wantUsed(what, formula, client, a.Used(do))
}

func (a *app) wantUsed(what string, formula prices.Counts, client, used wire.Counts) {
	a.T.Helper()
	got := wire.Counts{Reads: used.Reads, Writes: used.Writes, Deletes: used.Deletes}
	if want := billed(formula, client); got != want {
		a.T.Errorf("%s: counted %v, the formula says %v", what, got, want)
	}
}

// billed is a formula without the client's own part.
func billed(formula prices.Counts, client wire.Counts) wire.Counts {
	return wire.Counts{Reads: int64(formula.Reads), Writes: int64(formula.Writes), Deletes: int64(formula.Deletes)}.Minus(client)
}

// The sizes are on both sides of the inline limit, of one page of a job, and of
// what is a whole number of pages.
const (
	inline = 4
	chunk  = 3
	ranged = 7
)

// formulas are those of posts "p" of an author whose index documents have
// sizeBytes of ids.
func formulas(cfg schema.Config, sizeBytes int) prices.Index {
	o := cfg
	copied := map[string]any{"createdAt": time.Time{}, "text": "one"}
	return prices.IndexOf(o, chunk, plan.PlannedFor(o, "p", copied, sizeBytes))
}
