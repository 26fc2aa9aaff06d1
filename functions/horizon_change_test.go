package functions_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/internal/devhost/faults"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit"
	"example.com/relationindex/schema"
)

// changing configures functions that go by the stored horizon.
var changing = config.Functions{Horizon: 6, Capacity: 1}

// atHorizon are the documents of an app with the horizon n, and an author ada of posts p1 to p8
// with two index documents.
func atHorizon(t *testing.T, n int) map[string]map[string]any {
	t.Helper()
	a := openApp(t, changing)
	a.store(schema.Horizon{Feed: n, Kept: n})
	a.Register()
	a.Follow("r1", "ada")
	a.Follow("r2", "ada")
	a.Settle()
	a.posts("ada", 1, 8)
	a.WantVerified()
	documents := testkit.Documents(t, a.Client, nil)
	documents["_settings/horizon"] = map[string]any{"feed": n, "kept": n}
	return documents
}

func (a *app) store(h schema.Horizon) {
	a.T.Helper()
	a.Must(schema.HorizonDocument(a.Client).Set(a.T.Context(), h))
}

// stored returns the horizon that is stored.
func (a *app) stored() schema.Horizon {
	a.T.Helper()
	docs, err := a.Client.GetAll(a.T.Context(), []*firestore.DocumentRef{schema.HorizonDocument(a.Client)})
	if err != nil {
		a.T.Fatal(err)
	}
	h, err := schema.DecodeHorizon(docs[0])
	if err != nil {
		a.T.Fatal(err)
	}
	return h
}

// wantReliable checks that each post of ada's that is not kept has as many newer posts that
// are kept as readers rely on. The posts are an hour apart.
func (a *app) wantReliable() {
	a.T.Helper()
	feed, newer := a.stored().Feed, 0
	kept := a.documents(a.Client.Collection("_relations").Where("audience", "==", "ada").Where("indexId", "==", "00001").OrderBy("createdAt", firestore.Asc))
	for n := 99; n > 0; n-- {
		p := fmt.Sprint("p", n)
		if len(a.documents(a.Client.Collection("posts").Where(firestore.DocumentID, "==", a.Client.Doc("posts/"+p)))) == 0 {
			if n > 10 {
				n = 11
			}
			continue
		}
		switch _, ok := kept["_relations/"+p+"_00001"]; {
		case ok:
			newer++
		case feed == 0 || newer < feed:
			a.T.Errorf("%s is not kept, with %d newer: readers rely on %d", p, newer, feed)
		}
	}
}

// change changes the horizon without waiting, and checks at each wait what readers rely on.
func (a *app) change(n int, death *faults.Death) (horizon.Changed, error) {
	a.T.Helper()
	index := a.Instance()
	if death != nil {
		index = a.Instance(death.Interceptor())
	}
	return horizon.Change(a.T.Context(), index, n, horizon.Options{
		Wait: func(_ context.Context, d time.Duration) error {
			a.wantReliable() //nolint:contextcheck // it has the test's
			if d <= schema.HorizonTTL || d > horizon.Old {
				a.T.Errorf("it waits %v", d)
			}
			return nil
		},
	})
}

// The command changes the horizon, is killed at each of its writes, and run again. Readers
// never rely on more than is kept.
func TestTheHorizonIsChangedAndKilled(t *testing.T) {
	t.Parallel()
	for c := range testkit.Cases(t, []struct{ from, to, kept int }{{6, 3, 3}, {3, 6, 6}, {0, 3, 3}, {3, 0, 8}}) {
		t.Run(fmt.Sprintf("from %d to %d", c.from, c.to), func(t *testing.T) {
			t.Parallel()
			documents := atHorizon(t, c.from)
			newest := map[int]string{3: "p8 p7 p6", 6: "p8 p7 p6 p5 p4 p3", 8: "p8 p7 p6 p5 p4 p3 p2 p1"}[c.kept]
			killEach(t, testkit.Stride(t), 1, 2, func(t *testing.T, death *faults.Death) {
				a := copyOf(t, changing, documents)
				_, err := a.change(c.to, death)
				a.wantReliable()
				if death.Died() {
					if err == nil {
						t.Error("it died, and says nothing")
					}
					if _, err := a.change(c.to, nil); err != nil {
						t.Fatal("again: ", err)
					}
				} else if err != nil {
					t.Fatal(err)
				}
				if h := a.stored(); h != (schema.Horizon{Feed: c.to, Kept: c.to}) {
					t.Errorf("the horizon is %+v", h)
				}
				a.wantKeeps("ada", 2, newest)
				a.WantVerified()
				a.wantReliable()
			})
		})
	}
}

// While a horizon is taken away, posts are deleted whose place others take.
func TestPostsAreReplacedWhileAHorizonEnds(t *testing.T) {
	t.Parallel()
	a := copyOf(t, changing, atHorizon(t, 3))
	a.store(schema.Horizon{Feed: 3, Kept: 0})
	a.Register()
	for _, p := range []string{"p8", "p6"} {
		a.DeletePost(p)
		a.Settle()
		a.wantReliable()
	}
	a.posts("ada", 9, 10)
	a.wantKeeps("ada", 2, "p10 p9 p7 p5 p4")
}

// Of two commands at once, one ends with an error, and readers rely on no more than is kept.
func TestTwoChangeTheHorizon(t *testing.T) {
	t.Parallel()
	a := copyOf(t, changing, atHorizon(t, 3))
	_, err := horizon.Change(t.Context(), a.Instance(), 6, horizon.Options{Wait: func(context.Context, time.Duration) error {
		_, err := a.change(2, nil) //nolint:contextcheck // it has the test's
		return err
	}})
	if !errors.Is(err, horizon.ErrChanged) {
		t.Errorf("the first says %v, want ErrChanged", err)
	}
	if h := a.stored(); h != (schema.Horizon{Feed: 2, Kept: 2}) {
		t.Errorf("the horizon is %+v", h)
	}
	a.wantReliable()
	a.WantVerified()
}

// Functions that have no horizon would not use one.
func TestAHorizonThatNobodyUses(t *testing.T) {
	t.Parallel()
	a := openApp(t, config.Functions{})
	if _, err := a.change(3, nil); !errors.Is(err, horizon.ErrUnused) {
		t.Errorf("it says %v, want ErrUnused", err)
	}
	if h := a.stored(); h != (schema.Horizon{}) {
		t.Errorf("the horizon is %+v", h)
	}
}

// Somebody deletes the document in place of the command: to end the horizon writes the missing
// relations all the same.
func TestADeletedHorizonIsEnded(t *testing.T) {
	t.Parallel()
	documents := atHorizon(t, 3)
	delete(documents, "_settings/horizon")
	a := copyOf(t, changing, documents)
	if _, err := a.change(0, nil); err != nil {
		t.Fatal(err)
	}
	a.wantKeeps("ada", 2, "p8 p7 p6 p5 p4 p3 p2 p1")
	a.WantVerified()
}
